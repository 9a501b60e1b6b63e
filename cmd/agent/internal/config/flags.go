package config

import (
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/llm/offline"
)

// Flags are the flags of verbs that have settings.
type Flags struct {
	Config    string
	remembers bool          // the default of memory
	Timeout   time.Duration // of a question
	Record    string        // file that calls are recorded in; empty for none
	Replay    string        // file that answers calls; empty for none
	Traced    []entry       // settings of a run that is repeated; only flags override them
}

// Register adds the flags of all settings to a verb. By default a single question does not
// use the memory, so that asking it twice gives the same run; a session does.
func (f *Flags) Register(cmd *cobra.Command, remembers bool) {
	f.remembers = remembers
	flags := cmd.Flags()
	flags.String("corpus", DefaultCorpus, "`CORPUS` to answer from; until something is ingested into \"default\", the embedded sample answers")
	flags.Bool("memory", remembers, "use and keep earlier answers to the same question")
	flags.Bool("no-memory", false, "the same as --memory=false")
	f.RegisterPipeline(cmd)
}

// RegisterPipeline adds the flags of the research pipeline, for verbs that choose the corpus
// themselves.
func (f *Flags) RegisterPipeline(cmd *cobra.Command) {
	flags := cmd.Flags()
	f.RegisterModel(cmd)
	flags.String("confidence-threshold", "0.7", "confidence above 0 and up to 1 that a step needs")
	flags.Bool("skip-injection-check", false, "do not judge the question before researching it")
	flags.Bool("search-tool", false, "let the model that writes an answer search for more passages by itself and, in a session, have causal edges verified; offline cannot")
	flags.Bool("verification", true, "check the claims of an answer before it is shown")
	flags.Bool("no-verification", false, "the same as --verification=false")
	RegisterVerification(cmd)
}

// RegisterModel adds the flags of every verb that calls a model.
func (f *Flags) RegisterModel(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.String("model", offline.Name, "`MODEL` for all skills: offline, openai:NAME, gemini:NAME, anthropic:NAME or ollama:NAME")
	flags.StringVar(&f.Config, "config", "", "configuration `FILE` (YAML); agent doctor names the default")
	RegisterStore(flags)
	RegisterEncoder(flags)
	flags.String("skills", "", "`DIR` whose *.md files replace embedded skills of the same name")
}

// RegisterEncoder adds the flag of verbs that search or build an index.
func RegisterEncoder(flags *pflag.FlagSet) {
	flags.String(keyEncoder, BuiltinEncoder, "encoder, which finds passages by meaning: builtin (English), none, or a `FILE` of other weights; ingest with the same one")
}

// RegisterTimeout adds the flag of verbs that answer questions.
func (f *Flags) RegisterTimeout(cmd *cobra.Command) {
	cmd.Flags().DurationVar(&f.Timeout, "timeout", 0, "stop a question after this `DURATION`, such as 30s; 0 for no limit")
}

// RegisterCassette adds the flags of verbs that can record and replay model calls.
func (f *Flags) RegisterCassette(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.Record, "record", "", "write each model call with its prompt and answer to a new `FILE`, without keys")
	cmd.Flags().StringVar(&f.Replay, "replay", "", "answer model calls from a `FILE` of --record, without key or network; a call that is not in it fails")
}

// Cassette returns the cassette that a command line names.
func (f *Flags) Cassette(cmd *cobra.Command) (Cassette, error) {
	recording, replaying := cmd.Flags().Changed("record"), cmd.Flags().Changed("replay")
	switch {
	case recording && replaying:
		return Cassette{}, cli.Usagef("--record and --replay are both given; give one")
	case recording && f.Record == "":
		return Cassette{}, cli.Usagef("--record is empty: name a new file")
	case replaying && f.Replay == "":
		return Cassette{}, cli.Usagef("--replay is empty: name a file that --record wrote")
	}
	return Cassette{f.Record, f.Replay}, nil
}

// A Cassette names the file that records calls, or the file that answers them. Both are empty
// without a cassette.
type Cassette struct{ Record, Replay string }

// RegisterConditions adds the flags on which a remembered answer can depend.
func (f *Flags) RegisterConditions(cmd *cobra.Command) {
	var question cobra.Command
	f.Register(&question, true)
	question.Flags().VisitAll(func(flag *pflag.Flag) {
		if !slices.Contains([]string{"memory", "no-memory", "skip-injection-check", "show-claims"}, flag.Name) {
			cmd.Flags().AddFlag(flag)
		}
	})
}
