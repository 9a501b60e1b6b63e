package main

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/llm"
	"example.com/assay/llm/gemini"
	"example.com/assay/llm/langchain"
	"example.com/assay/llm/openai"
)

// Variables of the providers. Their values never leave this program but as
// what they are for.
const ()

// A remote is a model of a provider, not yet under control.
type remote struct {
	model      llm.Model
	capability func() string // how it is made to answer in JSON; "" while that is not known
}

// connector makes the models of providers; those of one provider share a
// server.
type connector struct {
	env       cli.Environment
	keyFiles  map[string]string // by the variable that comes first
	vertex    vertex            // where gemini is asked when it names a project
	maxTokens int               // of an answer of Anthropic's; 0 for the default
	transport http.RoundTripper // nil for the default
	servers   map[string]*openai.Server
}

// connect returns the model of a checked name. It makes no call.
func (c *connector) connect(ctx context.Context, name string) (remote, error) {
	p, model, _ := providerOf(name)
	switch p.name {
	case gemini.Provider:
		return c.gemini(ctx, p, model)
	case providerAnthropic:
		return c.anthropic(p, model)
	}
	return c.openAI(p, model)
}

func newConnector(env cli.Environment, s settings) *connector {
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
	opts := gemini.Options{BaseURL: c.env.Get(p.urlVariable), Transport: c.transport}
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
func (c *connector) anthropic(p provider, model string) (remote, error) {
	key, err := c.key(p)
	if err != nil {
		return remote{}, err
	}
	if key == "" {
		return remote{}, &missingKeyError{p.keyVariable, p.keyURL}
	}
	url := strings.TrimRight(c.env.Get(p.urlVariable), "/")
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
func (c *connector) openAI(p provider, model string) (remote, error) {
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
		opts := openai.Options{Provider: p.name, Key: key, BaseURL: c.env.Get(p.urlVariable), Transport: c.transport}
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
