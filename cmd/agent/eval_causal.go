package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/render"
	"example.com/assay/eval/causal"
	"example.com/assay/eval/metrics"
)

// evalCausalFlags are the flags of eval causal.
type evalCausalFlags struct {
	files  causal.Files
	swap   bool
	limit  int
	asJSON bool
}

func evalCausalCommand(a *cli.App) *cobra.Command {
	var f evalCausalFlags
	cmd := &cobra.Command{
		Use:   "causal --format F --data FILE",
		Short: "Measure how well causal language is read",
		Long: `Causal asks the offline judge about every sentence or pair of a judged collection
and prints each metric with its 95 % bootstrap interval. Files may be compressed
with gzip. The formats are those of these collections:

  pubmed  {id, sentence, label}: no_relationship, direct_causal,
          conditional_causal (which is direct) or correlational
  cnc     {id, text, causal: 0 or 1}
  pairs   {id, text, cause, effect, causal: 0 or 1}

F1, precision, recall, balanced_accuracy, AUC and ECE are of the causal label
against the rest; accuracy and macro_F1 are over all labels. With --swap cause and
effect of each pair are exchanged, so that none is true: accepted is the share that
is taken for causal all the same, accepted_causal that of the pairs that were
causal before.

Cnc and pairs were trained on their public halves: on these files the figures are
those of a fit, and the output says so. For cross-validated ones run, in the
repository: go run ./eval/train causal --data DIR --out ''`,
		Example: `  agent eval causal --format pubmed --data sentences.jsonl
  agent eval causal --format pairs --data pairs.jsonl --swap --json`,
		Args: cli.Exactly(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.check(cmd); err != nil {
				return err
			}
			return evalCausal(cmd.Context(), a, &f)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.files.Format, "format", "", "`FORMAT` of the file: "+strings.Join(causal.Formats(), ", "))
	flags.StringVar(&f.files.Data, "data", "", "`FILE` of the sentences or pairs (JSON Lines)")
	flags.BoolVar(&f.swap, "swap", false, "exchange cause and effect of each pair; for pairs only")
	flags.IntVar(&f.limit, "limit", 0, "judge only the first `N` items")
	flags.BoolVar(&f.asJSON, "json", false, "print one JSON document")
	return cmd
}

// check refuses a command line that cannot be meant.
func (f *evalCausalFlags) check(cmd *cobra.Command) error {
	for _, need := range []struct{ flag, value string }{{"format", f.files.Format}, {"data", f.files.Data}} {
		if need.value == "" {
			return cli.Usagef("--%s is missing; see: agent help eval causal", need.flag)
		}
	}
	switch {
	case !slices.Contains(causal.Formats(), f.files.Format):
		return cli.Usagef("--format is %q%s; known: %s", f.files.Format, cli.DidYouMean(f.files.Format, causal.Formats()), strings.Join(causal.Formats(), ", "))
	case f.swap && f.files.Format != causal.FormatPairs:
		return cli.Usagef("--swap is for the format pairs; %s names no cause and effect", f.files.Format)
	case f.limit < 0 || f.limit == 0 && cmd.Flags().Changed("limit"):
		return cli.Usagef("--limit is %d: it must be at least 1; leave it out to judge every item", f.limit)
	}
	return nil
}

// causalDocument is an evaluation as --json prints it.
type causalDocument struct {
	Schema  int                         `json:"schema"`
	Task    string                      `json:"task"` // "causal"
	Format  string                      `json:"format"`
	Swapped bool                        `json:"swapped"`
	Trained bool                        `json:"trained_on_this_data"`
	N       int                         `json:"n"`
	Metrics map[string]metrics.Interval `json:"metrics"`
	Latency latency                     `json:"latency_ms"`
	Drawn   drawnItems                  `json:"resampling"`
	Items   []causalItem                `json:"items"`
}

type causalItem struct {
	ID    string  `json:"id"`
	Gold  string  `json:"gold"`
	Pred  string  `json:"pred"`
	Score float64 `json:"score"` // probability of a causal relation
}

func measureCausal(ctx context.Context, f *evalCausalFlags, progress func(string, int, int)) (set *causal.Dataset, trained bool, got causal.Evaluation, err error) {
	if set, err = causal.Read(ctx, f.files, &causal.ReadOptions{Progress: progress}); err != nil {
		return set, trained, got, err
	}
	judge, err := causal.NewOffline(f.files.Format)
	if err != nil {
		return set, trained, got, err
	}
	trained = judge.Saw(set)
	set = set.Limit(f.limit)
	if f.swap {
		set = set.Swap()
	}
	got, err = causal.Evaluate(ctx, set, judge, &causal.EvaluateOptions{Progress: progress})
	return set, trained, got, err
}

func evalCausal(ctx context.Context, a *cli.App, f *evalCausalFlags) error {
	progress := render.NewBar(a, f.asJSON)
	set, trained, got, err := measureCausal(ctx, f, progress.Update)
	if err = errors.Join(err, progress.Close()); err != nil {
		return err
	}
	if f.asJSON {
		out := causalDocument{
			Schema: 1, Task: "causal", Format: set.Format, Swapped: set.Swapped, Trained: trained, N: len(got.Outcomes), Metrics: intervals(got.Metrics),
			Latency: latency{cli.Milliseconds(got.P50), cli.Milliseconds(got.P95)}, Drawn: drawnItems{got.Resample.Seed, got.Resample.Resamples}, Items: make([]causalItem, len(got.Outcomes)),
		}
		for i, o := range got.Outcomes {
			out.Items[i] = causalItem{o.Item.ID, string(o.Item.Gold), string(o.Label), six(o.P)}
		}
		a.PrintJSON(out)
		return nil
	}
	name := set.Format
	if set.Swapped {
		name += ", cause and effect exchanged"
	}
	fmt.Fprintf(a.Stdout, "%s: n %d\n", name, len(got.Outcomes))
	if trained {
		fmt.Fprintln(a.Stdout, "  the judge was trained on these labels: these are figures of a fit; cross-validated ones: go run ./eval/train causal --data DIR --out ''")
	}
	printMetrics(a, got.Metrics)
	fmt.Fprintf(a.Stdout, "\nlatency p50 %.2f ms, p95 %.2f ms\nintervals: %d bootstrap resamples, seed %d\n", cli.Milliseconds(got.P50), cli.Milliseconds(got.P95), got.Resample.Resamples, got.Resample.Seed)
	return nil
}
