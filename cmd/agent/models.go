package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"example.com/assay/llm"
	"example.com/assay/llm/gemini"
	"example.com/assay/llm/langchain"
	"example.com/assay/llm/openai"
)

// Variables of the providers. Their values never leave this program but as
// what they are for.
const (
	envOpenAIKey = "OPENAI_API_KEY"
	envOpenAIURL = "OPENAI_BASE_URL"
	envGeminiKey = "GEMINI_API_KEY"
	envGeminiURL = "GEMINI_BASE_URL"

	envAnthropicKey = "ANTHROPIC_API_KEY"
	envAnthropicURL = "ANTHROPIC_BASE_URL"

	providerOpenAI    = "openai"
	providerAnthropic = "anthropic"
	providerOllama    = "ollama"
)

// A provider is what may stand before the colon of a model's name.
type provider struct {
	name        string
	keyVariable string // holds its key
	urlVariable string // names another server
	keyURL      string // where keys are made; empty when none is needed
	connect     func(c *connector, ctx context.Context, p provider, model string) (remote, error)
}

// providers are all of them, in the order of messages. A further one needs
// its line here and nothing else.
var providers = []provider{
	{providerOpenAI, envOpenAIKey, envOpenAIURL, "https://platform.openai.com/api-keys", (*connector).openAI},
	{gemini.Provider, envGeminiKey, envGeminiURL, "https://aistudio.google.com/apikey", (*connector).gemini},
	{providerAnthropic, envAnthropicKey, envAnthropicURL, "https://console.anthropic.com/settings/keys", (*connector).anthropic},
	{providerOllama, envOpenAIKey, envOpenAIURL, "", (*connector).openAI},
}

// providerOf returns a model's provider and its name there.
func providerOf(name string) (p provider, model string, ok bool) {
	before, model, colon := strings.Cut(name, ":")
	at := slices.IndexFunc(providers, func(p provider) bool { return p.name == before })
	if at < 0 || !colon {
		return provider{}, model, false
	}
	return providers[at], model, true
}

// checkModel reports whether a model's name is one that the program knows.
func (a *app) checkModel(name string) error {
	if a.models[name] != nil {
		return nil
	}
	known := a.modelNames()
	p, model, ok := providerOf(name)
	if !ok {
		guess := didYouMean(name, known)
		var names []string
		for _, p := range providers {
			names = append(names, p.name)
		}
		before, model, colon := strings.Cut(name, ":")
		if best := nearest(before, names); colon && best != "" {
			guess = fmt.Sprintf("; did you mean %q?", best+":"+model)
		}
		return fmt.Errorf("there is no such model%s; known: %s", guess, strings.Join(known, ", "))
	}
	if strings.TrimSpace(model) == "" {
		return fmt.Errorf("the model's name is missing after the colon; write %s:NAME", p.name)
	}
	return nil
}

// modelNames lists the models, those of a provider by their form.
func (a *app) modelNames() []string {
	names := slices.Sorted(maps.Keys(a.models))
	for _, p := range providers {
		names = append(names, p.name+":NAME")
	}
	return names
}

// A remote is a model of a provider, not yet under control.
type remote struct {
	model      llm.Model
	capability func() string // how it is made to answer in JSON; "" while that is not known
}

// connector makes the models of providers; those of one provider share a
// server.
type connector struct {
	env       environment
	keyFiles  map[string]string // by the variable that comes first
	vertex    vertex            // where gemini is asked when it names a project
	maxTokens int               // of an answer of Anthropic's; 0 for the default
	transport http.RoundTripper // nil for the default
	servers   map[string]*openai.Server
}

// connect returns the model of a checked name. It makes no call.
func (c *connector) connect(ctx context.Context, name string) (remote, error) {
	p, model, _ := providerOf(name)
	return p.connect(c, ctx, p, model)
}

// vertex says which project of Vertex is asked, and where.
type vertex struct{ project, location string }

func newConnector(env environment, s settings) *connector {
	return &connector{env: env, keyFiles: s.keyFiles, vertex: s.vertex, maxTokens: s.answerTokens}
}

func (c *connector) gemini(ctx context.Context, p provider, model string) (remote, error) {
	opts, err := c.geminiServer(ctx, p)
	if err != nil {
		return remote{}, err
	}
	m, err := gemini.New(ctx, model, &opts)
	if err != nil {
		return remote{}, err
	}
	return remote{m, func() string { return "native response schema" }}, nil
}

// geminiServer says how Gemini is reached: with a key, or through Vertex.
func (c *connector) geminiServer(ctx context.Context, p provider) (gemini.Options, error) {
	opts := gemini.Options{BaseURL: c.env.get(p.urlVariable), Transport: c.transport}
	if c.vertex.project != "" {
		credentials, err := gemini.DefaultCredentials(ctx, &gemini.CredentialsOptions{Transport: c.transport})
		if err != nil {
			return opts, err
		}
		opts.Vertex, opts.Credentials, opts.Project, opts.Location = true, credentials, c.vertex.project, c.vertex.location
	} else if c.vertex.location != "" {
		return opts, errors.New("vertex.location is set and vertex.project is not: Vertex needs both to be told, the Gemini API neither")
	} else {
		key, err := c.key(p)
		if err != nil {
			return opts, err
		}
		if key == "" {
			return opts, &missingKeyError{p.keyVariable, p.keyURL}
		}
		opts.Key = key
	}
	return opts, nil
}

// anthropic connects to Anthropic. Other programs read the same variable
// without the API's version, so that both forms are right.
func (c *connector) anthropic(_ context.Context, p provider, model string) (remote, error) {
	key, err := c.key(p)
	if err != nil {
		return remote{}, err
	}
	if key == "" {
		return remote{}, &missingKeyError{p.keyVariable, p.keyURL}
	}
	url := strings.TrimRight(c.env.get(p.urlVariable), "/")
	if url != "" && !strings.HasSuffix(url, "/v1") {
		url += "/v1"
	}
	m, err := langchain.Anthropic(model, &langchain.AnthropicOptions{Key: key, BaseURL: url, MaxTokens: c.maxTokens, Transport: c.transport})
	if err != nil {
		return remote{}, err
	}
	return remote{m, func() string { return "a schema in the prompt" }}, nil
}

// openAI connects to any server of OpenAI's API.
func (c *connector) openAI(_ context.Context, p provider, model string) (remote, error) {
	server, err := c.openAIServer(p)
	if err != nil {
		return remote{}, err
	}
	m, err := server.Model(model)
	if err != nil {
		return remote{}, err
	}
	return remote{m, func() string { return string(m.Capability()) }}, nil
}

// openAIServer is the server of a provider, made once.
func (c *connector) openAIServer(p provider) (*openai.Server, error) {
	server := c.servers[p.name]
	if server == nil {
		key, err := c.key(p)
		if err != nil {
			return nil, err
		}
		opts := openai.Options{Provider: p.name, Key: key, BaseURL: c.env.get(p.urlVariable), Transport: c.transport}
		switch {
		case opts.BaseURL != "": // it may do without a key
		case p.name == providerOllama:
			opts.BaseURL, opts.Key = openai.OllamaBaseURL, "" // the key is not for this server
		case opts.Key == "":
			return nil, &missingKeyError{p.keyVariable, p.keyURL}
		}
		if server, err = openai.NewServer(&opts); err != nil {
			return nil, err
		}
		if c.servers == nil {
			c.servers = map[string]*openai.Server{}
		}
		c.servers[p.name] = server
	}
	return server, nil
}

// modelLabel names what answers: the model, those of single skills and roles,
// and the one that is asked when they fail; of a cassette what was recorded.
func (s settings) modelLabel() string {
	if s.replayed != "" {
		return s.replayed
	}
	label := s.labelOfModels()
	if judge := s.verification.judge.label(); judge != "" {
		label += ", claims judged by " + judge
	}
	return label
}

// labelOfModels is the label without the server that judges claims.
func (s settings) labelOfModels() string {
	label := s.model
	for _, skill := range slices.Sorted(maps.Keys(s.skillModels)) {
		label += fmt.Sprintf(", %s for %s", s.skillModels[skill], skill)
	}
	if s.fallback != "" {
		label += ", else " + s.fallback
	}
	return label
}

// remoteModels lists the distinct models of providers that the settings name,
// the default first. The fallback is among them when there is something to
// fall back from.
func (a *app) remoteModels(s settings) []string {
	var out []string
	names := []string{s.model}
	for _, skill := range slices.Sorted(maps.Keys(s.skillModels)) {
		names = append(names, s.skillModels[skill])
	}
	for _, name := range names {
		if a.models[name] == nil && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	if len(out) > 0 && s.fallback != "" && a.models[s.fallback] == nil && !slices.Contains(out, s.fallback) {
		out = append(out, s.fallback)
	}
	return out
}
