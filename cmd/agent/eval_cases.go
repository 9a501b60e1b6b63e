package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"example.com/assay/eval"
	"example.com/assay/llm"
	"example.com/assay/memory"
	"example.com/assay/nodes/research"
	"example.com/assay/skills"
)

// evalCasesFlags are the flags of eval cases.
type evalCasesFlags struct {
	settings settingFlags
	filter   string
	asJSON   bool
}

func (a *app) evalCasesCommand() *cobra.Command {
	var f evalCasesFlags
	cmd := &cobra.Command{
		Use:   "cases DIR",
		Short: "Run questions with expected answers, and say what is missing",
		Long: `Cases runs each case of a folder through the pipeline and compares what came of
it with what was expected. DIR is a case itself, or each folder in it that holds
a case.yaml is one:

  pipeline: research
  corpus: ../corpora/law        # a folder or file, relative to the case
  question: What are the elements of negligence?
  skip_injection_check: false
  want:                         # what is left out is not checked
    status: answered            # answered, no_evidence, rejected, failed
    exit_code: 0                # of agent ask
    choice: C
    steps: 2                    # rows of the planning table
    failed: 1                   # of them failed
    calls: 5                    # of models
    path: [classify, plan]      # nodes, in order
    cites: [torts/negligence.md]
    contains: ["duty of care"]
    max_calls: 8
    max_cost: 0.05              # unknown cost keeps no bound
    max_latency: 30s

Corpora are ingested into a temporary directory, each content once, and nothing
is remembered. Cases run side by side, as many as models may be called at once
(model_limits.concurrency); bounds of a question hold for each case, those of a
session for all together. Cost is that of the prices in the configuration; calls
without a price are counted beside it.

With --record each case's model calls are written to DIR/<case>.cassette; with
--replay they are answered from there, without a model, key or cost. Recordings
that a case leaves are a miss. Settings must be those of the recording.

Exit code 1 says that something is missing.`,
		Example: `  agent eval cases case_studies
  agent eval cases case_studies/negligence_elements --json
  agent eval cases case_studies --filter battery
  agent eval cases my-cases --model openai:gpt-4.1-mini --record tapes
  agent eval cases my-cases --replay tapes`,
		Args: exactly(1, "the folder of the cases"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.evalCases(cmd, &f, args[0]) },
	}
	f.settings.registerPipeline(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.filter, "filter", "", "run only cases with this `TEXT` in their name")
	flags.StringVar(&f.settings.record, "record", "", "write each case's model calls to a new file in `DIR`, without keys")
	flags.StringVar(&f.settings.replay, "replay", "", "answer model calls from the files in a `DIR` of --record, without key or cost")
	flags.BoolVar(&f.asJSON, "json", false, "print one JSON document")
	return cmd
}

func (a *app) evalCases(cmd *cobra.Command, f *evalCasesFlags, dir string) (err error) {
	s, err := a.resolve(cmd, &f.settings)
	if err != nil {
		return err
	}
	cases, err := eval.FindCases(dir, f.filter)
	if err != nil {
		return err
	}
	if s.limits.Prices == nil {
		s.limits.Prices = llm.Prices{} // so that what has no price is counted
	}
	ctx := cmd.Context()
	x := a.newExchange(s)
	tapes, err := x.openTapes(ctx, cmd, &f.settings, &s, cases)
	if err != nil {
		return err
	}
	opts, err := a.pipelineOptions(s)
	if err != nil {
		return err
	}
	progress := a.newIngestProgress(f.asJSON)
	outcomes, err := a.runCases(ctx, s, *opts, x, tapes, cases, progress)
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx) // what stopped it, not who met it
	}
	if err = errors.Join(err, progress.close()); err != nil {
		return err
	}
	summary, err := eval.Summarise(outcomes, nil)
	if err != nil {
		return err
	}
	if f.asJSON {
		a.printCasesJSON(s.modelLabel(), outcomes, summary)
	} else {
		a.printCases(s.modelLabel(), outcomes, summary)
	}
	if summary.Passed < summary.N {
		return silent(exitFailed)
	}
	return nil
}

// runCases ingests what the cases are about, one corpus after the other, and
// then runs them side by side.
func (a *app) runCases(ctx context.Context, s settings, opts research.Options, x *exchange, tapes *tapes, cases []eval.Case, progress *ingestProgress) (_ []eval.Outcome, err error) {
	set, err := s.loadSkills()
	if err != nil {
		return nil, err
	}
	home, err := os.MkdirTemp("", "agent-eval-*")
	if err != nil {
		return nil, fmt.Errorf("making a directory for the corpora: %w", err)
	}
	defer func() { err = also(err, os.RemoveAll(home)) }()
	found, err := a.openFinder(ctx, s, set, x)
	if err != nil {
		return nil, err
	}
	defer func() { err = also(err, found.close()) }()
	corpora := eval.NewCorpora(home, &eval.CorporaOptions{Open: *found.options(), Progress: progress.update})
	defer func() { err = also(err, corpora.Close()) }()

	ready := map[string]readyCase{}
	for _, c := range cases {
		if ready[c.Name], err = prepare(ctx, c, set, corpora, tapes, opts); err != nil {
			return nil, fmt.Errorf("preparing case %q: %w", c.Name, err)
		}
	}
	run := func(ctx context.Context, c eval.Case) (eval.Run, error) {
		r := ready[c.Name]
		ctx = x.controls.Budget().Begin(ctx)
		return tapes.play(ctx, c, func(ctx context.Context) (eval.Run, error) {
			return eval.RunCase(ctx, c, r.pipeline, set, r.corpus, &eval.RunOptions{Model: s.modelLabel()})
		})
	}
	return eval.RunCases(ctx, cases, run, &eval.SuiteOptions{
		Concurrency: s.limits.Concurrency,
		Done:        func(_ eval.Outcome, done, total int) { progress.update("running cases", done, total) },
	})
}

// A readyCase is what a case is run with.
type readyCase struct {
	corpus   *memory.Corpus
	pipeline *research.Pipeline
}

// prepare ingests what a case is about and compiles its pipeline, which
// remembers nothing.
func prepare(ctx context.Context, c eval.Case, set *skills.Set, corpora *eval.Corpora, model llm.Model, opts research.Options) (readyCase, error) {
	corpus, err := corpora.Open(ctx, c.CorpusDir())
	if err != nil {
		return readyCase{}, err
	}
	opts.SkipInjectionCheck = opts.SkipInjectionCheck || c.SkipInjectionCheck
	p, err := research.New(research.Deps{Model: model, Skills: set, Corpus: corpus, Inspect: ordersIn}, &opts)
	return readyCase{corpus, p}, err
}
