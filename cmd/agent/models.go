package main

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"example.com/assay/llm"
	"example.com/assay/llm/gemini"
	"example.com/assay/llm/offline"
	"example.com/assay/llm/openai"
)

// Variables of the providers. Their values never leave this program but as
// what they are for.
const (
	envOpenAIKey   = "OPENAI_API_KEY"
	envOpenAIURL   = "OPENAI_BASE_URL"
	envGeminiKey   = "GEMINI_API_KEY"
	envGeminiURL   = "GEMINI_BASE_URL"
	keyURLOpenAI   = "https://platform.openai.com/api-keys"
	keyURLGemini   = "https://aistudio.google.com/apikey"
	providerOllama = "ollama"
)

// providerVariables are the variables above, sorted.
var providerVariables = []string{envGeminiKey, envGeminiURL, envOpenAIKey, envOpenAIURL}

// providers are what may stand before the colon of a model's name.
var providers = []string{"openai", gemini.Provider, providerOllama}

// checkModel reports whether a model's name is one that the program knows.
func (a *app) checkModel(name string) error {
	if a.models[name] != nil {
		return nil
	}
	known := a.modelNames()
	provider, model, ok := strings.Cut(name, ":")
	if !ok || !slices.Contains(providers, provider) {
		guess := didYouMean(name, known)
		if best := nearest(provider, providers); ok && best != "" {
			guess = fmt.Sprintf("; did you mean %q?", best+":"+model)
		}
		return fmt.Errorf("there is no such model%s; known: %s", guess, strings.Join(known, ", "))
	}
	if strings.TrimSpace(model) == "" {
		return fmt.Errorf("the model's name is missing after the colon; write %s:NAME", provider)
	}
	return nil
}

// modelNames lists the models, those of a provider by their form.
func (a *app) modelNames() []string {
	names := slices.Sorted(maps.Keys(a.models))
	for _, p := range providers {
		names = append(names, p+":NAME")
	}
	return names
}

// A remote is a model of a provider, not yet under control.
type remote struct {
	model      llm.Model
	capability func() string // how it is made to answer in JSON; "" while that is not known
}

// A missingKeyError says which variable must hold a key.
type missingKeyError struct{ variable, url string }

func (e *missingKeyError) Error() string {
	return fmt.Sprintf("%s is not set: make a key at %s and export it", e.variable, e.url)
}

// connector makes the models of providers; those of one provider share a
// server.
type connector struct {
	env       environment
	transport http.RoundTripper // nil for the default
	servers   map[string]*openai.Server
}

// connect returns the model of a checked name. It makes no call.
func (c *connector) connect(ctx context.Context, name string) (remote, error) {
	provider, model, _ := strings.Cut(name, ":")
	if provider == gemini.Provider {
		key := c.env.get(envGeminiKey)
		if key == "" {
			return remote{}, &missingKeyError{envGeminiKey, keyURLGemini}
		}
		m, err := gemini.New(ctx, model, &gemini.Options{Key: key, BaseURL: c.env.get(envGeminiURL), Transport: c.transport})
		if err != nil {
			return remote{}, err
		}
		return remote{m, func() string { return "native response schema" }}, nil
	}
	server := c.servers[provider]
	if server == nil {
		opts := openai.Options{Provider: provider, Key: c.env.get(envOpenAIKey), BaseURL: c.env.get(envOpenAIURL), Transport: c.transport}
		switch {
		case opts.BaseURL != "": // it may do without a key
		case provider == providerOllama:
			opts.BaseURL, opts.Key = openai.OllamaBaseURL, "" // the key is not for this server
		case opts.Key == "":
			return remote{}, &missingKeyError{envOpenAIKey, keyURLOpenAI}
		}
		var err error
		if server, err = openai.NewServer(&opts); err != nil {
			return remote{}, err
		}
		if c.servers == nil {
			c.servers = map[string]*openai.Server{}
		}
		c.servers[provider] = server
	}
	m, err := server.Model(model)
	if err != nil {
		return remote{}, err
	}
	return remote{m, func() string { return string(m.Capability()) }}, nil
}

// openModel makes the models that the settings name. All remote ones share
// one set of limits, whose budget is that of one question.
func (a *app) openModel(ctx context.Context, s settings) (llm.Model, *llm.Budget, error) {
	limits := s.limits
	limits.Retry.OnRetry = func(e llm.RetryEvent) {
		clear := ""
		if a.stderr.tty {
			clear = "\r\x1b[K" // the live line
		}
		fmt.Fprintf(a.stderr, "%sagent: asking the model again in %v, after attempt %d: %v\n", clear, e.Wait.Round(100*time.Millisecond), e.Attempt, e.Err)
	}
	controls := llm.NewControls(&limits)
	connector := connector{env: a.env}
	open := func(name string) (llm.Model, error) {
		if local := a.models[name]; local != nil {
			return local(), nil
		}
		r, err := connector.connect(ctx, name)
		if err != nil {
			return nil, usagef("using model %q: %w; agent doctor checks it, --model %s needs none", name, err, offline.Name)
		}
		return controls.Wrap(r.model), nil
	}
	other, err := open(s.model)
	if err != nil {
		return nil, nil, err
	}
	bySkill := map[string]llm.Model{}
	for _, skill := range slices.Sorted(maps.Keys(s.skillModels)) {
		if bySkill[skill], err = open(s.skillModels[skill]); err != nil {
			return nil, nil, err
		}
	}
	return llm.BySkill(bySkill, other), controls.Budget(), nil
}

// modelLabel names what answers: the model, and those of single skills.
func (s settings) modelLabel() string {
	label := s.model
	for _, skill := range slices.Sorted(maps.Keys(s.skillModels)) {
		label += fmt.Sprintf(", %s for %s", s.skillModels[skill], skill)
	}
	return label
}

// remoteModels lists the distinct models of providers that the settings name,
// the default first.
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
	return out
}
