package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/render"
	"example.com/assay/eval/mcq"
	"example.com/assay/eval/metrics"
)

// evalMCQFlags are the flags of eval mcq.
type evalMCQFlags struct {
	data     string
	modes    []string
	passages int
	limit    int
	cross    bool
	asJSON   bool
}

func evalMCQCommand(a *cli.App) *cobra.Command {
	var f evalMCQFlags
	cmd := &cobra.Command{
		Use:   "mcq --data DIR",
		Short: "Measure multiple choice by evidence",
		Long: `Mcq answers multiple-choice questions with the offline skill select_choice, and
prints each metric with its 95 % bootstrap interval. The folder holds two files,
plain or compressed with gzip (.gz), in the format barexam:

  corpus.jsonl     {id, text}
  questions.jsonl  {id, prompt, question, choices: {"A": …}, answer, gold_passage_ids}

In the mode gold the passages that decide a question stand beside it; in retrieval
those that the index finds for the question and each of its choices; in closed none.

Accuracy is that of the best choice when every question must be answered; of equals
it counts what a guess among them would win. Answered is the share of questions that
the skill answers by itself, right_of_answered how often it is right then, and
right_answers the share of all questions that it answers rightly. ECE is of the best
choice's probability. The curve says how often the best choice is right among the
questions that it is surest of, right_of_surest_half among half of them. The match is of words; the law is not applied.

With --cross the skill stands beside weights that are fitted on nine tenths of the
questions and asked the rest, ten times; questions that share a passage or facts stay
together. They read the passages and the style of the choices: length, connective,
denial, words. It shows what the data would teach; the weights are not kept, since what
may be done with such questions is for their publisher to say, and no answer is made so:
with passages that were found most of what they reach is style, as the mode closed
shows, and not evidence. Over_shipped is their accuracy less the skill's.`,
		Example: `  agent eval mcq --data barexam_qa
  agent eval mcq --data barexam_qa --modes retrieval --passages 10
  agent eval mcq --data barexam_qa --cross
  agent eval mcq --data barexam_qa --limit 50 --json`,
		Args: cli.Exactly(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.check(cmd); err != nil {
				return err
			}
			return evalMCQ(cmd.Context(), a, &f)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.data, "data", "", "`FOLDER` of corpus.jsonl and questions.jsonl")
	flags.StringSliceVar(&f.modes, "modes", mcqModes(), "`MODES` to measure: "+strings.Join(mcqModes(), ", "))
	flags.IntVar(&f.passages, "passages", mcq.DefaultPassages, "`NUMBER` of passages that the mode retrieval reads")
	flags.IntVar(&f.limit, "limit", 0, "answer only the first `N` questions")
	flags.BoolVar(&f.cross, "cross", false, "fit weights to the questions by cross-validation, too")
	flags.BoolVar(&f.asJSON, "json", false, "print one JSON document")
	return cmd
}

func mcqModes() []string {
	var out []string
	for _, m := range mcq.Modes() {
		out = append(out, string(m))
	}
	return out
}

// check refuses a command line that cannot be meant.
func (f *evalMCQFlags) check(cmd *cobra.Command) error {
	for _, m := range f.modes {
		if !slices.Contains(mcqModes(), m) {
			return cli.Usagef("--modes has %q%s; known: %s", m, cli.DidYouMean(m, mcqModes()), strings.Join(mcqModes(), ", "))
		}
	}
	switch {
	case f.data == "":
		return cli.Usagef("--data is missing; see: agent help eval mcq")
	case len(f.modes) == 0:
		return cli.Usagef("--modes is empty; known: %s", strings.Join(mcqModes(), ", "))
	case f.passages < 1 || f.passages > deepest:
		return cli.Usagef("--passages is %d: it must be from 1 to %d", f.passages, deepest)
	case f.limit < 0 || f.limit == 0 && cmd.Flags().Changed("limit"):
		return cli.Usagef("--limit is %d: it must be at least 1; leave it out to answer every question", f.limit)
	}
	return nil
}

// dataFile is a file of a folder of data: NAME, or NAME.gz where there is only
// that.
func dataFile(dir, name string) string {
	plain := filepath.Join(dir, name)
	if _, err := os.Stat(plain); err != nil {
		if _, err := os.Stat(plain + ".gz"); err == nil {
			return plain + ".gz"
		}
	}
	return plain
}

// absent reports whether a folder of data is not there, and says where such data
// come from: measuring is skipped then, and nothing has failed.
func absent(a *cli.App, dir, what string) bool {
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		return false
	}
	a.Warn("skipped: there is no folder %s. %s; it is no part of this program. Get it and name its folder with --data", dir, what)
	return true
}

func evalMCQ(ctx context.Context, a *cli.App, f *evalMCQFlags) error {
	if absent(a, f.data, "The data is reglab/barexam_qa on Hugging Face (Zheng et al., CS&Law 2025), as corpus.jsonl and questions.jsonl") {
		return nil
	}
	progress := render.NewBar(a, f.asJSON)
	set, list, err := measureMCQ(ctx, a, f, progress.Update)
	if err = errors.Join(err, progress.Close()); err != nil {
		return err
	}
	if f.asJSON {
		printMCQJSON(a, set, f.cross, list)
		return nil
	}
	for _, got := range list {
		name := string(got.Shipped.Mode)
		if f.cross {
			name += ", as shipped"
		}
		printMCQMode(a, name, got.Shipped)
		if !f.cross {
			fmt.Fprintf(a.Stdout, "latency p50 %.2f ms, p95 %.2f ms\n\n", cli.Milliseconds(got.Shipped.P50), cli.Milliseconds(got.Shipped.P95))
			continue
		}
		printMCQMode(a, fmt.Sprintf("%s, fitted without the fold (%d folds)", got.Shipped.Mode, mcq.CrossFolds), got.Fitted)
		fmt.Fprint(a.Stdout, "accuracy by deal of the folds, the first above:")
		for _, v := range got.Deals {
			fmt.Fprintf(a.Stdout, " %.4f", v)
		}
		fmt.Fprint(a.Stdout, "\n\n")
	}
	resample := list[0].Shipped.Resample
	fmt.Fprintf(a.Stdout, "intervals: %d bootstrap resamples, seed %d\n", resample.Resamples, resample.Seed)
	return nil
}

func printMCQMode(a *cli.App, name string, got mcq.Evaluation) {
	fmt.Fprintf(a.Stdout, "multiple choice, %s: n %d\n", name, len(got.Outcomes))
	printMetrics(a, got.Metrics)
	fmt.Fprintf(a.Stdout, "\n%-8s  %5s  %8s  %s\n", "coverage", "n", "accuracy", "95 % interval")
	for _, p := range got.Curve {
		fmt.Fprintf(a.Stdout, "%-8.2f  %5d  %8.4f  [%.4f, %.4f]\n", p.Coverage, p.N, p.Value, p.Lo, p.Hi)
	}
	fmt.Fprintln(a.Stdout)
}

// measureMCQ measures the modes; without --cross only what is shipped.
func measureMCQ(ctx context.Context, a *cli.App, f *evalMCQFlags, progress func(string, int, int)) (_ *mcq.Dataset, list []mcq.Crossed, err error) {
	set, err := mcq.Read(ctx, mcq.Files{Corpus: dataFile(f.data, "corpus.jsonl"), Questions: dataFile(f.data, "questions.jsonl")}, &mcq.ReadOptions{Progress: progress})
	if err != nil {
		return nil, nil, err
	}
	set = set.Limit(f.limit)
	opts := mcq.Options{Passages: f.passages, Progress: progress}
	if slices.Contains(f.modes, string(mcq.Retrieval)) {
		dir, err := os.MkdirTemp("", "agent-eval-*")
		if err != nil {
			return nil, nil, fmt.Errorf("making a directory for the index: %w", err)
		}
		ranker, err := mcq.NewRanker(ctx, filepath.Join(dir, "index"), set, progress)
		if err != nil {
			return nil, nil, cli.Also(err, os.RemoveAll(dir))
		}
		defer func() { err = cli.Also(err, errors.Join(ranker.Close(), os.RemoveAll(dir))) }()
		opts.Ranker = ranker
	}
	for _, mode := range f.modes {
		opts.Mode = mcq.Mode(mode)
		var got mcq.Crossed
		if f.cross {
			got, err = mcq.Cross(ctx, set, &opts)
		} else {
			got.Shipped, err = mcq.Evaluate(ctx, set, mcq.NewOffline(), &opts)
		}
		if err != nil {
			return nil, nil, err
		}
		list = append(list, got)
	}
	return set, list, nil
}

// An mcqMode is what --json prints of a mode.
type mcqMode struct {
	Mode    string                      `json:"mode"`
	Metrics map[string]metrics.Interval `json:"metrics"`
	Curve   []mcqPoint                  `json:"curve"`
	Deals   []float64                   `json:"accuracy_by_deal,omitempty"` // with --cross
	Latency *latency                    `json:"latency_ms,omitempty"`       // without --cross
	Items   []mcqItem                   `json:"items"`
}

type mcqPoint struct {
	Coverage float64 `json:"coverage"`
	N        int     `json:"n"`
	metrics.Interval
}

type mcqItem struct {
	ID     string  `json:"id"`
	Gold   string  `json:"gold"`
	Pred   string  `json:"pred"`   // the best choice, the first of equals
	Answer string  `json:"answer"` // what the skill answers; empty for an abstention
	Score  float64 `json:"score"`  // probability of the best choice
}

// printMCQJSON prints the modes; with --cross those are of the fitted weights, and
// what is shipped stands beside them, without times, so that runs are alike.
func printMCQJSON(a *cli.App, set *mcq.Dataset, cross bool, list []mcq.Crossed) {
	resample := list[0].Shipped.Resample
	out := struct {
		Schema  int        `json:"schema"`
		Task    string     `json:"task"`
		Cross   bool       `json:"cross"`
		N       int        `json:"n"`
		Data    string     `json:"data_sha256"`
		Drawn   drawnItems `json:"resampling"`
		Modes   []mcqMode  `json:"modes"`
		Shipped []mcqMode  `json:"shipped,omitempty"`
	}{Schema: 1, Task: "mcq", Cross: cross, N: len(set.Questions), Data: set.Hash, Drawn: drawnItems{resample.Seed, resample.Resamples}}
	for _, got := range list {
		shipped := newMCQMode(got.Shipped)
		if !cross {
			shipped.Latency = &latency{cli.Milliseconds(got.Shipped.P50), cli.Milliseconds(got.Shipped.P95)}
			out.Modes = append(out.Modes, shipped)
			continue
		}
		fitted := newMCQMode(got.Fitted)
		for _, v := range got.Deals {
			fitted.Deals = append(fitted.Deals, six(v))
		}
		out.Modes, out.Shipped = append(out.Modes, fitted), append(out.Shipped, shipped)
	}
	a.PrintJSON(out)
}

func newMCQMode(got mcq.Evaluation) mcqMode {
	m := mcqMode{Mode: string(got.Mode), Metrics: intervals(got.Metrics)}
	for _, p := range got.Curve {
		m.Curve = append(m.Curve, mcqPoint{p.Coverage, p.N, rounded(p.Interval)})
	}
	for _, o := range got.Outcomes {
		m.Items = append(m.Items, mcqItem{o.Question.ID, o.Question.Answer, o.Best, o.Letter, six(o.Top())})
	}
	return m
}
