package config

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/llm/langchain"
	"example.com/assay/skills"
)

// A Setting is one value that a configuration, a variable or a flag can set.
type Setting struct {
	key      string // in a configuration, with its section: "model_limits.timeout"
	variable string
	flag     string // empty for none
	negation string // flag that is the same as flag=false; empty for none
	about    string // one sentence
	example  string // for the file of doctor --init when the default is empty
	set      func(p *parser, s *Settings, from origin, text string)
	show     func(s *Settings) string // "" leaves it out

	// A section with free keys, which only a configuration can set, has these instead:
	within func(key string) Setting   // the setting of a key below it
	given  func(s *Settings) []string // the keys that are set, sorted
}

// settingOf returns the setting of a key, which the table must have.
func settingOf(table []Setting, key string) Setting {
	at := slices.IndexFunc(table, func(t Setting) bool {
		return t.key == key || t.within != nil && strings.HasPrefix(key, t.key+".")
	})
	if t := table[at]; t.within != nil {
		return t.within(key)
	}
	return table[at]
}

// Keys, parts of keys and variables that other code refers to.
const (
	KeyModel       = "models.default"
	KeySearchTool  = "research.search_tool"
	keyFallback    = modelsPrefix + "fallback"
	keyMemory      = "memory"
	modelsPrefix   = "models."
	keyFilesPrefix = "key_files."

	EnvSkipInjection = "SKIP_INJECTION_CHECK"
	EnvThreshold     = "EVAL_CONFIDENCE_THRESHOLD"
	EnvOTLP          = "OTEL_EXPORTER_OTLP_ENDPOINT"
)

// Table lists the settings, in the order in which they are shown.
func Table(a *cli.App) ([]Setting, error) {
	set, err := skills.Load(nil)
	if err != nil {
		return nil, err
	}
	table := []Setting{{
		key: "corpus", flag: "corpus", about: "The corpus to answer from.",
		set:  func(p *parser, s *Settings, from origin, text string) { s.Corpus = p.corpus(from, text) },
		show: func(s *Settings) string { return s.Corpus },
	}, {
		key: "confidence_threshold", variable: EnvThreshold, flag: "confidence-threshold", about: "The confidence above 0 and up to 1 that a step needs.",
		set:  func(p *parser, s *Settings, from origin, text string) { s.Threshold = p.threshold(from, text) },
		show: func(s *Settings) string { return strconv.FormatFloat(s.Threshold, 'g', -1, 64) },
	}, {
		key: "skip_injection_check", variable: EnvSkipInjection, flag: "skip-injection-check", about: "Research a question without judging it first.",
		set:  func(p *parser, s *Settings, from origin, text string) { s.SkipInjection = p.boolean(from, text) },
		show: func(s *Settings) string { return strconv.FormatBool(s.SkipInjection) },
	}, {
		key: KeySearchTool, flag: "search-tool", about: "Let the model that writes an answer search for more passages by itself and, in a session, have causal edges verified; offline cannot.",
		set:  func(p *parser, s *Settings, from origin, text string) { s.SearchTool = p.boolean(from, text) },
		show: func(s *Settings) string { return strconv.FormatBool(s.SearchTool) },
	}, {
		key: keyMemory, flag: "memory", negation: "no-memory", about: "Use and keep earlier answers to the same question; a session does by default.",
		set:  func(p *parser, s *Settings, from origin, text string) { s.Memory = p.boolean(from, text) },
		show: func(s *Settings) string { return strconv.FormatBool(s.Memory) },
	}, storeSetting(), temporalSetting(), indexSetting(), {
		key: "skills", flag: "skills", about: "A directory whose *.md files replace embedded skills; relative to this file.", example: "skills",
		set: func(p *parser, s *Settings, from origin, text string) {
			s.Skills = from.path(p.text(from, text, "a directory"))
		},
		show: func(s *Settings) string { return s.Skills },
	}, {
		key: KeyModel, variable: "ASSAY_MODEL", flag: "model", about: "The model of all skills without their own.",
		set:  func(p *parser, s *Settings, from origin, text string) { s.Model = p.model(a, from, text) },
		show: func(s *Settings) string { return s.Model },
	}, {
		key: keyFallback, about: "The model for a call that a provider's model failed after its retries; none by default.", example: "offline",
		set:  func(p *parser, s *Settings, from origin, text string) { s.Fallback = p.model(a, from, text) },
		show: func(s *Settings) string { return s.Fallback },
	}}
	for _, r := range roles {
		table = append(table, modelSetting(a, r.name, r.about+": "+strings.Join(r.skills, ", ")+"."))
	}
	for _, name := range set.Names() {
		table = append(table, modelSetting(a, name, "The model of this skill alone."))
	}
	for _, p := range Providers {
		if p.KeyURL != "" {
			table = append(table, keySetting(p))
		}
	}
	table = append(table, verificationTable()...)
	table = append(table, groundingTable()...)
	table = append(table, vertexTable()...)
	table = append(table, anthropicTable()...)
	table = append(table, lookupTable()...)
	table = append(table, limitTable()...)
	table = append(table, pricesSetting(a), serversSetting())
	table = append(table, telemetryTable()...)
	for i := range table {
		if table[i].variable == "" && table[i].within == nil {
			table[i].variable = variableOf(table[i].key)
		}
	}
	return table, nil
}

// modelSetting is the setting of the model of a skill or a role.
func modelSetting(a *cli.App, name, about string) Setting {
	return Setting{
		key: modelsPrefix + name, about: about, example: "offline",
		set:  func(p *parser, s *Settings, from origin, text string) { s.SkillModels[name] = p.model(a, from, text) },
		show: func(s *Settings) string { return s.SkillModels[name] },
	}
}

// keySetting is the setting of the file that holds a provider's key.
func keySetting(p Provider) Setting {
	return Setting{
		key: keyFilesPrefix + p.Name, example: p.Name + ".key",
		about: "A file of mode 0600 that holds the key and nothing else; " + p.KeyVariable + " overrides it.",
		set: func(parse *parser, s *Settings, from origin, text string) {
			path := from.path(parse.text(from, text, "a file"))
			if _, err := ReadKey(path); err != nil {
				parse.fail(cli.Usagef("%s: %w", from, err))
			}
			s.KeyFiles[p.KeyVariable] = path
		},
		show: func(s *Settings) string { return s.KeyFiles[p.KeyVariable] },
	}
}

// vertexTable lists the settings of Vertex.
func vertexTable() []Setting {
	return []Setting{{
		key: "vertex.project", about: "The project for Gemini through Vertex, with Google's application default credentials instead of a key; none by default.", example: "my-project",
		set:  func(p *parser, s *Settings, from origin, text string) { s.Vertex.Project = p.name(from, text) },
		show: func(s *Settings) string { return s.Vertex.Project },
	}, {
		key: "vertex.location", about: "The location of Vertex; \"global\" by default.", example: "global",
		set:  func(p *parser, s *Settings, from origin, text string) { s.Vertex.Location = p.name(from, text) },
		show: func(s *Settings) string { return s.Vertex.Location },
	}}
}

// anthropicTable lists the settings of Anthropic.
func anthropicTable() []Setting {
	return []Setting{{
		key: "anthropic.max_tokens", about: "The token limit of an answer, which Anthropic requires; a call that exceeds it fails.",
		set:  func(p *parser, s *Settings, from origin, text string) { s.AnswerTokens = p.count(from, text, 1) },
		show: func(s *Settings) string { return strconv.Itoa(cmp.Or(s.AnswerTokens, langchain.AnthropicMaxTokens)) },
	}}
}

// telemetryTable lists the settings of OpenTelemetry.
func telemetryTable() []Setting {
	return []Setting{{
		key: "telemetry.endpoint", variable: EnvOTLP, about: "The OTLP collector (HTTP) that receives spans; none by default.", example: "http://localhost:4318",
		set: func(p *parser, s *Settings, from origin, text string) {
			if err := checkEndpoint(text); err != nil {
				p.fail(cli.Usagef("%s: %w", from, err))
			}
			s.Telemetry.Endpoint = text
		},
		show: func(s *Settings) string { return s.Telemetry.Endpoint },
	}, {
		key: "telemetry.content", about: "Spans also hold prompts, answers and queries.",
		set:  func(p *parser, s *Settings, from origin, text string) { s.Telemetry.Content = p.boolean(from, text) },
		show: func(s *Settings) string { return strconv.FormatBool(s.Telemetry.Content) },
	}}
}

// checkEndpoint refuses a text that is not an address, and an address with credentials, since it
// may be shown later.
func checkEndpoint(text string) error {
	u, err := url.Parse(text)
	switch {
	case err != nil: // not wrapped: its text shows the address
		return errors.New("it is not an address; write one such as http://localhost:4318")
	case u.User != nil:
		return errors.New("it must not hold credentials; put headers into OTEL_EXPORTER_OTLP_HEADERS")
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "":
		return fmt.Errorf("it is %q: write the address of an OTLP collector, such as http://localhost:4318", text)
	}
	return nil
}

// A Variable is an environment variable that the program reads.
type Variable struct{ Name, About string }

// Variables lists the variables that the program reads, in the order of the help.
func Variables(table []Setting) []Variable {
	out := []Variable{
		{cli.EnvHome, "The directory of corpora and memory."},
		{cli.EnvConfig, "The configuration."},
		{cli.EnvViewer, "The command that shows a PDF, a sheet or a page; {file} and {page} in it are filled in."},
		{EnvTemporalKey, "The key of a Temporal server."},
	}
	for _, t := range table {
		if t.variable != "" {
			out = append(out, Variable{t.variable, t.about})
		}
	}
	for _, p := range Providers {
		for _, v := range []Variable{{p.KeyVariable, "The key of " + p.Name + "."}, {p.URLVariable, "The address of another server for " + p.Name + "."}} {
			if !slices.ContainsFunc(out, func(known Variable) bool { return known.Name == v.Name }) {
				out = append(out, v)
			}
		}
	}
	return out
}

// Known lists the names of the variables that the program reads.
func Known(table []Setting) []string {
	var names []string
	for _, v := range Variables(table) {
		names = append(names, v.Name)
	}
	return names
}
