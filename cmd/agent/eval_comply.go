package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/cmd/agent/internal/render"
	"example.com/assay/eval/comply"
	"example.com/assay/eval/metrics"
	"example.com/assay/llm/offline"
	"example.com/assay/memory"
	"example.com/assay/nodes/evidence"
	"example.com/assay/skills"
)

type evalComplyFlags struct {
	files  comply.Files
	corpus string
	limit  int
	jobs   int
	asJSON bool
}

func evalComplyCommand(a *cli.App) *cobra.Command {
	var f evalComplyFlags
	cmd := &cobra.Command{
		Use:   "comply --format F --corpus FILE --data FILE",
		Short: "Measure compliance answers on judged questions",
		Long: `Comply indexes a collection in a temporary directory, asks every question of the
compliance pipeline with the offline model, checks each audit against its documents,
and prints how often answers cite a passage that people judged to answer, with 95 %
bootstrap intervals. Files may be compressed with gzip.

  obliqa      {id, doc_id, text}, {id, question, qrels}, and, with --expert,
              {id, expert_relations: [{passage_uid, relation}]}

Quotes that are not verbatim, statements without an id and ids that are not verified
are counted, and none is to be there: exit code 1 says that one is.`,
		Example: `  agent eval comply --format obliqa --corpus corpus.jsonl.gz --data questions.jsonl --limit 300`,
		Args:    cli.Exactly(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			for _, need := range []struct{ flag, value string }{{"format", f.files.Format}, {"corpus", f.corpus}, {"data", f.files.Data}} {
				if need.value == "" {
					return cli.Usagef("--%s is missing; see: agent help eval comply", need.flag)
				}
			}
			switch {
			case !slices.Contains(comply.Formats(), f.files.Format):
				return cli.Usagef("--format is %q%s; known: %s", f.files.Format, cli.DidYouMean(f.files.Format, comply.Formats()), strings.Join(comply.Formats(), ", "))
			case f.limit < 0 || f.limit == 0 && cmd.Flags().Changed("limit"):
				return cli.Usagef("--limit is %d: it must be at least 1; leave it out to ask every question", f.limit)
			case f.jobs < 1 || f.jobs > 64:
				return cli.Usagef("--jobs is %d: it must be from 1 to 64", f.jobs)
			}
			return evalComply(cmd.Context(), a, &f)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.files.Format, "format", "", "`FORMAT` of the files: "+strings.Join(comply.Formats(), ", "))
	flags.StringVar(&f.corpus, "corpus", "", "`FILE` of the passages (JSON Lines)")
	flags.StringVar(&f.files.Data, "data", "", "`FILE` of the questions (JSON Lines)")
	flags.StringVar(&f.files.Expert, "expert", "", "`FILE` of what experts found relevant (JSON Lines)")
	flags.IntVar(&f.limit, "limit", 0, "ask only the first `N` questions")
	flags.IntVar(&f.jobs, "jobs", 2, "`NUMBER` of questions that are asked at once")
	flags.BoolVar(&f.asJSON, "json", false, "print one JSON document")
	return cmd
}

func evalComply(ctx context.Context, a *cli.App, f *evalComplyFlags) error {
	progress := render.NewBar(a, f.asJSON)
	got, ingest, err := measureComply(ctx, f, progress.Update)
	if err = errors.Join(err, progress.Close()); err != nil {
		return err
	}
	if f.asJSON {
		printComplyJSON(a, f, got, ingest)
	} else {
		printComply(a, f, got, ingest)
	}
	if got.Problems > 0 {
		return cli.Silent(cli.ExitFailed)
	}
	return nil
}

func measureComply(ctx context.Context, f *evalComplyFlags, progress func(string, int, int)) (got comply.Evaluation, ingest time.Duration, err error) {
	questions, err := comply.Read(ctx, f.files, func(done, total int) { progress("reading", done, total) })
	if err != nil {
		return got, 0, err
	}
	if f.limit > 0 {
		questions = questions[:min(f.limit, len(questions))]
	}
	home, err := os.MkdirTemp("", "agent-eval-*")
	if err != nil {
		return got, 0, fmt.Errorf("making a directory for the index: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(home)) }()
	began := time.Now()
	if _, err := memory.Ingest(ctx, memory.IngestOptions{Home: home, Corpus: "eval", Paths: []string{f.corpus}, Progress: progress}); err != nil {
		return got, 0, err
	}
	ingest = time.Since(began)
	corpus, err := memory.Open(home, "eval")
	if err != nil {
		return got, ingest, err
	}
	defer func() { err = errors.Join(err, corpus.Close()) }()
	set, err := skills.Load(nil)
	if err != nil {
		return got, ingest, err
	}
	p, err := evidence.New(evidence.Deps{Model: offline.New(nil), Skills: set, Corpus: corpus, Inspect: open.Inspect}, nil)
	if err != nil {
		return got, ingest, err
	}
	ask := func(ctx context.Context, question string) (evidence.Audit, error) {
		final, err := p.Run(ctx, evidence.Input{Question: question}, nil)
		return evidence.Result(final, err, corpus), err
	}
	got, err = comply.Evaluate(ctx, questions, ask, &comply.EvaluateOptions{Jobs: f.jobs, Progress: func(done, total int) { progress("asking", done, total) }})
	return got, ingest, err
}

func printComply(a *cli.App, f *evalComplyFlags, got comply.Evaluation, ingest time.Duration) {
	fmt.Fprintf(a.Stdout, "%s: n %d\n\n%-18s  %7s  %s\n", f.files.Format, len(got.Outcomes), "metric", "value", "95 % interval")
	for _, m := range got.Metrics {
		fmt.Fprintf(a.Stdout, "%-18s  %7.4f  [%.4f, %.4f]\n", m.Name, m.Value, m.Lo, m.Hi)
	}
	fmt.Fprintf(a.Stdout, "\nquotes that are not verbatim %d · statements without an id %d · ids that are not verified %d · other problems of the audits %d\n",
		got.NotVerbatim, got.Uncited, got.Unverified, got.Problems-got.NotVerbatim)
	fmt.Fprintf(a.Stdout, "latency p50 %.0f ms, p95 %.0f ms; all in %.1f s with %d at once; indexed in %.1f s\n",
		cli.Milliseconds(got.P50), cli.Milliseconds(got.P95), got.Elapsed.Seconds(), f.jobs, ingest.Seconds())
	fmt.Fprintf(a.Stdout, "intervals: %d bootstrap resamples, seed %d\n", got.Resample.Resamples, got.Resample.Seed)
}

type complyItem struct {
	ID         string   `json:"id"`
	Gold       []string `json:"gold"`
	Pred       []string `json:"pred"` // records that the answer cites
	Result     string   `json:"result"`
	Grounding  string   `json:"grounding_confidence"`
	Verified   int      `json:"requirements_verified"`
	Statements int      `json:"statements"`
	Problems   []string `json:"problems,omitempty"`
}

func printComplyJSON(a *cli.App, f *evalComplyFlags, got comply.Evaluation, ingest time.Duration) {
	out := struct {
		Schema      int                         `json:"schema"`
		Task        string                      `json:"task"`
		Format      string                      `json:"format"`
		N           int                         `json:"n"`
		Metrics     map[string]metrics.Interval `json:"metrics"`
		NotVerbatim int                         `json:"quotes_not_verbatim"`
		Uncited     int                         `json:"statements_without_id"`
		Unverified  int                         `json:"ids_not_verified"`
		Problems    int                         `json:"problems"`
		Latency     latency                     `json:"latency_ms"`
		ElapsedMS   float64                     `json:"elapsed_ms"`
		IngestMS    float64                     `json:"ingest_ms"`
		Drawn       drawnItems                  `json:"resampling"`
		Items       []complyItem                `json:"items"`
	}{1, "comply", f.files.Format, len(got.Outcomes), intervals(got.Metrics), got.NotVerbatim, got.Uncited, got.Unverified, got.Problems,
		latency{cli.Milliseconds(got.P50), cli.Milliseconds(got.P95)}, cli.Milliseconds(got.Elapsed), cli.Milliseconds(ingest),
		drawnItems{got.Resample.Seed, got.Resample.Resamples}, make([]complyItem, len(got.Outcomes))}
	for i, o := range got.Outcomes {
		out.Items[i] = complyItem{
			ID: o.ID, Gold: o.Gold, Pred: append([]string{}, o.Cited...), Result: o.Audit.Result, Grounding: string(o.Audit.Grounding),
			Verified: len(o.Audit.Verified), Statements: len(o.Audit.Statements), Problems: o.Problems,
		}
	}
	a.PrintJSON(out)
}
