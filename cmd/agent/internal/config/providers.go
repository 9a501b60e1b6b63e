package config

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/llm"
	"example.com/assay/llm/gemini"
	"example.com/assay/memory/text"
	"example.com/assay/skills"
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

// ModelLabel names the models that answer: the model for all skills, the models for single skills
// and roles, the fallback, and the server that judges claims. For a cassette it is the recorded
// label.
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

// LabelOfModels is [Settings.ModelLabel] without the server that judges claims.
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

// A role is a group of skills whose model one key of the section models sets. A skill's
// own key overrides its role's, and the role's overrides the default.
type role struct {
	name   string
	about  string
	skills []string
}

// roles lists all of them. A skill has at most one.
var roles = []role{
	{"judge", "The model of the skills that decide", []string{
		skills.DetectPromptInjection, skills.AdaptiveReplan, skills.SelectChoice, skills.JudgeClaim, skills.JudgeEdge, skills.DevilsAdvocate, skills.VerifyGrounding, skills.ReviewAnswer, skills.VerifyExtraction,
	}},
	{"plan", "The model of the skills that prepare a search", []string{skills.ClassifyAndRoute, skills.PlanSynthesis, skills.QueryRewrite, skills.GapQueries, skills.ExtractRequirements}},
	{"write", "The model of the skills that write the answer", []string{skills.SynthesizeAndCite, skills.RegenerateResponse, skills.DraftEdges, skills.ComposeAnswer}},
	{"extract", "The model of the skills that read fields", []string{skills.ExtractFields, skills.RefineExtraction}},
}

// ModelsBySkill returns the models of the skills that do not use the default.
func (s Settings) ModelsBySkill() map[string]string {
	out := map[string]string{}
	maps.Copy(out, s.SkillModels)
	for _, r := range roles {
		model := out[r.name]
		delete(out, r.name)
		for _, skill := range r.skills {
			if model != "" && out[skill] == "" {
				out[skill] = model
			}
		}
	}
	return out
}

// limitTable lists the settings of llm.ControlOptions. Where 0 would mean a wrapper's
// default, a configured 0 is stored as -1.
func limitTable() []Setting {
	number := func(key, about string, least int, field func(*llm.ControlOptions) *int) Setting {
		return Setting{
			key: "model_limits." + key, about: about, example: "100",
			set: func(p *parser, s *Settings, from origin, text string) {
				n := p.count(from, text, least)
				if n == 0 {
					n = -1
				}
				*field(&s.Limits) = n
			},
			show: func(s *Settings) string {
				switch n := *field(&s.Limits); n {
				case 0:
					return "" // no bound
				case -1:
					return "0"
				default:
					return strconv.Itoa(n)
				}
			},
		}
	}
	length := func(key, about string, least time.Duration, field func(*llm.ControlOptions) *time.Duration) Setting {
		return Setting{
			key: "model_limits." + key, about: about,
			set: func(p *parser, s *Settings, from origin, text string) {
				d := p.duration(from, text, least)
				if d == 0 {
					d = -1
				}
				*field(&s.Limits) = d
			},
			show: func(s *Settings) string { return max(*field(&s.Limits), 0).String() },
		}
	}
	money := func(key, about string, field func(*llm.ControlOptions) *float64) Setting {
		return Setting{
			key: "model_limits." + key, about: about, example: "0.5",
			set: func(p *parser, s *Settings, from origin, text string) {
				*field(&s.Limits) = p.amount(from, text, false)
			},
			show: func(s *Settings) string {
				if *field(&s.Limits) == 0 {
					return "" // no bound
				}
				return decimal(*field(&s.Limits))
			},
		}
	}
	return []Setting{
		number("concurrency", "Calls at the same time.", 1, func(o *llm.ControlOptions) *int { return &o.Concurrency }),
		number("max_retries", "How often a failed call is retried.", 0, func(o *llm.ControlOptions) *int { return &o.Retry.MaxRetries }),
		length("backoff_base", "The wait before the first retry; it doubles with each further one.", time.Nanosecond, func(o *llm.ControlOptions) *time.Duration { return &o.Retry.Base }),
		length("backoff_jitter_max", "The largest random addition to each wait.", 0, func(o *llm.ControlOptions) *time.Duration { return &o.Retry.JitterMax }),
		length("timeout", "The time limit of each attempt.", time.Nanosecond, func(o *llm.ControlOptions) *time.Duration { return &o.Timeout }),
		number("requests_per_minute", "Calls per minute; unlimited by default.", 1, func(o *llm.ControlOptions) *int { return &o.Rate.RequestsPerMinute }),
		number("tokens_per_minute", "Tokens per minute, read and written; unlimited by default.", 1, func(o *llm.ControlOptions) *int { return &o.Rate.TokensPerMinute }),
		number("max_calls", "Calls of one question; unlimited by default.", 1, func(o *llm.ControlOptions) *int { return &o.Budget.MaxCalls }),
		number("max_tokens", "Tokens of one question, read and written; unlimited by default.", 1, func(o *llm.ControlOptions) *int { return &o.Budget.MaxTokens }),
		money("max_money", "What one question may cost, in the currency of prices; unlimited by default.", func(o *llm.ControlOptions) *float64 { return &o.Budget.MaxMoney }),
		number("max_tool_calls", "Calls of tools of MCP servers of one question.", 1, func(o *llm.ControlOptions) *int { return &o.Budget.MaxToolCalls }),
		number("max_session_calls", "Calls of all questions of a session; unlimited by default.", 1, func(o *llm.ControlOptions) *int { return &o.Budget.Session.MaxCalls }),
		number("max_session_tokens", "Tokens of all questions of a session; unlimited by default.", 1, func(o *llm.ControlOptions) *int { return &o.Budget.Session.MaxTokens }),
		money("max_session_money", "What all questions of a session may cost; unlimited by default.", func(o *llm.ControlOptions) *float64 { return &o.Budget.Session.MaxMoney }),
		number("circuit_failures", "After how many failed attempts in a row a model is not called for a while; 0 for never.", 0, func(o *llm.ControlOptions) *int { return &o.Circuit.Failures }),
		length("circuit_pause", "How long it is then not called.", time.Nanosecond, func(o *llm.ControlOptions) *time.Duration { return &o.Circuit.Pause }),
	}
}

// KeyPrices is the section whose keys are models' names.
const KeyPrices = "prices"

// priceParts are the keys of a model's price.
var priceParts = []string{"input", "output"}

// pricesSetting is the section of prices.
func pricesSetting(a *cli.App) Setting {
	return Setting{
		key: KeyPrices, example: "openai:gpt-4.1-mini: {input: 0.40, output: 1.60}",
		about: "What each model costs per million tokens, all in the same currency; the cost of a model without a price is unknown.",
		show:  func(*Settings) string { return "" },
		within: func(key string) Setting {
			model := strings.TrimPrefix(key, KeyPrices+".")
			for _, part := range priceParts {
				if name, ok := strings.CutSuffix(model, "."+part); ok {
					return priceSetting(a, name, part)
				}
			}
			return Setting{key: key} // cannot happen: configReader makes no such key
		},
		given: func(s *Settings) []string {
			var keys []string
			for _, model := range slices.Sorted(maps.Keys(s.Limits.Prices)) {
				for _, part := range priceParts {
					keys = append(keys, KeyPrices+"."+model+"."+part)
				}
			}
			return keys
		},
	}
}

// priceSetting is one part of a model's price.
func priceSetting(a *cli.App, model, part string) Setting {
	of := func(price *llm.Price) *float64 {
		if part == priceParts[0] {
			return &price.Input
		}
		return &price.Output
	}
	return Setting{
		key: KeyPrices + "." + model + "." + part,
		set: func(p *parser, s *Settings, from origin, text string) {
			if err := checkModel(a, model); err != nil {
				p.fail(cli.Usagef("%s: %w", from, err))
			} else if a.Models[model] != nil {
				p.fail(cli.Usagef("%s: %s costs nothing and needs no price", from, model))
			}
			if s.Limits.Prices == nil {
				s.Limits.Prices = llm.Prices{}
			}
			price := s.Limits.Prices[model]
			*of(&price) = p.amount(from, text, true)
			s.Limits.Prices[model] = price
		},
		show: func(s *Settings) string {
			price := s.Limits.Prices[model]
			return decimal(*of(&price))
		},
	}
}

func decimal(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// Unpriced returns a *llm.PriceError when a limit on money is set and a model has no
// price, so that this is reported before any call.
func (s Settings) Unpriced(model string) error {
	b := s.Limits.Budget
	if _, ok := s.Limits.Prices[model]; !ok && (b.MaxMoney > 0 || b.Session.MaxMoney > 0) {
		return &llm.PriceError{Model: model}
	}
	return nil
}

// A MissingKeyError says which variable must hold a key.
type MissingKeyError struct{ Variable, url string }

// MissingKey is the error of a provider without a key.
func (p Provider) MissingKey() error { return &MissingKeyError{p.KeyVariable, p.KeyURL} }

func (e *MissingKeyError) Error() string {
	return fmt.Sprintf("%s is not set: make a key at %s and export it", e.Variable, e.url)
}

const maxKey = 64 << 10 // bytes; a key of a service account is a few thousand

// ReadKey reads a file that holds only a key, and that only its owner may read. An error shows the
// path only if there is such a file: a user may have given the key itself.
func ReadKey(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		if at, ok := errors.AsType[*fs.PathError](err); ok {
			err = at.Err
		}
		return "", fmt.Errorf("finding the file of the key: %w (the value must be the path of a file that holds the key, not the key itself)", err)
	}
	if !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s is not a regular file: write the key into one", path)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return "", fmt.Errorf("%s can be read by others (mode %04o): chmod 600 %s", path, info.Mode().Perm(), path)
	}
	if info.Size() > maxKey {
		return "", fmt.Errorf("%s holds %d bytes, too many for a key", path, info.Size())
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("reading a key: %w", err)
	}
	key := strings.TrimSpace(string(data))
	if key == "" {
		return "", fmt.Errorf("%s is empty: write the key into it", path)
	}
	return key, nil
}
