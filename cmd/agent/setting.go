package main

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

// A setting is one value that a configuration, a variable or a flag can give.
// The table of all of them is what those three, the doctor and the file that
// doctor --init writes have in common.
type setting struct {
	key      string // in a configuration, with its section: "model_limits.timeout"
	variable string
	flag     string // empty for none
	negation string // flag that is the same as flag=false; empty for none
	about    string // one sentence
	example  string // for the file of doctor --init when the default shows as nothing
	set      func(p *parser, s *settings, from origin, text string)
	show     func(s *settings) string // "" leaves it out

	// Of a section whose keys are free, and which a configuration alone can
	// give, there is instead:
	within func(key string) setting   // the setting of a key below it
	given  func(s *settings) []string // those that are set, sorted
}

// settingOf returns the setting of a key, which the table must have.
func settingOf(table []setting, key string) setting {
	at := slices.IndexFunc(table, func(t setting) bool {
		return t.key == key || t.within != nil && strings.HasPrefix(key, t.key+".")
	})
	if t := table[at]; t.within != nil {
		return t.within(key)
	}
	return table[at]
}

// Keys that code names.
const (
	keyModel    = "models.default"
	keyFallback = modelsPrefix + "fallback"
	keyMemory   = "memory"

	keySearchTool = "research.search_tool"

	modelsPrefix = "models."

	keyFilesPrefix = "key_files."
)

// settingTable lists the settings, in the order in which they are shown.
func settingTable(a *cli.App) ([]setting, error) {
	set, err := skills.Load(nil)
	if err != nil {
		return nil, err
	}
	table := []setting{{
		key: "corpus", flag: "corpus", about: "The corpus that answers.",
		set:  func(p *parser, s *settings, from origin, text string) { s.corpus = p.corpus(from, text) },
		show: func(s *settings) string { return s.corpus },
	}, {
		key: "confidence_threshold", variable: envThreshold, flag: "confidence-threshold", about: "The confidence above 0 and up to 1 that a step needs.",
		set:  func(p *parser, s *settings, from origin, text string) { s.threshold = p.threshold(from, text) },
		show: func(s *settings) string { return strconv.FormatFloat(s.threshold, 'g', -1, 64) },
	}, {
		key: "skip_injection_check", variable: envSkipInjection, flag: "skip-injection-check", about: "Research a question without judging it first.",
		set:  func(p *parser, s *settings, from origin, text string) { s.skipInjection = p.boolean(from, text) },
		show: func(s *settings) string { return strconv.FormatBool(s.skipInjection) },
	}, {
		key: keySearchTool, flag: "search-tool", about: "Let the model that writes an answer search for more passages by itself and, in a session, have causal edges verified; offline cannot.",
		set:  func(p *parser, s *settings, from origin, text string) { s.searchTool = p.boolean(from, text) },
		show: func(s *settings) string { return strconv.FormatBool(s.searchTool) },
	}, {
		key: keyMemory, flag: "memory", negation: "no-memory", about: "Use and keep earlier answers to the same question; a session does by default.",
		set:  func(p *parser, s *settings, from origin, text string) { s.memory = p.boolean(from, text) },
		show: func(s *settings) string { return strconv.FormatBool(s.memory) },
	}, {
		key: "skills", flag: "skills", about: "A directory whose *.md files replace embedded skills; relative to this file.", example: "skills",
		set: func(p *parser, s *settings, from origin, text string) {
			s.skills = from.path(p.text(from, text, "a directory"))
		},
		show: func(s *settings) string { return s.skills },
	}, {
		key: keyModel, variable: "ASSAY_MODEL", flag: "model", about: "The model of all skills without their own.",
		set:  func(p *parser, s *settings, from origin, text string) { s.model = p.model(a, from, text) },
		show: func(s *settings) string { return s.model },
	}, {
		key: keyFallback, about: "The model that is asked when one of a provider fails after its retries; none is by default.", example: "offline",
		set:  func(p *parser, s *settings, from origin, text string) { s.fallback = p.model(a, from, text) },
		show: func(s *settings) string { return s.fallback },
	}}
	for _, r := range roles {
		table = append(table, modelSetting(a, r.name, r.about+": "+joined(r.skills)+"."))
	}
	for _, name := range set.Names() {
		table = append(table, modelSetting(a, name, "The model of this skill alone."))
	}
	for _, p := range providers {
		if p.keyVariable != "" && p.keyURL != "" {
			table = append(table, keySetting(p))
		}
	}
	table = append(table, verificationTable()...)
	table = append(table, groundingTable()...)
	table = append(table, vertexTable()...)
	table = append(table, anthropicTable()...)
	table = append(table, lookupTable()...)
	table = append(table, limitTable()...)
	table = append(table, pricesSetting(a))
	table = append(table, telemetryTable()...)
	for i := range table {
		if table[i].variable == "" && table[i].within == nil {
			table[i].variable = variableOf(table[i].key)
		}
	}
	return table, nil
}

// modelSetting is the setting of the model of a skill or a role.
func modelSetting(a *cli.App, name, about string) setting {
	return setting{
		key: modelsPrefix + name, about: about, example: "offline",
		set:  func(p *parser, s *settings, from origin, text string) { s.skillModels[name] = p.model(a, from, text) },
		show: func(s *settings) string { return s.skillModels[name] },
	}
}

// keySetting is the setting of the file that holds a provider's key.
func keySetting(p provider) setting {
	return setting{
		key: keyFilesPrefix + p.name, example: p.name + ".key",
		about: "A file of mode 0600 that holds the key and nothing else; " + p.keyVariable + " comes first.",
		set: func(parse *parser, s *settings, from origin, text string) {
			path := from.path(parse.text(from, text, "a file"))
			if _, err := readKey(path); err != nil {
				parse.fail(cli.Usagef("%s: %w", from, err))
			}
			s.keyFiles[p.keyVariable] = path
		},
		show: func(s *settings) string { return s.keyFiles[p.keyVariable] },
	}
}

// vertexTable lists the settings of Vertex.
func vertexTable() []setting {
	return []setting{{
		key: "vertex.project", about: "The project that asks Gemini through Vertex, with Google's application default credentials and no key; none does by default.", example: "my-project",
		set:  func(p *parser, s *settings, from origin, text string) { s.vertex.project = p.name(from, text) },
		show: func(s *settings) string { return s.vertex.project },
	}, {
		key: "vertex.location", about: "Where Vertex answers; \"global\" by default.", example: "global",
		set:  func(p *parser, s *settings, from origin, text string) { s.vertex.location = p.name(from, text) },
		show: func(s *settings) string { return s.vertex.location },
	}}
}

// anthropicTable lists the settings of Anthropic.
func anthropicTable() []setting {
	return []setting{{
		key: "anthropic.max_tokens", about: "The limit of an answer, which Anthropic wants to be told; beyond it, the call fails.",
		set:  func(p *parser, s *settings, from origin, text string) { s.answerTokens = p.count(from, text, 1) },
		show: func(s *settings) string { return strconv.Itoa(cmp.Or(s.answerTokens, langchain.AnthropicMaxTokens)) },
	}}
}

// telemetryTable lists the settings of OpenTelemetry.
func telemetryTable() []setting {
	return []setting{{
		key: "telemetry.endpoint", variable: envOTLP, about: "The OTLP collector (HTTP) that gets spans; none does by default.", example: "http://localhost:4318",
		set: func(p *parser, s *settings, from origin, text string) {
			if err := checkEndpoint(text); err != nil {
				p.fail(cli.Usagef("%s: %w", from, err))
			}
			s.telemetry.endpoint = text
		},
		show: func(s *settings) string { return s.telemetry.endpoint },
	}, {
		key: "telemetry.content", about: "Spans hold prompts, answers and queries, too.",
		set:  func(p *parser, s *settings, from origin, text string) { s.telemetry.content = p.boolean(from, text) },
		show: func(s *settings) string { return strconv.FormatBool(s.telemetry.content) },
	}}
}

// checkEndpoint refuses addresses that are none. What it is given may be
// shown later, so that it must not hold credentials.
func checkEndpoint(text string) error {
	u, err := url.Parse(text)
	switch {
	case err != nil: // whose text would show the address
		return errors.New("it is no address; write one such as http://localhost:4318")
	case u.User != nil:
		return errors.New("it must not hold credentials; put headers into OTEL_EXPORTER_OTLP_HEADERS")
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "":
		return fmt.Errorf("it is %q: write the address of an OTLP collector, such as http://localhost:4318", text)
	}
	return nil
}

// known lists the variables that the program reads, in the order of the help.
func known(e cli.Environment, table []setting) []string {
	names := []string{cli.EnvHome, cli.EnvConfig}
	for _, t := range table {
		if t.variable != "" {
			names = append(names, t.variable)
		}
	}
	for _, p := range providers {
		for _, name := range []string{p.keyVariable, p.urlVariable} {
			if name != "" && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// offersEdges reports whether the model that writes answers may call verify_edge.
func (s settings) offersEdges() bool { return s.inSession && s.searchTool }

const (
	envSkipInjection = "SKIP_INJECTION_CHECK"
	envThreshold     = "EVAL_CONFIDENCE_THRESHOLD"
	envOTLP          = "OTEL_EXPORTER_OTLP_ENDPOINT"
)
