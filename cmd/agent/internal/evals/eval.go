// Package evals is agent eval: its verbs, and the printing of results.
//
// It measures nothing itself: each measurement is a task of a package below eval.
package evals

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/render"
	"example.com/assay/eval/causal"
	"example.com/assay/eval/comply"
	"example.com/assay/eval/desk"
	"example.com/assay/eval/extract"
	"example.com/assay/eval/injection"
	"example.com/assay/eval/mcq"
	"example.com/assay/eval/obligations"
	"example.com/assay/eval/retrieval"
	"example.com/assay/eval/task"
)

// Command is agent eval.
func Command(a *cli.App) *cobra.Command {
	var verbs []*cobra.Command
	for _, t := range tasks() {
		verbs = append(verbs, taskCommand(a, t))
	}
	verbs = append(verbs, evalClaimsCommand(a), evalAnswersCommand(a), evalCasesCommand(a), evalAllCommand(a))
	return cli.Group(&cobra.Command{
		Use:   "eval",
		Short: "Measure on judged data, and run cases",
		Example: `  agent eval retrieval --format scifact --corpus corpus.jsonl.gz --queries claims.jsonl
  agent eval claims --format wice --data claims.jsonl.gz
  agent eval causal --format pairs --data pairs.jsonl
  agent eval extract --format sroie --schema receipt.json --data receipts.jsonl
  agent eval mcq --data barexam_qa
  agent eval answers --corpus handbook --data questions.jsonl
  agent eval injection --data bipia_injection
  agent eval desk case_studies/desk/dev
  agent eval verify train/data/papers
  agent eval cases case_studies
  agent eval all data
  agent help eval retrieval`,
	}, verbs...)
}

// tasks are the measurements that need no settings.
func tasks() []task.Task {
	return []task.Task{retrieval.Task(), causal.Task(), obligations.Task(), comply.Task(), extract.Task(), mcq.Task(), injection.Task(), desk.Task(), desk.ResponsesTask()}
}

// taskCommand makes the verb of a task.
func taskCommand(a *cli.App, t task.Task) *cobra.Command {
	options, asJSON := task.NewOptions(t.Name), false
	measure := t.New(options)
	n, what := options.Operands()
	cmd := &cobra.Command{
		Use: t.Name + " " + t.Args, Short: t.Short, Long: t.Long, Example: t.Example, Args: cli.Exactly(n, what),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := errors.Join(options.Take(args), options.Check(cmd.Flags().Changed)); err != nil {
				return usageOf(err)
			}
			return runTask(cmd.Context(), a, measure, asJSON)
		},
	}
	options.VisitAll(func(f *flag.Flag) {
		known := pflag.PFlagFromGoFlag(f)
		known.Shorthand = ""
		cmd.Flags().AddFlag(known)
	})
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	return cmd
}

// usageOf turns a task's usage error into a usage error of the command.
func usageOf(err error) error {
	if refused, ok := errors.AsType[*task.UsageError](err); ok {
		return cli.Usagef("%w", refused)
	}
	return err
}

// runTask measures and prints the results.
func runTask(ctx context.Context, a *cli.App, measure task.Measure, asJSON bool) error {
	progress := render.NewBar(a, asJSON)
	r, err := measure(ctx, progress.Update)
	err = errors.Join(err, progress.Close())
	if skipped, ok := errors.AsType[*task.SkippedError](err); ok {
		a.Warn("skipped: %v. Get it and name its folder with --data", skipped)
		return nil
	}
	if err != nil {
		return usageOf(err)
	}
	for _, w := range r.Warnings {
		a.Warn("%s", w)
	}
	if f := r.File; f != nil {
		if err = f.Err; err == nil {
			err = cli.WriteFile(f.Path, f.Data, 0o644)
		}
		if err != nil { // the results are shown in any case
			err = fmt.Errorf("writing --%s %s: %w", f.Option, f.Path, err)
		}
	}
	if asJSON {
		a.PrintJSON(r)
	} else if _, failed := io.WriteString(a.Stdout, r.Text()); failed != nil {
		return failed
	}
	if err == nil && r.Broken {
		return cli.Silent(cli.ExitFailed)
	}
	return err
}
