package evals

import (
	"github.com/spf13/cobra"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
)

// evalCasesFlags are the flags of eval cases.
type evalCasesFlags struct {
	settings config.Flags
	filter   string
	repeat   int
	out      string
	baseline string
	keep     bool
	asJSON   bool
}

func evalCasesCommand(a *cli.App) *cobra.Command {
	var f evalCasesFlags
	cmd := &cobra.Command{
		Use:   "cases DIR",
		Short: "Run cases and compare the answers with the expected ones",
		Long: `Cases runs each case through its pipeline and compares the result with what was
expected. DIR is a case, the file of a case, a folder of cases that have a case.yaml
(or case.json) each, or a folder of files such as refunds.case.yaml:

  pipeline: research            # or comply, edges, extract, verify
  corpus: ../corpora/law        # a folder or file, relative to the case
  question: What are the elements of negligence?
  settings:                     # of the pipeline, if not the default
    verification_threshold: 0.8
  gold:                         # what is right: metrics are computed from it
    passages: ["torts/negligence.md#Elements"]
  want:                         # assertions; what is left out is not checked
    status: answered            # answered, no_evidence, rejected, failed
    exit_code: 0                # of the pipeline's verb
    choice: C
    steps: 2                    # rows of the planning table
    failed: 1                   # failed steps
    calls: 5                    # model calls
    path: [classify, plan]      # nodes, in order
    cites: [torts/negligence.md]
    contains: ["duty of care"]
    no_unsupported_claim: true
    metrics: {passage_recall: 1}  # at least
    max_calls: 8
    max_cost: 0.05              # an unknown cost fails
    max_latency: 30s

docs/evaluate-your-own.md explains all keys, pipeline by pipeline.

Corpora are ingested into a temporary directory, equal ones once, and no answer is
remembered. Cases run at the same time, as many as the configured model calls
(model_limits.concurrency). The budget of a question applies to each case, that of a
session to all cases together. Cost follows the prices in the configuration; calls
without a price are counted apart.

--repeat runs each case several times and reports how much the runs vary. --model with
several names, separated by commas, prints a table of cases and models.

--out writes results.json, junit.xml, summary.md, report.html and a trace of each run
to DIR. A finished case is not run again while nothing that it depends on changes.

--keep adds the results to those in the folder evals of ASSAY_HOME. The page of agent
serve shows them: each report, and the figures over time.

--baseline compares with a results.json of the same cases and corpora. The exit code
then says whether something got worse. For deterministic runs every loss counts; for
others a loss counts that a paired randomisation test finds (p < 0.05).

--record writes each case's model calls to DIR/<case>.cassette. --replay answers them
from there, without a model, key or cost, and needs the settings of the recording. A
recorded call that the case does not use counts as a miss.

Exit code 1: an expectation is not met or, with --baseline, something got worse.`,
		Example: `  agent eval cases case_studies
  agent eval cases case_studies/negligence_elements --json
  agent eval cases case_studies --filter battery
  agent eval cases my-cases --out results
  agent eval cases my-cases --baseline results/results.json
  agent eval cases my-cases --keep
  agent eval cases my-cases --model offline,openai:gpt-4.1-mini --repeat 3
  agent eval cases my-cases --model openai:gpt-4.1-mini --record tapes
  agent eval cases my-cases --replay tapes`,
		Args: cli.Exactly(1, "the folder of the cases"),
		RunE: func(cmd *cobra.Command, args []string) error { return evalCases(a, cmd, &f, args[0]) },
	}
	f.settings.RegisterPipeline(cmd)
	config.RegisterGrounding(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.filter, "filter", "", "run only cases with this `TEXT` in their name")
	flags.IntVar(&f.repeat, "repeat", 1, "run each case `NUMBER` times")
	flags.StringVar(&f.out, "out", "", "write results and reports to `DIR`, or continue there")
	flags.BoolVar(&f.keep, "keep", false, "also keep the results in the folder evals of ASSAY_HOME, which the page of agent serve shows over time")
	flags.StringVar(&f.baseline, "baseline", "", "compare with a `FILE` of earlier results")
	flags.StringVar(&f.settings.Record, "record", "", "write each case's model calls to a new file in `DIR`, without keys")
	flags.StringVar(&f.settings.Replay, "replay", "", "answer model calls from the files in a `DIR` of --record, without key or cost")
	flags.BoolVar(&f.asJSON, "json", false, "print one JSON document")
	return cmd
}

// mistakes refuses mistakes in the command line.
func (f *evalCasesFlags) mistakes(cmd *cobra.Command, models []string) error {
	set := func(name string) bool { return cmd.Flags().Changed(name) }
	switch {
	case f.repeat < 1 || f.repeat > 1000:
		return cli.Usagef("--repeat is %d: it must be from 1 to 1000", f.repeat)
	case f.repeat > 1 && (set("record") || set("replay")):
		return cli.Usagef("--repeat cannot be combined with --record or --replay: a recording holds one run, and a replay is the same each time")
	case len(models) > 1 && (set("record") || set("replay")):
		return cli.Usagef("several models cannot be combined with --record or --replay: run them one by one")
	case len(models) > 1 && set("baseline"):
		return cli.Usagef("--baseline compares one model; there are %d", len(models))
	case set("out") && f.out == "":
		return cli.Usagef("--out is empty: name a directory")
	case set("baseline") && f.baseline == "":
		return cli.Usagef("--baseline is empty: name a results.json that --out wrote")
	}
	return nil
}
