package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/render"
	"example.com/assay/eval/metrics"
	"example.com/assay/eval/obligations"
)

func evalObligationsCommand(a *cli.App) *cobra.Command {
	var data, plain string
	var n, limit int
	var seed uint64
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "obligations --data FILE",
		Short: "Measure how well obligations are told from other sentences",
		Long: `Obligations reads sentences, {id, text, obligation: true or false}, one a line, with
the shipped model, and prints each metric with its 95 % bootstrap interval. Files may
be compressed with gzip.

With --plain, sentences without any word of duty are drawn from a corpus of {text}
records, and the share that is taken for an obligation is printed: a model can reach a
high F1 by flagging everything that is no advice.`,
		Example: `  agent eval obligations --data sentences.jsonl
  agent eval obligations --data sentences.jsonl --plain corpus.jsonl.gz --json`,
		Args: cli.Exactly(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case data == "":
				return cli.Usagef("--data is missing; see: agent help eval obligations")
			case limit < 0 || n < 1:
				return cli.Usagef("--limit is %d and --plain-n %d: they must be at least 1", limit, n)
			}
			return evalObligations(cmd.Context(), a, data, plain, limit, &obligations.PlainOptions{N: n, Seed: seed}, asJSON)
		},
	}
	f := cmd.Flags()
	f.StringVar(&data, "data", "", "`FILE` of the sentences (JSON Lines)")
	f.StringVar(&plain, "plain", "", "`FILE` of records from which sentences without a word of duty are drawn")
	f.IntVar(&n, "plain-n", 200, "`NUMBER` of sentences that are drawn")
	f.Uint64Var(&seed, "seed", metrics.DefaultSeed, "`SEED` by which they are drawn")
	f.IntVar(&limit, "limit", 0, "read only the first `N` sentences of --data; 0 reads all")
	f.BoolVar(&asJSON, "json", false, "print one JSON document")
	return cmd
}

type obligationItem struct {
	ID    string  `json:"id"`
	Gold  string  `json:"gold"` // "true" or "false"
	Pred  string  `json:"pred"`
	Score float64 `json:"score"` // probability of an obligation
}

type plainDocument struct {
	N       int      `json:"n"`
	Of      int      `json:"of"`
	Seed    uint64   `json:"seed"`
	Share   float64  `json:"flagged_share"`
	Flagged []string `json:"flagged"`
}

func evalObligations(ctx context.Context, a *cli.App, data, plain string, limit int, opts *obligations.PlainOptions, asJSON bool) error {
	progress := render.NewBar(a, asJSON)
	watch := func(done, total int) { progress.Update("reading", done, total) }
	opts.Progress = watch
	items, err := obligations.Read(ctx, data, watch)
	if err == nil && limit > 0 {
		items = items[:min(limit, len(items))]
	}
	var got obligations.Evaluation
	if err == nil {
		got, err = obligations.Evaluate(ctx, items, nil)
	}
	var drawn *plainDocument
	if err == nil && plain != "" {
		var p obligations.PlainResult
		p, err = obligations.Plain(ctx, plain, opts)
		drawn = &plainDocument{p.N, p.Of, p.Seed, six(p.Share()), append([]string{}, p.Flagged...)}
	}
	if err = errors.Join(err, progress.Close()); err != nil {
		return err
	}
	if !asJSON {
		fmt.Fprintf(a.Stdout, "obligations: n %d\n", len(got.Outcomes))
		printMetrics(a, got.Metrics)
		if drawn != nil {
			fmt.Fprintf(a.Stdout, "\nwithout a word of duty: %d of %d sentences flagged (%.1f %%), drawn from %d, seed %d\n",
				len(drawn.Flagged), drawn.N, 100*drawn.Share, drawn.Of, drawn.Seed)
		}
		fmt.Fprintf(a.Stdout, "\nlatency p50 %.3f ms, p95 %.3f ms\nintervals: %d bootstrap resamples, seed %d\n",
			cli.Milliseconds(got.P50), cli.Milliseconds(got.P95), got.Resample.Resamples, got.Resample.Seed)
		return nil
	}
	out := struct {
		Schema  int                         `json:"schema"`
		Task    string                      `json:"task"`
		N       int                         `json:"n"`
		Metrics map[string]metrics.Interval `json:"metrics"`
		Latency latency                     `json:"latency_ms"`
		Plain   *plainDocument              `json:"plain,omitempty"`
		Drawn   drawnItems                  `json:"resampling"`
		Items   []obligationItem            `json:"items"`
	}{1, "obligations", len(got.Outcomes), intervals(got.Metrics), latency{cli.Milliseconds(got.P50), cli.Milliseconds(got.P95)}, drawn,
		drawnItems{got.Resample.Seed, got.Resample.Resamples}, make([]obligationItem, len(got.Outcomes))}
	for i, o := range got.Outcomes {
		out.Items[i] = obligationItem{o.ID, fmt.Sprint(o.Gold), fmt.Sprint(o.Pred), six(o.Score)}
	}
	a.PrintJSON(out)
	return nil
}
