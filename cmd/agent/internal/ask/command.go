// Package ask is agent ask and agent resume: one question, answered from a corpus by the research
// pipeline. Sessions ask through it, too.
//
//	e, err := ask.New(ctx, a, settings, config.Cassette{}, nil)
//	answer, err := e.Ask(ctx, ask.Question{Text: "Who pays for repairs?"})
//
// It does not answer itself: package nodes/research does.
package ask

import (
	"github.com/spf13/cobra"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/cmd/agent/internal/open"
)

// Command is agent ask.
func Command(a *cli.App) *cobra.Command {
	var flags config.Flags
	var asJSON, more bool
	var traceFile, thread, open, asOf string
	cmd := &cobra.Command{
		Use:   "ask QUESTION…",
		Short: "Answer a question from a corpus, with citations",
		Long: `Ask researches a question in a corpus and answers with what it can prove.

The question is the arguments joined by spaces, or standard input for "-".
A multiple-choice question lists its options as "A. …", "(A) …" or the like.

Every sentence of the answer cites a source. Each source is listed with its file and
its place: section, page, sheet and row, slide, clause or line. -v adds how well the
answer fits the question, and what the models used.

Exit code 3: the corpus lacks evidence for the answer or a part of it, or a claim of
the answer is not supported; the answer says which. Exit code 1: the search could not
run, for example for want of a key, the network or budget.

A flag overrides a variable, a variable the configuration, and the configuration
the default. agent doctor lists each setting with its origin. The variable of the
key corpus is ASSAY_CORPUS, and so on for each key, except
` + config.EnvThreshold + ` and ` + config.EnvSkipInjection + `.

Models: offline (the default: no key, no network), openai:NAME with the key in
` + config.EnvOpenAIKey + ` (any server of that API: ` + config.EnvOpenAIURL + `), gemini:NAME with the
key in ` + config.EnvGeminiKey + `, anthropic:NAME with the key in ` + config.EnvAnthropicKey + `, ollama:NAME.
The configuration can set a model for each skill and a fallback (models), and limit
calls and cost (model_limits, prices). agent doctor checks the models.

--temporal ADDRESS has a worker answer (agent worker): the run goes on when this command or
a worker is killed, and agent resume THREAD --temporal ADDRESS follows it. It needs --store.

--record writes every model call to a file. --replay answers the same question from
that file, without a model; a call that the file lacks ends the run.`,
		Example: `  agent ask "What must a plaintiff prove for battery?"
  agent ask --corpus handbook --json "How many days of notice are needed?"
  agent ask --trace run.jsonl -v "Is an oral promise to sell land enforceable?"
  agent ask --model ollama:llama3.1 "What is consideration?"
  agent ask --model openai:gpt-4.1-mini --record run.cassette "What is consideration?"
  agent ask --replay run.cassette "What is consideration?"
  agent ask --thread lease "Who pays when a tenant leaves early?"
  agent ask --thread lease "and who pays for the repairs?"
  agent ask --more "Which benefits are there?"
  agent ask --open 1 "What does clause 7.2 say?"
  agent ask --as-of 2024-06-30 "How much is the daily allowance?"
  agent ask - < question.txt`,
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := a.Question(cmd.Context(), args, AskExample)
			a.Failed = func(err error) any { return failedAnswer(text, err) }
			if err != nil {
				return err
			}
			return run(a, cmd, &flags, Question{Text: text, Trace: traceFile, Thread: thread, AsOf: asOf, open: open, more: more}, asJSON)
		},
	}
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		a.Failed = func(err error) any { return failedAnswer("", err) }
		return cli.FlagError(cmd, err)
	})
	flags.Register(cmd, false)
	flags.RegisterTimeout(cmd)
	flags.RegisterCassette(cmd)
	config.RegisterTemporal(cmd.Flags())
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	cmd.Flags().StringVar(&traceFile, "trace", "", "write the run's trace to `FILE` (JSON Lines)")
	cmd.Flags().StringVar(&open, "open", "", "open source `N` of the answer: a text at its line with $PAGER or $EDITOR, another file with $"+cli.EnvViewer+" or the system's program, a PDF at its page where the program can; without a display its path is printed; Q.N when several queries cite an N")
	cmd.Flags().BoolVar(&more, "more", false, "show further, less certain quotes; only the offline model has them")
	cmd.Flags().StringVar(&asOf, "as-of", "", "answer as of this `DATE` (2024-06-30, 2024-06 or 2024): leave out documents that hold from a later day, or until an earlier one")
	cmd.Flags().StringVar(&thread, "thread", "", "save the run as this `THREAD`, so that agent resume can continue it after a failure or a kill; the next question under it may refer to this one")
	return cmd
}

// AskExample is the example in errors about a wrong question.
const AskExample = `ask "What must a plaintiff prove for battery?"`

// ResumeCommand is agent resume.
func ResumeCommand(a *cli.App) *cobra.Command {
	var flags config.Flags
	var asJSON bool
	var traceFile string
	cmd := &cobra.Command{
		Use:   "resume THREAD",
		Short: "Continue a question that was asked with --thread",
		Long: `Resume continues the run of a thread that was stopped, failed or was killed.
Finished steps are not repeated. If the run had finished, its answer is printed.

The corpus is the thread's own. The model and the other settings come from this
command line.`,
		Example: `  agent ask --thread lease "Who pays when a tenant leaves early?"
  agent resume lease
  agent resume lease --model openai:gpt-5 --json`,
		Args: cli.Exactly(1, "the name of a thread"),
		RunE: func(cmd *cobra.Command, args []string) error {
			a.Failed = func(err error) any { return failedAnswer("", err) }
			if err := open.CheckThread("the thread", args[0]); err != nil {
				return err
			}
			return resume(a, cmd, &flags, args[0], traceFile, asJSON)
		},
	}
	flags.Register(cmd, false)
	flags.RegisterTimeout(cmd)
	flags.RegisterCassette(cmd)
	config.RegisterTemporal(cmd.Flags())
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	cmd.Flags().StringVar(&traceFile, "trace", "", "write the trace of this part of the run to `FILE` (JSON Lines)")
	return cmd
}
