package open

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"strings"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/llm"
	"example.com/assay/llm/classify"
	"example.com/assay/llm/gemini"
	"example.com/assay/llm/langchain"
	"example.com/assay/llm/offline"
	"example.com/assay/llm/openai"
	"example.com/assay/memory/embed"
)

// Local makes the models that need no provider, by name.
func Local() map[string]func() llm.Model {
	return map[string]func() llm.Model{
		offline.Name: func() llm.Model { return llm.Limit(llm.DefaultLimit)(offline.New(nil)) },
	}
}

// WithMore returns the models with an offline model that shows further quotes.
func WithMore(models map[string]func() llm.Model) map[string]func() llm.Model {
	out := maps.Clone(models)
	out[offline.Name] = func() llm.Model { return llm.Limit(llm.DefaultLimit)(offline.New(&offline.Options{More: true})) }
	return out
}

// A Remote is a model of a provider, not yet bounded by limits.
type Remote struct {
	Model      llm.Model
	Capability func() string // the way it answers in JSON; "" while that is unknown
}

// A Connector makes the models of providers. The models of one provider share a server.
type Connector struct {
	env       cli.Environment
	keyFiles  map[string]string // by the variable that overrides the file
	vertex    config.Vertex     // serves gemini when it names a project
	maxTokens int               // of an answer of Anthropic's; 0 for the default
	transport http.RoundTripper // nil for the default
	servers   map[string]*openai.Server
}

// Connect returns the model with a checked name. It makes no call.
func (c *Connector) Connect(ctx context.Context, name string) (Remote, error) {
	p, model, _ := config.ProviderOf(name)
	switch p.Name {
	case gemini.Provider:
		return c.gemini(ctx, p, model)
	case config.ProviderAnthropic:
		return c.anthropic(p, model)
	}
	return c.openAI(p, model)
}

// NewConnector makes the connector to the providers of the settings.
func NewConnector(env cli.Environment, s config.Settings) *Connector {
	return &Connector{env: env, keyFiles: s.KeyFiles, vertex: s.Vertex, maxTokens: s.AnswerTokens}
}

func (c *Connector) gemini(ctx context.Context, p config.Provider, model string) (Remote, error) {
	opts, err := c.geminiServer(ctx, p)
	if err != nil {
		return Remote{}, err
	}
	m, err := gemini.New(ctx, model, &opts)
	if err != nil {
		return Remote{}, err
	}
	return Remote{m, func() string { return "native response schema" }}, nil
}

// geminiServer returns the connection to Gemini: with a key, or through Vertex.
func (c *Connector) geminiServer(ctx context.Context, p config.Provider) (gemini.Options, error) {
	opts := gemini.Options{BaseURL: c.env.Get(p.URLVariable), Transport: c.transport}
	var err error
	switch {
	case c.vertex.Project != "":
		opts.Vertex, opts.Project, opts.Location = true, c.vertex.Project, c.vertex.Location
		opts.Credentials, err = gemini.DefaultCredentials(ctx, &gemini.CredentialsOptions{Transport: c.transport})
	case c.vertex.Location != "":
		err = errors.New("vertex.location is set but vertex.project is not: Vertex needs both, the Gemini API neither")
	default:
		if opts.Key, err = c.key(p); err == nil && opts.Key == "" {
			err = p.MissingKey()
		}
	}
	return opts, err
}

// anthropic connects to Anthropic. Other programs read the same variable without the API's version,
// so both forms are accepted.
func (c *Connector) anthropic(p config.Provider, model string) (Remote, error) {
	key, err := c.key(p)
	if err != nil {
		return Remote{}, err
	}
	if key == "" {
		return Remote{}, p.MissingKey()
	}
	url := strings.TrimRight(c.env.Get(p.URLVariable), "/")
	if url != "" && !strings.HasSuffix(url, "/v1") {
		url += "/v1"
	}
	m, err := langchain.Anthropic(model, &langchain.AnthropicOptions{Key: key, BaseURL: url, MaxTokens: c.maxTokens, Transport: c.transport})
	if err != nil {
		return Remote{}, err
	}
	return Remote{m, func() string { return "a schema in the prompt" }}, nil
}

// openAI connects to any server with OpenAI's API.
func (c *Connector) openAI(p config.Provider, model string) (Remote, error) {
	server, err := c.openAIServer(p)
	if err != nil {
		return Remote{}, err
	}
	m, err := server.Model(model)
	if err != nil {
		return Remote{}, err
	}
	return Remote{m, func() string { return string(m.Capability()) }}, nil
}

// openAIServer returns the server of a provider, which is made once.
func (c *Connector) openAIServer(p config.Provider) (*openai.Server, error) {
	server := c.servers[p.Name]
	if server == nil {
		key, err := c.key(p)
		if err != nil {
			return nil, err
		}
		opts := openai.Options{Provider: p.Name, Key: key, BaseURL: c.env.Get(p.URLVariable), Transport: c.transport}
		switch {
		case opts.BaseURL != "": // another server may need no key
		case p.Name == config.ProviderOllama:
			opts.BaseURL, opts.Key = openai.OllamaBaseURL, "" // the key is not for this server
		case opts.Key == "":
			return nil, p.MissingKey()
		}
		if server, err = openai.NewServer(&opts); err != nil {
			return nil, err
		}
		if c.servers == nil {
			c.servers = map[string]*openai.Server{}
		}
		c.servers[p.Name] = server
	}
	return server, nil
}

// embedder connects to the embedder with a checked name. It makes no call.
func (c *Connector) embedder(ctx context.Context, r config.Lookup) (embed.Embedder, error) {
	p, model, _ := config.ProviderOf(r.Embedder)
	if p.Name == gemini.Provider {
		server, err := c.geminiServer(ctx, p)
		if err != nil {
			return nil, err
		}
		return gemini.NewEmbedder(ctx, model, &gemini.EmbedderOptions{Server: server, Dimension: r.Dimension})
	}
	server, err := c.openAIServer(p)
	if err != nil {
		return nil, err
	}
	return server.Embedder(model, &openai.EmbedderOptions{Dimension: r.Dimension})
}

// key returns the key of a provider: from its variable, else from the file that the
// configuration names, else "".
func (c *Connector) key(p config.Provider) (string, error) {
	if key := c.env.Get(p.KeyVariable); key != "" {
		return key, nil
	}
	file := c.keyFiles[p.KeyVariable]
	if file == "" {
		return "", nil
	}
	return config.ReadKey(file)
}

// secrets lists all known keys, used or not.
func (c *Connector) secrets() []string {
	var out []string
	for _, p := range config.Providers {
		if key := c.env.Get(p.KeyVariable); key != "" {
			out = append(out, key)
		}
		if file := c.keyFiles[p.KeyVariable]; file != "" {
			if key, err := config.ReadKey(file); err == nil { // an unreadable key was never sent
				out = append(out, key)
			}
		}
	}
	for _, variable := range []string{config.EnvRerankKey, config.EnvJudgeKey, config.EnvDetectorKey, config.EnvIndexKey} {
		if key := c.env.Get(variable); key != "" {
			out = append(out, key)
		}
	}
	return out
}

// SendsKey reports whether calls to a provider carry a key. Calls to Ollama on this
// machine do not.
func (c *Connector) SendsKey(p config.Provider) bool {
	if p.Name == gemini.Provider && c.vertex.Project != "" {
		return false
	}
	local := p.Name == config.ProviderOllama && c.env.Get(p.URLVariable) == ""
	return !local && (c.env.Get(p.KeyVariable) != "" || c.keyFiles[p.KeyVariable] != "")
}

// Classifier connects to a classifier, whose requests wrap bounds. It makes no call.
func Classifier(a *cli.App, c config.Classifier, wrap func(llm.Model) llm.Model) (*classify.Client, error) {
	client, err := classify.NewClient(c.Task, &classify.Options{
		URL: c.URL, Model: c.Model, Labels: c.Labels, Key: a.Env.Get(c.Variable()), Caller: llm.NewCaller(c.Key, wrap),
	})
	if err != nil {
		return nil, cli.Usagef("%s: %w; agent doctor checks it", c.Key, err)
	}
	return client, nil
}

// judge returns the model of a server that judges claims, and its client.
func (x *Exchange) judge(c config.Classifier) (*classify.Judge, *classify.Client, error) {
	client, err := Classifier(x.App, c, x.Controls.WrapUnpriced)
	if err != nil {
		return nil, nil, err
	}
	return classify.NewJudge(client, c.Calibration), client, nil
}

// JudgeAlone returns the server that judges claims, without a fallback, and a function that returns
// the model's name on the server.
func (x *Exchange) JudgeAlone(s config.Settings) (llm.Model, func(context.Context) string, error) {
	if x.player != nil {
		x.played = true
		return x.player, func(context.Context) string { return s.Verification.Judge.Label() }, nil
	}
	judge, client, err := x.judge(s.Verification.Judge)
	if err != nil {
		return nil, nil, err
	}
	m, err := x.taped(s, NewConnector(x.Env, s), judge)
	return m, client.Served, err
}
