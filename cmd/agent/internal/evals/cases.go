package evals

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.com/assay/cmd/agent/internal/batch"
	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/cmd/agent/internal/render"
	"example.com/assay/decide/injection"
	"example.com/assay/eval"
	"example.com/assay/graph/trace"
	"example.com/assay/llm"
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

func evalCases(a *cli.App, cmd *cobra.Command, f *evalCasesFlags, dir string) error {
	models := strings.Split(cmd.Flags().Lookup("model").Value.String(), ",")
	if err := f.mistakes(cmd, models); err != nil {
		return err
	}
	var was *eval.Results
	if f.baseline != "" {
		var err error
		if was, err = baseline(f.baseline); err != nil {
			return cli.Usagef("%w", err)
		}
	}
	cases, err := eval.FindCases(dir, f.filter)
	if err != nil {
		return err
	}
	if len(models) > 1 {
		return evalModels(a, cmd, f, cases, models)
	}
	r, err := evalModel(a, cmd, f, cases, f.out)
	if err != nil {
		return err
	}
	var changes *eval.Comparison
	if was != nil {
		c, err := eval.Compare(*was, r)
		if mismatch, ok := errors.AsType[*eval.MismatchError](err); ok {
			return cli.Usagef("%s: %w; make a new baseline with --out", f.baseline, mismatch)
		}
		if err != nil {
			return err
		}
		changes = &c
	}
	if err := f.write(a, f.out, r, changes); err != nil {
		return err
	}
	if f.asJSON {
		a.PrintJSON(open.CaseResults{Results: r, Comparison: changes})
	} else {
		printCases(a.Stdout, r)
		printChanges(a.Stdout, changes)
	}
	if changes != nil && len(changes.Regressions) > 0 || changes == nil && r.Passed < r.N {
		return cli.Silent(cli.ExitFailed)
	}
	return nil
}

// evalModels runs the cases on several models, one after the other.
func evalModels(a *cli.App, cmd *cobra.Command, f *evalCasesFlags, cases []eval.Case, models []string) error {
	var all []eval.Results
	seen := map[string]bool{}
	failed := false
	for _, model := range models {
		if model = strings.TrimSpace(model); model == "" || seen[model] {
			return cli.Usagef("--model names an empty model, or one twice")
		}
		seen[model] = true
		if err := cmd.Flags().Set("model", model); err != nil {
			return err
		}
		out := f.out
		if out != "" {
			out = filepath.Join(out, open.FileName(model))
		}
		r, err := evalModel(a, cmd, f, cases, out)
		if err != nil {
			return fmt.Errorf("model %s: %w", model, err)
		}
		if err := f.write(a, out, r, nil); err != nil {
			return err
		}
		failed = failed || r.Passed < r.N
		all = append(all, r)
	}
	if f.asJSON {
		a.PrintJSON(matrixDocument{Schema: eval.ResultsSchema, Task: "matrix", Models: all})
	} else {
		printMatrix(a.Stdout, all)
	}
	if failed {
		return cli.Silent(cli.ExitFailed)
	}
	return nil
}

// evalModel runs the cases on the model of the settings.
func evalModel(a *cli.App, cmd *cobra.Command, f *evalCasesFlags, cases []eval.Case, out string) (_ eval.Results, err error) {
	s, err := config.Resolve(a, cmd, &f.settings)
	if err != nil {
		return eval.Results{}, err
	}
	if s.Limits.Prices == nil {
		s.Limits.Prices = llm.Prices{} // so that calls without a price are counted
	}
	ctx := cmd.Context()
	x := open.PlainExchange(a, s)
	defer func() { err = cli.Also(err, x.Close()) }()
	tapes, err := x.Tapes(ctx, cmd, &f.settings, &s, cases)
	if err != nil {
		return eval.Results{}, err
	}
	runs, err := batch.OpenJournal[eval.Item](out, "runs.jsonl", "agent eval cases")
	if err != nil {
		return eval.Results{}, err
	}
	defer func() { err = cli.Also(err, runs.Close()) }()
	progress := render.NewBar(a, f.asJSON)
	items, err := runCases(ctx, a, s, x, tapes, cases, &keptCases{out, runs}, f.repeat, progress)
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx) // the cause of the stop, not the call that it hit
		if out != "" {
			err = fmt.Errorf("%w; finished runs are in %s, and the same command continues", err, out)
		}
	}
	if err = errors.Join(err, progress.Close()); err != nil {
		return eval.Results{}, err
	}
	r, err := eval.Summarise(items, eval.Made{
		Version: cli.ThisBuild().String(), Go: runtime.Version(), Machine: fmt.Sprintf("%s/%s, %s", runtime.GOOS, runtime.GOARCH, cli.Count(runtime.NumCPU(), "processor")),
		Date: a.Now().UTC().Format(time.RFC3339), Deterministic: s.ModelLabel() == "offline" || s.Replayed != "",
	})
	r.Model = s.ModelLabel()
	return r, err
}

// runCases ingests the corpora of the cases one after the other, and then runs the cases
// at the same time.
func runCases(ctx context.Context, a *cli.App, s config.Settings, x *open.Exchange, tapes *open.Tapes, cases []eval.Case, kept *keptCases, repeat int, progress *render.Bar) (_ []eval.Item, err error) {
	set, err := s.LoadSkills()
	if err != nil {
		return nil, err
	}
	home, err := os.MkdirTemp("", "agent-eval-*")
	if err != nil {
		return nil, fmt.Errorf("making a directory for the corpora: %w", err)
	}
	defer func() { err = cli.Also(err, os.RemoveAll(home)) }()
	found, err := open.NewFinder(ctx, a, s, set, x)
	if err != nil {
		return nil, err
	}
	defer func() { err = cli.Also(err, found.Close()) }()
	corpora := eval.NewCorpora(home, &eval.CorporaOptions{Open: *found.Options(), Progress: progress.Update})
	defer func() { err = cli.Also(err, corpora.Close()) }()

	bench, err := open.NewBench(a, s, eval.Deps{Model: tapes, Skills: set, Corpora: corpora, Inspect: injection.Orders})
	if err != nil {
		return nil, err
	}
	ready, err := bench.PrepareAll(ctx, cases)
	if err != nil {
		return nil, err
	}
	run := func(ctx context.Context, p *eval.Prepared) (eval.Run, error) {
		ctx = x.Controls.Budget().Begin(ctx)
		return tapes.Play(ctx, p.Case, func(ctx context.Context) (eval.Run, error) { return p.Run(ctx, nil) })
	}
	return eval.RunCases(ctx, ready, kept.tracing(run), &eval.SuiteOptions{
		Concurrency: s.Limits.Concurrency, Repeat: repeat, Kept: kept.find,
		Done: func(item eval.Item, done, total int) error {
			progress.Update("running cases", done, total)
			return kept.add(item)
		},
	})
}

// keptCases are the runs of a folder: runs.jsonl, and a trace for each. Without a
// folder nothing is kept.
type keptCases struct {
	dir  string
	runs *batch.Journal[eval.Item]
}

func keptKey(key string, repeat int) string { return fmt.Sprintf("%s.%d", key, repeat) }

func (k *keptCases) find(key string, repeat int) (eval.Item, bool) {
	return k.runs.Find(keptKey(key, repeat))
}

// add keeps a run. A failed run is not kept, so that the next command repeats it.
func (k *keptCases) add(item eval.Item) error {
	key := keptKey(item.Key, item.Repeat)
	if item.Error != "" {
		return nil
	}
	if _, old := k.runs.Find(key); old {
		return nil
	}
	return k.runs.Add(key, item)
}

// tracing writes the trace of each run: NAME.jsonl, or NAME.1.jsonl, NAME.2.jsonl for
// repeats.
func (k *keptCases) tracing(run func(context.Context, *eval.Prepared) (eval.Run, error)) func(context.Context, *eval.Prepared) (eval.Run, error) {
	if k.dir == "" {
		return run
	}
	return func(ctx context.Context, p *eval.Prepared) (eval.Run, error) {
		r, err := run(ctx, p)
		if err != nil {
			return r, err
		}
		var b strings.Builder
		if err := trace.Write(&b, r.Trace); err != nil {
			return r, err
		}
		name := p.Case.Name
		if p.Repeat > 0 {
			name = fmt.Sprintf("%s.%d", name, p.Repeat)
		}
		file := filepath.Join(k.dir, "traces", name+".jsonl")
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return r, fmt.Errorf("writing the trace: %w", err)
		}
		if err := cli.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			return r, fmt.Errorf("writing the trace: %w", err)
		}
		return r, nil
	}
}
