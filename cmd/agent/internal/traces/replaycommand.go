package traces

import (
	"github.com/spf13/cobra"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
)

// replayFlags are the flags of trace replay.
type replayFlags struct {
	settings                config.Flags
	from, skill, study, out string
	asJSON                  bool
}

func traceReplayCommand(a *cli.App) *cobra.Command {
	var f replayFlags
	cmd := &cobra.Command{
		Use:   "replay RUN.jsonl",
		Short: "Run a recorded run again from a point, and say what changed",
		Long: `Replay runs a pipeline again with the input, corpus and settings of a trace. Up to a
point, results are taken from the trace, without a model call or a search. From there
on the pipeline runs, and the new results are compared with the trace.

--skill FILE puts a changed prompt in the place of the skill that its front matter
names; the point is where the run first asked it. --from NODE chooses the point,
such as plan, or execute/synthesize inside another node. Tasks that ran side by
side each have their own point; a task that never reached it is taken from the
trace. Without both everything runs again: a check of determinism.

Other flags are those of the verb that wrote the trace; they override the settings
of the trace. The corpus must be the one that was read, to the byte. Remembered
answers are neither read nor written.

--case FILE takes corpus, schema and settings from a case of agent eval cases
instead, so that golden traces can be replayed.

The duration and cost of calls and the hashes of prompts do not count as changes. Exit
code 1 says that something changed.`,
		Example: `  agent trace replay run.jsonl --skill my_judge_edge.md
  agent trace replay run.jsonl --from evaluate --confidence-threshold 0.9
  agent trace replay run.jsonl --from execute/synthesize --model ollama:llama3.1 --trace again.jsonl
  agent trace replay run.jsonl
  agent trace replay case_studies/battery_ricochet/golden.jsonl --case case_studies/battery_ricochet --skill my_plan.md`,
		Args: cli.Exactly(1, "a trace file"),
		RunE: func(cmd *cobra.Command, args []string) error { return traceReplay(a, cmd, &f, args[0]) },
	}
	f.settings.RegisterPipeline(cmd)
	config.RegisterGrounding(cmd)
	f.settings.RegisterTimeout(cmd)
	f.settings.RegisterCassette(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.from, "from", "", "run from this `NODE` on")
	flags.StringVar(&f.skill, "skill", "", "a changed skill, `SKILL.md`")
	flags.StringVar(&f.study, "case", "", "take corpus, schema and settings from a case `FILE` or its folder")
	flags.StringVar(&f.out, "trace", "", "write the new run's trace to `FILE` (JSON Lines)")
	flags.BoolVar(&f.asJSON, "json", false, "print one JSON document")
	return cmd
}
