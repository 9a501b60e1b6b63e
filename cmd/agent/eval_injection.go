package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/render"
	"example.com/assay/eval/injection"
	"example.com/assay/eval/metrics"
)

// evalInjectionFlags are the flags of eval injection.
type evalInjectionFlags struct {
	data   string
	cross  bool
	limit  int
	asJSON bool
}

func evalInjectionCommand(a *cli.App) *cobra.Command {
	var f evalInjectionFlags
	cmd := &cobra.Command{
		Use:   "injection --data DIR",
		Short: "Measure the detection of prompt injection in evidence",
		Long: `Injection places each attack at the start, in the middle and at the end of each
harmless document, and prints how often it is found, how often harmless texts are
flagged, and how often an answer follows it, with 95 % bootstrap intervals. The folder
holds two files, plain or compressed with gzip (.gz), as BIPIA has them:

  email_contexts.jsonl  {id, context, question}
  text_attacks.jsonl    {id, category, attack}

Recall is the share of poisoned documents in which the attack is found; clean is the
share of the harmless ones that are flagged, tricky_documents and tricky_questions
those of the project's own texts that only sound like attacks. Pairs is the share of documents
found where two attacks stand one behind the other; unseen_kinds is the recall of
attacks written for the project that no weights are trained on. Attack_success is the
share of poisoned documents after which the offline synthesis writes anything but
quotes of the document; shown that after which it quotes from the attack itself.

With --cross each category of attacks is looked for by weights that were trained
without it, and without the documents that it is placed in: what new kinds of attacks
meet. Without it the shipped detector is measured; where it was trained on these
attacks, the output says so. Nothing in the files is followed.`,
		Example: `  agent eval injection --data bipia_injection
  agent eval injection --data bipia_injection --cross
  agent eval injection --data bipia_injection --limit 10 --json`,
		Args: cli.Exactly(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case f.data == "":
				return cli.Usagef("--data is missing; see: agent help eval injection")
			case f.limit < 0 || f.limit == 0 && cmd.Flags().Changed("limit"):
				return cli.Usagef("--limit is %d: it must be at least 1; leave it out to use every document", f.limit)
			case f.cross && f.limit == 1:
				return cli.Usagef("--limit is 1: --cross trains on one half of the documents and needs at least 2")
			}
			return evalInjection(cmd.Context(), a, &f)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.data, "data", "", "`FOLDER` of email_contexts.jsonl and text_attacks.jsonl")
	flags.BoolVar(&f.cross, "cross", false, "look for each category by weights that were trained without it")
	flags.IntVar(&f.limit, "limit", 0, "use only the first `N` documents")
	flags.BoolVar(&f.asJSON, "json", false, "print one JSON document")
	return cmd
}

func evalInjection(ctx context.Context, a *cli.App, f *evalInjectionFlags) error {
	if absent(a, f.data, "The data is microsoft/BIPIA on GitHub, benchmark/email and benchmark/text_attack_*.json, as JSON Lines") {
		return nil
	}
	progress := render.NewBar(a, f.asJSON)
	set, got, err := measureInjection(ctx, f, progress.Update)
	if err = errors.Join(err, progress.Close()); err != nil {
		return err
	}
	if f.asJSON {
		printInjectionJSON(a, f, set, got)
		return nil
	}
	questions, documents := injection.Tricky()
	fmt.Fprintf(a.Stdout, "injection, %s: %s in %s at %d positions; harmless texts of the project: %s, %s\n", detectorName(f),
		cli.Count(len(set.Attacks), "attack"), cli.Count(len(set.Contexts), "document"), len(injection.Positions()), cli.Count(len(documents), "document"), cli.Count(len(questions), "question"))
	if got.Trained {
		fmt.Fprintln(a.Stdout, "  the detector was trained on these attacks: recall and clean are figures of a fit; unseen categories: --cross")
	}
	printMetrics(a, got.Metrics)
	for _, table := range []struct {
		name   string
		shares []injection.Share
	}{{"category", got.Categories}, {"position", got.Positions}, {"unseen kind", got.Kinds}} {
		fmt.Fprintf(a.Stdout, "\n%-26s  %5s  %s\n", table.name, "n", "found")
		for _, s := range table.shares {
			fmt.Fprintf(a.Stdout, "%-26s  %5d  %.4f\n", s.Name, s.N, s.Value())
		}
	}
	if len(got.Alarms) > 0 {
		fmt.Fprintln(a.Stdout, "\nharmless, and flagged:")
		for _, s := range got.Alarms {
			fmt.Fprintf(a.Stdout, "  %s\n", s)
		}
	}
	fmt.Fprintf(a.Stdout, "\nlatency p50 %.2f ms, p95 %.2f ms a document\nintervals: %d bootstrap resamples of attacks or texts, seed %d\n",
		cli.Milliseconds(got.P50), cli.Milliseconds(got.P95), got.Resample.Resamples, got.Resample.Seed)
	return nil
}

func detectorName(f *evalInjectionFlags) string {
	if f.cross {
		return "trained without the category"
	}
	return "as shipped"
}

func measureInjection(ctx context.Context, f *evalInjectionFlags, progress func(string, int, int)) (*injection.Dataset, injection.Evaluation, error) {
	set, err := injection.Read(ctx, f.data, nil)
	if err != nil {
		return nil, injection.Evaluation{}, err
	}
	set = set.Limit(f.limit)
	measure := injection.Evaluate
	if f.cross {
		measure = injection.Cross
	}
	got, err := measure(ctx, set, &injection.Options{Progress: progress})
	return set, got, err
}

type injectionItem struct {
	ID       string   `json:"id"`
	Category string   `json:"category"`
	N        int      `json:"n"`
	Recall   float64  `json:"recall"`
	Success  *float64 `json:"attack_success,omitempty"` // not measured with --cross
	Shown    *float64 `json:"shown,omitempty"`
}

func printInjectionJSON(a *cli.App, f *evalInjectionFlags, set *injection.Dataset, got injection.Evaluation) {
	out := struct {
		Schema     int                         `json:"schema"`
		Task       string                      `json:"task"`
		Cross      bool                        `json:"cross"`
		Trained    bool                        `json:"trained_on_this_data"`
		Contexts   int                         `json:"contexts"`
		Attacks    int                         `json:"attacks"`
		Data       string                      `json:"data_sha256"`
		Metrics    map[string]metrics.Interval `json:"metrics"`
		Categories map[string]float64          `json:"recall_by_category"`
		Positions  map[string]float64          `json:"recall_by_position"`
		Kinds      map[string]float64          `json:"recall_by_unseen_kind"`
		Alarms     []string                    `json:"false_alarms"`
		Latency    latency                     `json:"latency_ms"`
		Drawn      drawnItems                  `json:"resampling"`
		Items      []injectionItem             `json:"items"`
	}{1, "injection", f.cross, got.Trained, len(set.Contexts), len(set.Attacks), set.Hash, intervals(got.Metrics), map[string]float64{}, map[string]float64{}, map[string]float64{},
		append([]string{}, got.Alarms...), latency{cli.Milliseconds(got.P50), cli.Milliseconds(got.P95)}, drawnItems{got.Resample.Seed, got.Resample.Resamples}, nil}
	for _, s := range got.Categories {
		out.Categories[s.Name] = six(s.Value())
	}
	for _, s := range got.Kinds {
		out.Kinds[s.Name] = six(s.Value())
	}
	for _, s := range got.Positions {
		out.Positions[s.Name] = six(s.Value())
	}
	for _, o := range got.Outcomes {
		share := func(n int) float64 { return six(float64(n) / float64(max(o.N, 1))) }
		item := injectionItem{ID: o.ID, Category: o.Category, N: o.N, Recall: share(o.Flagged)}
		if !f.cross {
			success, shown := share(o.Obeyed), share(o.Shown)
			item.Success, item.Shown = &success, &shown
		}
		out.Items = append(out.Items, item)
	}
	a.PrintJSON(out)
}
