package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/llm/gemini"
)

const (
	envOpenAIKey      = "OPENAI_API_KEY"
	envOpenAIURL      = "OPENAI_BASE_URL"
	envGeminiKey      = "GEMINI_API_KEY"
	envGeminiURL      = "GEMINI_BASE_URL"
	envAnthropicKey   = "ANTHROPIC_API_KEY"
	envAnthropicURL   = "ANTHROPIC_BASE_URL"
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
}

// providers are all of them, in the order of messages. How the models of one are
// reached is the connector's.
var providers = []provider{
	{providerOpenAI, envOpenAIKey, envOpenAIURL, "https://platform.openai.com/api-keys"},
	{gemini.Provider, envGeminiKey, envGeminiURL, "https://aistudio.google.com/apikey"},
	{providerAnthropic, envAnthropicKey, envAnthropicURL, "https://console.anthropic.com/settings/keys"},
	{providerOllama, envOpenAIKey, envOpenAIURL, ""},
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
func checkModel(a *cli.App, name string) error {
	if a.Models[name] != nil {
		return nil
	}
	known := modelNames(a)
	p, model, ok := providerOf(name)
	if !ok {
		guess := cli.DidYouMean(name, known)
		var names []string
		for _, p := range providers {
			names = append(names, p.name)
		}
		before, model, colon := strings.Cut(name, ":")
		if best := cli.Nearest(before, names); colon && best != "" {
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
func modelNames(a *cli.App) []string {
	names := slices.Sorted(maps.Keys(a.Models))
	for _, p := range providers {
		names = append(names, p.name+":NAME")
	}
	return names
}

// vertex says which project of Vertex is asked, and where.
type vertex struct{ project, location string }

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
func remoteModels(a *cli.App, s settings) []string {
	var out []string
	names := []string{s.model}
	for _, skill := range slices.Sorted(maps.Keys(s.skillModels)) {
		names = append(names, s.skillModels[skill])
	}
	for _, name := range names {
		if a.Models[name] == nil && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	if len(out) > 0 && s.fallback != "" && a.Models[s.fallback] == nil && !slices.Contains(out, s.fallback) {
		out = append(out, s.fallback)
	}
	return out
}
