package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"example.com/assay/llm"
	"example.com/assay/llm/offline"
	"example.com/assay/memory"
	"example.com/assay/skills"
)

const (
	defaultCorpus    = "default"
	defaultThreshold = 0.70
	configName       = "config.yaml" // in the home directory
)

// settings are what a question is answered with.
type settings struct {
	home          string
	file          string // the configuration that was read; empty for none
	corpus        string
	model         string
	skillModels   map[string]string  // by skill; overrides model
	limits        llm.ControlOptions // of models of providers
	skills        string             // overlay directory; empty for none
	threshold     float64
	skipInjection bool
	memory        bool // use and keep earlier answers
}

// An origin says where a setting came from, in the words of messages: a
// flag, a variable, or a line of the configuration.
type origin string

// overrides are the settings that one origin gives; nil leaves the setting to
// the next one.
type overrides struct {
	corpus, model, skills *string
	threshold             *float64
	skipInjection, memory *bool
	skillModels           map[string]string
	limits                *llm.ControlOptions
}

func (o overrides) apply(s *settings) {
	set(&s.corpus, o.corpus)
	if o.model != nil || o.skillModels != nil {
		s.skillModels = o.skillModels // a model that is chosen later is for all skills
	}
	set(&s.model, o.model)
	set(&s.limits, o.limits)
	set(&s.skills, o.skills)
	set(&s.threshold, o.threshold)
	set(&s.skipInjection, o.skipInjection)
	set(&s.memory, o.memory)
}

func set[T any](to *T, v *T) {
	if v != nil {
		*to = *v
	}
}

// settingFlags are the flags of verbs that answer questions.
type settingFlags struct {
	corpus, model, config, skills, threshold string
	skipInjection, memory, noMemory          bool
	remembers                                bool // the default of memory
	timeout                                  time.Duration
}

// register adds the flags to a verb. A single question is answered afresh, so
// that asking it twice gives the same run; a session remembers.
func (f *settingFlags) register(cmd *cobra.Command, remembers bool) {
	f.remembers = remembers
	flags := cmd.Flags()
	flags.StringVar(&f.corpus, "corpus", defaultCorpus, "`NAME` of the corpus to answer from; until something is ingested into \"default\", the embedded sample answers")
	flags.StringVar(&f.model, "model", offline.Name, "`NAME` of the model for all skills: offline, openai:NAME, gemini:NAME or ollama:NAME")
	flags.StringVar(&f.config, "config", "", "configuration `FILE` (YAML); default: config.yaml in the home directory, if there is one")
	flags.StringVar(&f.skills, "skills", "", "`DIR` whose *.md files replace embedded skills of the same name")
	flags.StringVar(&f.threshold, "confidence-threshold", "0.7", "confidence above 0 and up to 1 that a step needs")
	flags.BoolVar(&f.skipInjection, "skip-injection-check", false, "do not judge the question before researching it")
	flags.BoolVar(&f.memory, "memory", remembers, "use and keep earlier answers to the same question")
	flags.BoolVar(&f.noMemory, "no-memory", false, "the same as --memory=false")
	flags.DurationVar(&f.timeout, "timeout", 0, "stop a question after this `DURATION`, such as 30s; 0 never does")
}

// resolve puts the settings together: flags before variables before the
// configuration before defaults. Every value is checked where it stands, so
// that a message names its origin.
func (a *app) resolve(cmd *cobra.Command, f *settingFlags) (settings, error) {
	s := settings{corpus: defaultCorpus, model: offline.Name, threshold: defaultThreshold, memory: f.remembers}
	var err error
	if s.home, err = a.env.home(); err != nil {
		return s, err
	}
	if f.timeout < 0 {
		return s, usagef("--timeout is %v: it must be positive, or 0 for no limit", f.timeout)
	}
	file, err := a.fromFile(cmd, f, &s)
	if err != nil {
		return s, err
	}
	env, err := a.fromEnvironment()
	if err != nil {
		return s, err
	}
	flags, err := a.fromFlags(cmd, f)
	if err != nil {
		return s, err
	}
	for _, layer := range []overrides{file, env, flags} {
		layer.apply(&s)
	}
	return s, nil
}

// fromFile reads the configuration: that of the flag or the variable, which
// must exist, or the one in the home directory, if there is one.
func (a *app) fromFile(cmd *cobra.Command, f *settingFlags, s *settings) (overrides, error) {
	named, from := a.env.get(envConfig), envConfig
	if cmd.Flags().Changed("config") {
		named, from = f.config, "--config"
		if named == "" {
			return overrides{}, usagef("--config is empty: name a file")
		}
	}
	path := named
	if path == "" {
		path = filepath.Join(s.home, configName)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		if named == "" && errors.Is(err, fs.ErrNotExist) {
			return overrides{}, nil
		}
		if named == "" {
			from = "configuration"
		}
		return overrides{}, usagef("reading %s: %w", from, err)
	}
	s.file = path
	return a.parseConfig(path, data)
}

func (a *app) fromEnvironment() (overrides, error) {
	var o overrides
	var p parser
	if v := a.env.get(envCorpus); v != "" {
		o.corpus = p.corpus(envCorpus, v)
	}
	if v := a.env.get(envModel); v != "" {
		o.model = p.model(a, envModel, v)
	}
	if v := a.env.get(envSkills); v != "" {
		o.skills = &v
	}
	if v := a.env.get(envThreshold); v != "" {
		o.threshold = p.threshold(envThreshold, v)
	}
	if v := a.env.get(envSkipInjection); v != "" {
		o.skipInjection = p.boolean(envSkipInjection, v)
	}
	return o, p.err
}

func (a *app) fromFlags(cmd *cobra.Command, f *settingFlags) (overrides, error) {
	var o overrides
	var p parser
	changed := cmd.Flags().Changed
	if changed("corpus") {
		o.corpus = p.corpus("--corpus", f.corpus)
	}
	if changed("model") {
		o.model = p.model(a, "--model", f.model)
	}
	if changed("skills") {
		o.skills = &f.skills
		if f.skills == "" {
			p.fail(usagef("--skills is empty: name a directory"))
		}
	}
	if changed("confidence-threshold") {
		o.threshold = p.threshold("--confidence-threshold", f.threshold)
	}
	if changed("skip-injection-check") {
		o.skipInjection = &f.skipInjection
	}
	if changed("memory") {
		o.memory = &f.memory
	}
	if changed("no-memory") {
		if changed("memory") {
			p.fail(usagef("--memory and --no-memory are both given; give one"))
		}
		keep := !f.noMemory
		o.memory = &keep
	}
	return o, p.err
}

// A parser turns the texts of settings into their values and keeps the first
// error.
type parser struct{ err error }

func (p *parser) fail(err error) {
	if p.err == nil {
		p.err = err
	}
}

// corpus checks the name here, so that a bad one is told from a missing corpus.
func (p *parser) corpus(from origin, v string) *string {
	if memory.CheckName(v) != nil {
		p.fail(usagef("%s is %q: %s", from, v, memory.NameRule))
	}
	return &v
}

func (p *parser) model(a *app, from origin, v string) *string {
	if err := a.checkModel(v); err != nil {
		p.fail(usagef("%s is %q: %w", from, v, err))
	}
	return &v
}

func (p *parser) threshold(from origin, v string) *float64 {
	x, err := strconv.ParseFloat(v, 64)
	if err != nil || !(x > 0 && x <= 1) { // also NaN
		p.fail(usagef("%s is %q: it must be a number above 0 and up to 1, such as 0.7", from, v))
	}
	return &x
}

func (p *parser) boolean(from origin, v string) *bool {
	b, err := strconv.ParseBool(v)
	if err != nil {
		p.fail(usagef("%s is %q: it must be 1 or 0, true or false", from, v))
	}
	return &b
}

// loadSkills reads the embedded skills and the overlay.
func (s settings) loadSkills() (*skills.Set, error) {
	set, err := skills.Load(&skills.LoadOptions{Overlay: s.skills})
	if err != nil && s.skills != "" {
		return nil, usagef("loading skills from %q: %w", s.skills, err)
	}
	return set, err
}
