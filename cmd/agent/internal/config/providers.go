package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/llm/gemini"
	"example.com/assay/memory/text"
)

const (
	EnvOpenAIKey      = "OPENAI_API_KEY"
	EnvOpenAIURL      = "OPENAI_BASE_URL"
	EnvGeminiKey      = "GEMINI_API_KEY"
	EnvGeminiURL      = "GEMINI_BASE_URL"
	EnvAnthropicKey   = "ANTHROPIC_API_KEY"
	EnvAnthropicURL   = "ANTHROPIC_BASE_URL"
	ProviderOpenAI    = "openai"
	ProviderAnthropic = "anthropic"
	ProviderOllama    = "ollama"
)

// A Provider is the part of a model's name before the colon.
type Provider struct {
	Name        string
	KeyVariable string // holds its key
	URLVariable string // names another server
	KeyURL      string // the page that makes keys; empty when no key is needed
}

// Providers lists all of them, in the order of messages. The connector in package open
// makes their models.
var Providers = []Provider{
	{ProviderOpenAI, EnvOpenAIKey, EnvOpenAIURL, "https://platform.openai.com/api-keys"},
	{gemini.Provider, EnvGeminiKey, EnvGeminiURL, "https://aistudio.google.com/apikey"},
	{ProviderAnthropic, EnvAnthropicKey, EnvAnthropicURL, "https://console.anthropic.com/settings/keys"},
	{ProviderOllama, EnvOpenAIKey, EnvOpenAIURL, ""},
}

// ProviderOf returns a model's provider and its name there.
func ProviderOf(name string) (p Provider, model string, ok bool) {
	before, model, colon := strings.Cut(name, ":")
	at := slices.IndexFunc(Providers, func(p Provider) bool { return p.Name == before })
	if at < 0 || !colon {
		return Provider{}, model, false
	}
	return Providers[at], model, true
}

// checkModel returns an error when the program does not know a model's name.
func checkModel(a *cli.App, name string) error {
	if a.Models[name] != nil {
		return nil
	}
	known := ModelNames(a)
	p, model, ok := ProviderOf(name)
	if !ok {
		guess := text.DidYouMean(name, known)
		var names []string
		for _, p := range Providers {
			names = append(names, p.Name)
		}
		before, model, colon := strings.Cut(name, ":")
		if best := text.Nearest(before, names); colon && best != "" {
			guess = fmt.Sprintf("; did you mean %q?", best+":"+model)
		}
		return fmt.Errorf("there is no such model%s; known: %s", guess, strings.Join(known, ", "))
	}
	if strings.TrimSpace(model) == "" {
		return fmt.Errorf("the model's name is missing after the colon; write %s:NAME", p.Name)
	}
	return nil
}

// ModelNames lists the models; for a provider it gives the form of their names.
func ModelNames(a *cli.App) []string {
	names := slices.Sorted(maps.Keys(a.Models))
	for _, p := range Providers {
		names = append(names, p.Name+":NAME")
	}
	return names
}

// Vertex names the project of Vertex and its location.
type Vertex struct{ Project, Location string }

// ModelLabel names what answers: the model, those of single skills and roles, and the
// fallback. For a cassette it is the recorded label.
func (s Settings) ModelLabel() string {
	if s.Replayed != "" {
		return s.Replayed
	}
	label := s.LabelOfModels()
	if judge := s.Verification.Judge.Label(); judge != "" {
		label += ", claims judged by " + judge
	}
	return label
}

// LabelOfModels is the label without the server that judges claims.
func (s Settings) LabelOfModels() string {
	label := s.Model
	for _, skill := range slices.Sorted(maps.Keys(s.SkillModels)) {
		label += fmt.Sprintf(", %s for %s", s.SkillModels[skill], skill)
	}
	if s.Fallback != "" {
		label += ", else " + s.Fallback
	}
	return label
}

// RemoteModels lists the distinct models of providers in the settings, the default first.
// The fallback is included when another remote model can fail.
func RemoteModels(a *cli.App, s Settings) []string {
	var out []string
	names := []string{s.Model}
	for _, skill := range slices.Sorted(maps.Keys(s.SkillModels)) {
		names = append(names, s.SkillModels[skill])
	}
	for _, name := range names {
		if a.Models[name] == nil && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	if len(out) > 0 && s.Fallback != "" && a.Models[s.Fallback] == nil && !slices.Contains(out, s.Fallback) {
		out = append(out, s.Fallback)
	}
	return out
}
