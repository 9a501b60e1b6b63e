// Package config turns flags, variables and the configuration file into [Settings]. One table
// holds the key, variable, flag and description of each setting, and reads and shows its value.
// The three sources, agent doctor, the file that doctor --init writes and the first line of a
// trace all use that table.
//
//	s, err := config.Resolve(a, cmd, flags)
//
// It opens no model and no corpus. It reads only the configuration, skills, and the files of keys
// that the configuration names.
package config

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/internal/plainfile"
	"example.com/assay/llm"
	"example.com/assay/llm/classify"
	"example.com/assay/llm/offline"
	"example.com/assay/memory/embed"
	"example.com/assay/memory/index"
	"example.com/assay/skills"
)

const (
	DefaultCorpus    = "default"
	defaultThreshold = 0.70
	defaultToolCalls = 100
)

// Settings are what a question is answered with.
type Settings struct {
	Home          string
	File          string // the configuration that was read; empty for none
	Corpus        string
	Model         string
	SkillModels   map[string]string  // by skill or role; overrides Model
	Fallback      string             // the model for calls that failed at a provider; empty for none
	Replayed      string             // the label of the models that a cassette recorded; empty without one
	Limits        llm.ControlOptions // for the models of providers, with their prices
	AnswerTokens  int                // the token limit of Anthropic's answers; 0 for the default
	Vertex        Vertex             // serves gemini's models instead of the Gemini API
	KeyFiles      map[string]string  // files that hold keys, by the variable that overrides each
	Skills        string             // overlay directory; empty for none
	SkillFile     string             // one more skill; empty for none
	Threshold     float64
	SkipInjection bool
	SearchTool    bool // the writing model may search by itself
	InSession     bool // a session asks: with SearchTool, the model may also have edges verified
	Memory        bool // use and keep earlier answers
	Saves         bool // runs are saved in threads; the verb sets it
	Store         Store
	Index         string // where an ingest puts the index: an address, memory.InFiles, or empty to leave it
	Temporal      Temporal
	Lookup        Lookup
	BM25          index.BM25 // for corpora that are ingested
	Verification  verification
	Grounding     grounding
	Servers       map[string]*Server // MCP servers, by name
	Telemetry     struct {
		Endpoint string // where spans go; empty for nowhere
		Content  bool   // spans hold prompts, answers and queries
	}

	Origins map[string]origin // by key, of the values that are not defaults
}

// OffersEdges reports whether the model that writes answers may call verify_edge.
func (s Settings) OffersEdges() bool { return s.InSession && s.SearchTool }

// Default returns the settings that apply when nothing is configured. The defaults of the
// limits are written out, so that they can be shown.
func Default(remembers bool) Settings {
	return Settings{
		Corpus: DefaultCorpus, Lookup: Lookup{Encoder: BuiltinEncoder, Embedder: OfflineEmbedder, Cache: embed.DefaultMaxBytes >> 20, Reranker: NoReranker, Detector: Classifier{Task: classify.Injection, Key: keyDetector}}, Model: offline.Name, Threshold: defaultThreshold, Memory: remembers,
		Verification: defaultVerification(), Grounding: defaultGrounding(), BM25: index.BM25{}.Resolved(),
		SkillModels: map[string]string{}, KeyFiles: map[string]string{}, Origins: map[string]origin{},
		Limits: llm.ControlOptions{
			Concurrency: llm.DefaultLimit, Timeout: llm.DefaultTimeout,
			Retry:   llm.RetryOptions{MaxRetries: 5, Base: 2 * time.Second, JitterMax: 5 * time.Second},
			Circuit: llm.CircuitOptions{Failures: llm.DefaultCircuitFailures, Pause: llm.DefaultCircuitPause},
			Budget:  llm.BudgetOptions{MaxToolCalls: defaultToolCalls},
		},
	}
}

// An origin says where the value of a setting comes from.
type origin struct {
	Kind  string // "default", "file", "variable" or "flag"
	where string // "c.yaml:3", "ASSAY_CORPUS", "--corpus"; empty for a default
	dir   string // the folder for relative paths in the value
	name  string // its name in messages: "c.yaml:3: corpus", "ASSAY_CORPUS"
}

// String is the subject of a message about the value.
func (o origin) String() string { return o.name }

// originOf is the origin of a flag or a variable.
func originOf(kind, name string) origin { return origin{Kind: kind, where: name, name: name} }

// An entry is a setting's value as text, with its origin.
type entry struct {
	key, text string
	from      origin
}

// apply sets one layer of values: all values of one file, of the environment or of the command
// line. A layer with a model for all skills also replaces the models that lower layers set for
// single skills.
func (p *parser) apply(s *Settings, table []Setting, layer []entry) {
	given := func(key string) bool {
		return slices.ContainsFunc(layer, func(e entry) bool { return e.key == key })
	}
	if given(KeyModel) {
		for key := range s.SkillModels {
			delete(s.Origins, modelsPrefix+key)
		}
		s.SkillModels = map[string]string{}
	}
	for _, e := range layer {
		settingOf(table, e.key).set(p, s, e.from, e.text)
		s.Origins[e.key] = e.from
	}
}

// Resolve combines the settings: flags override variables, variables override the configuration,
// and the configuration overrides the defaults. Every value is checked in its layer, so that a
// message names its origin.
func Resolve(a *cli.App, cmd *cobra.Command, f *Flags) (Settings, error) {
	s := Default(f.remembers)
	var err error
	if s.Home, err = a.Env.Home(); err != nil {
		return s, err
	}
	if f.Timeout < 0 {
		return s, cli.Usagef("--timeout is %v: it must be positive, or 0 for no limit", f.Timeout)
	}
	table, err := Table(a)
	if err != nil {
		return s, err
	}
	file, err := fromFile(a, cmd, f, &s, table)
	if err != nil {
		return s, err
	}
	flags, err := fromFlags(cmd, table)
	if err != nil {
		return s, err
	}
	for _, layer := range [][]entry{file, entries(a.Env, table), f.Traced, flags} {
		if f.Replay != "" { // a cassette needs no key, so the files of keys may be missing
			layer = slices.DeleteFunc(layer, func(e entry) bool { return strings.HasPrefix(e.key, keyFilesPrefix) })
		}
		var p parser
		if p.apply(&s, table, layer); p.err != nil {
			return s, p.err
		}
	}
	return s, nil
}

// File returns the path of the configuration, and the flag or variable that names it: then the
// file must exist. From is "" for the default place, where it may be missing.
func File(a *cli.App, cmd *cobra.Command, f *Flags) (path, from string, err error) {
	if cmd.Flags().Changed("config") {
		if f.Config == "" {
			return "", "", cli.Usagef("--config is empty: name a file")
		}
		return f.Config, "--config", nil
	}
	if named := a.Env.Get(cli.EnvConfig); named != "" {
		return named, cli.EnvConfig, nil
	}
	path, err = a.Env.Config()
	return path, "", err
}

func fromFile(a *cli.App, cmd *cobra.Command, f *Flags, s *Settings, table []Setting) ([]entry, error) {
	path, from, err := File(a, cmd, f)
	if err != nil {
		return nil, err
	}
	data, err := plainfile.Read(path, 0)
	if err != nil {
		if from == "" && errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		if from == "" {
			from = "configuration"
		}
		return nil, cli.Usagef("reading %s: %w", from, err)
	}
	s.File = path
	return parseConfig(path, data, table)
}

// entries lists the settings that variables give, in the table's order.
func entries(e cli.Environment, table []Setting) []entry {
	var out []entry
	for _, t := range table {
		if text := e.Get(t.variable); text != "" {
			out = append(out, entry{t.key, text, originOf("variable", t.variable)})
		}
	}
	return out
}

// fromFlags lists the settings that flags give, in the table's order.
func fromFlags(cmd *cobra.Command, table []Setting) ([]entry, error) {
	var out []entry
	flags := cmd.Flags()
	for _, t := range table {
		if t.flag != "" && flags.Changed(t.flag) {
			out = append(out, entry{t.key, flags.Lookup(t.flag).Value.String(), originOf("flag", "--"+t.flag)})
		}
		if t.negation == "" || !flags.Changed(t.negation) {
			continue
		}
		if flags.Changed(t.flag) {
			return nil, cli.Usagef("--%s and --%s are both given; give one", t.flag, t.negation)
		}
		not, err := flags.GetBool(t.negation)
		if err != nil {
			return nil, err
		}
		out = append(out, entry{t.key, strconv.FormatBool(!not), originOf("flag", "--"+t.negation)})
	}
	return out, nil
}

// path returns the path that a value means: a path in a configuration is relative to that file.
func (o origin) path(text string) string {
	if o.dir == "" || text == "" || filepath.IsAbs(text) {
		return text
	}
	return filepath.Join(o.dir, text)
}

// LoadSkills reads the embedded skills and the overlay.
func (s Settings) LoadSkills() (*skills.Set, error) {
	set, err := skills.Load(&skills.LoadOptions{Overlay: s.Skills})
	if err != nil && s.Skills != "" {
		return nil, cli.Usagef("loading skills from %q: %w", s.Skills, err)
	}
	if err != nil || s.SkillFile == "" {
		return set, err
	}
	set, _, err = ReplaceSkill(set, s.SkillFile)
	if err != nil {
		return nil, cli.Usagef("loading --skill: %w", err)
	}
	return set, nil
}

// ReplaceSkill returns a set in which a file's skill replaces the skill of the same name.
func ReplaceSkill(set *skills.Set, file string) (*skills.Set, skills.Skill, error) {
	data, err := plainfile.Read(file, 0)
	if err != nil {
		return nil, skills.Skill{}, fmt.Errorf("reading skill: %w", err)
	}
	return set.Replace(file, data)
}

// variableOf is the variable of a setting: ASSAY_ and its key in capitals.
func variableOf(key string) string {
	return "ASSAY_" + strings.ToUpper(strings.ReplaceAll(key, ".", "_"))
}
