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
		a.PrintJSON(struct {
			Schema int            `json:"schema"`
			Task   string         `json:"task"`
			Models []eval.Results `json:"models"`
		}{eval.ResultsSchema, "matrix", all})
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
		err = context.Cause(ctx) // the cause of the stop, not the error of the call that it stopped
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

// keptCases keeps finished runs in a folder: runs.jsonl, and a trace of each run. Without a folder
// it keeps nothing.
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
		if err := cli.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			return r, fmt.Errorf("writing the trace: %w", err)
		}
		return r, nil
	}
}
