package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.com/assay/cmd/agent/internal/cli"
)

const (
	tracedModel       = "model" // the label of Settings.ModelLabel
	TracedFingerprint = "corpus_fingerprint"
	TracedSchema      = "schema" // the JSON Schema itself
	TracedIterations  = "max_iterations"
	TracedOpinion     = "llm_verification"
	TracedReview      = "model_review"
)

// The keys of the settings that a trace records: for every search, and for each pipeline.
var (
	SearchTraced = []string{keyEncoder, "embedder", "embedder_dimension", "reranker", "reranker_model"}
	VerifyTraced = []string{"verification.confidence_threshold", "verification.max_crag_attempts", "verification.unsupported"}
	AskTraced    = append([]string{"confidence_threshold", "skip_injection_check", KeySearchTool, keyMemory, keyVerification}, VerifyTraced...)
	CausalTraced = []string{"causal.max_judge_iterations", "causal.grounding_confidence_threshold", "causal.enable_adversarial_pass", "causal.top_k"}
)

// TracedSettings returns the settings that a trace was made with, and its models if asks. A trace
// may come from anywhere, so it can set no file and no server.
func TracedSettings(a *cli.App, path string, config map[string]string, asks bool) ([]entry, error) {
	table, err := Table(a)
	if err != nil {
		return nil, err
	}
	values := map[string]string{keyEncoder: NoEncoder} // for traces without the key
	for _, key := range slices.Concat([]string{"corpus"}, AskTraced, CausalTraced, SearchTraced) {
		if value, ok := config[key]; ok && !strings.Contains(value, "://") {
			values[key] = value
		}
	}
	if label := config[tracedModel]; asks {
		models := labelledModels(label)
		if err := checkModel(a, models[KeyModel]); err != nil {
			return nil, cli.Usagef("%s: model %q answered the run: %w; name one with --model, or a cassette with --replay", path, label, err)
		}
		maps.Copy(values, models)
	}
	var out []entry
	for _, t := range table {
		if value, ok := values[t.key]; ok {
			out = append(out, entry{t.key, value, originOf("trace", path+": "+t.key)})
		}
	}
	return out, nil
}

// labelledModels returns the settings of models that give this [Settings.ModelLabel].
func labelledModels(label string) map[string]string {
	out := map[string]string{}
	for i, part := range strings.Split(label, ", ") {
		model, skill, single := strings.Cut(part, " for ")
		second, fallback := strings.CutPrefix(part, "else ")
		switch {
		case i == 0:
			out[KeyModel] = part
		case fallback:
			out[keyFallback] = second
		case single:
			out[modelsPrefix+skill] = model
		}
	}
	return out
}

// TracedValues returns the values of these settings for a trace, and the label of the models. It
// leaves out addresses.
func (s Settings) TracedValues(a *cli.App, keys []string) (map[string]string, error) {
	table, err := Table(a)
	if err != nil {
		return nil, err
	}
	out := map[string]string{tracedModel: s.ModelLabel()}
	for _, key := range keys {
		value := settingOf(table, key).show(&s)
		if value == "" || strings.Contains(value, "://") || key == keyEncoder && value != BuiltinEncoder && value != NoEncoder {
			continue // a file of weights exists only on this machine
		}
		out[key] = value
	}
	return out, nil
}

// A Line is one setting as the doctor shows it.
type Line struct {
	Key    string `json:"key"`
	Value  string `json:"value"`
	Origin string `json:"origin"`          // "default", "file", "variable" or "flag"
	Where  string `json:"where,omitempty"` // file and line, the variable or the flag
}

// Lines lists the settings that have a value, each with its origin.
func Lines(s Settings, table []Setting) []Line {
	var out []Line
	for _, t := range expanded(s, table) {
		value := t.show(&s)
		if value == "" {
			continue
		}
		line := Line{Key: t.key, Value: value, Origin: "default"}
		if from, ok := s.Origins[t.key]; ok {
			line.Origin, line.Where = from.Kind, from.where
		}
		out = append(out, line)
	}
	return out
}

// expanded is the table with the keys that are set in place of each section with free keys.
func expanded(s Settings, table []Setting) []Setting {
	var out []Setting
	for _, t := range table {
		if t.within == nil {
			out = append(out, t)
			continue
		}
		for _, key := range t.given(&s) {
			out = append(out, t.within(key))
		}
	}
	return out
}

// CommentedConfig returns a configuration with every setting as a comment, with its default or,
// without a default, an example. Without the "#" before its keys it is a valid configuration.
func CommentedConfig(s Settings, table []Setting) string {
	var b strings.Builder
	b.WriteString(`# Configuration of agent. To set a key, remove the "#" before it and before its
# section. A variable, named in brackets, overrides this file; a flag overrides both.
# A value is the default or, where there is none, an example. agent doctor shows the
# values in force.
`)
	in := ""
	for _, t := range table {
		if t.within != nil {
			fmt.Fprintf(&b, "\n#%s:\n  # %s\n#  %s\n", t.key, t.about, t.example)
			in = t.key
			continue
		}
		section, key, ok := strings.Cut(t.key, ".")
		indent := "  "
		if !ok {
			section, key, indent = "", t.key, ""
		}
		if section != in {
			fmt.Fprintf(&b, "\n#%s:\n", section)
		} else if section == "" {
			b.WriteString("\n")
		}
		in = section
		value := t.show(&s)
		if value == "" {
			value = t.example
		}
		fmt.Fprintf(&b, "%s# %s (%s)\n#%s%s: %s\n", indent, t.about, t.variable, indent, key, value)
	}
	return b.String()
}
