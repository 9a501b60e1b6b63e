package mcq

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"example.com/assay/eval/jsonl"
	"example.com/assay/eval/metrics"
	"example.com/assay/eval/retrieval"
	"example.com/assay/eval/task"
)

// Task is `agent eval mcq`.
func Task() task.Task {
	return task.Task{
		Name: "mcq", Args: "--data DIR", Short: "Measure multiple choice by evidence",
		Long: `Mcq answers multiple-choice questions with the offline skill select_choice, and
prints each metric with its 95 % bootstrap interval. The folder holds two files,
plain or compressed with gzip (.gz), in the format barexam:

  corpus.jsonl     {id, text}
  questions.jsonl  {id, prompt, question, choices: {"A": …}, answer, gold_passage_ids}

The mode gold gives the skill the passages that decide a question; retrieval gives it
those that the index finds for the question and each choice; closed gives none.

accuracy is that of the best choice when every question must be answered; a tie counts
as a random guess among the equals. answered is the share of questions that the skill
answers by itself, right_of_answered the share of right answers among them, and
right_answers their share of all questions. ECE uses the probability of the best
choice. The curve is the share of right choices among the questions with the highest
confidence, right_of_surest_half among half of them. The skill matches words; it does
not apply the law.

--cross compares the skill with weights that are fitted in ten folds; questions that
share a passage or facts stay together. The weights read the passages and the style of
the choices: length, connective, denial, words. This shows what the data could teach.
The weights are not kept: the publisher decides on such use of the questions. And with
retrieved passages most of their gain is style, not evidence, as the mode closed shows.
over_shipped is their accuracy minus the skill's.`,
		Example: `  agent eval mcq --data barexam_qa
  agent eval mcq --data barexam_qa --modes retrieval --passages 10
  agent eval mcq --data barexam_qa --cross
  agent eval mcq --data barexam_qa --limit 50 --json`,
		New: func(o *task.Options) task.Measure {
			f := &options{modes: slices.Clone(modes)}
			o.Need(&f.data, "data", "`FOLDER` of corpus.jsonl and questions.jsonl")
			o.List(&f.modes, "modes", "`MODES` to measure: "+strings.Join(modes, ", "), modes)
			o.Within(&f.passages, "passages", defaultPassages, 1, retrieval.Deepest, "`NUMBER` of passages that the mode retrieval reads")
			o.Limit(&f.limit, "answer", "question", "questions")
			o.BoolVar(&f.cross, "cross", false, "fit weights to the questions by cross-validation, too")
			return f.measure
		},
	}
}

var modes = []string{string(Gold), string(Retrieval), string(Closed)}

type options struct {
	data     string
	modes    []string
	passages int
	limit    int
	cross    bool
}

func (f *options) measure(ctx context.Context, progress task.Progress) (*task.Report, error) {
	if err := task.Present(f.data, "The data is reglab/barexam_qa on Hugging Face (Zheng et al., CS&Law 2025), as corpus.jsonl and questions.jsonl"); err != nil {
		return nil, err
	}
	set, err := Read(ctx, Files{Corpus: jsonl.File(f.data, "corpus.jsonl"), Questions: jsonl.File(f.data, "questions.jsonl")}, progress)
	if err != nil {
		return nil, err
	}
	set.Questions = task.First(set.Questions, f.limit)
	list, err := f.measureModes(ctx, set, progress)
	if err != nil {
		return nil, err
	}
	return f.report(set, list), nil
}

// measureModes measures the modes; unless weights are cross-validated, only the shipped skill.
func (f *options) measureModes(ctx context.Context, set *Dataset, progress task.Progress) (list []crossed, failed error) {
	opts := Options{Passages: f.passages, Progress: progress}
	if slices.Contains(f.modes, string(Retrieval)) {
		ranker, release, err := indexed(ctx, set, progress)
		if err != nil {
			return nil, err
		}
		defer func() { failed = errors.Join(failed, release()) }()
		opts.Ranker = ranker
	}
	for _, mode := range f.modes {
		opts.Mode = Mode(mode)
		var got crossed
		var err error
		if f.cross {
			got, err = cross(ctx, set, &opts)
		} else {
			got.Shipped, err = Evaluate(ctx, set, NewOffline(), &opts)
		}
		if err != nil {
			return nil, err
		}
		list = append(list, got)
	}
	return list, nil
}

// indexed indexes a dataset's passages in a temporary directory, and returns a function that
// removes it.
func indexed(ctx context.Context, set *Dataset, progress task.Progress) (_ *retrieval.Index, release func() error, _ error) {
	dir, err := os.MkdirTemp("", "agent-eval-*")
	if err != nil {
		return nil, nil, fmt.Errorf("making a directory for the index: %w", err)
	}
	ranker, err := newRanker(ctx, filepath.Join(dir, "index"), set, progress)
	if err != nil {
		return nil, nil, errors.Join(err, os.RemoveAll(dir))
	}
	return ranker, func() error { return errors.Join(ranker.Close(), os.RemoveAll(dir)) }, nil
}

// A modeRow is a mode in the document.
type modeRow struct {
	Mode    string                      `json:"mode"`
	Metrics map[string]metrics.Interval `json:"metrics"`
	Curve   []pointRow                  `json:"curve"`
	Deals   []float64                   `json:"accuracy_by_deal,omitempty"` // of fitted weights
	Latency *task.Latency               `json:"latency_ms,omitempty"`       // of the shipped skill
	Items   []itemRow                   `json:"items"`
}

type pointRow struct {
	Coverage float64 `json:"coverage"`
	N        int     `json:"n"`
	metrics.Interval
}

type itemRow struct {
	ID     string  `json:"id"`
	Gold   string  `json:"gold"`
	Pred   string  `json:"pred"`   // the best choice, the first of equals
	Answer string  `json:"answer"` // the skill's answer; empty for an abstention
	Score  float64 `json:"score"`  // probability of the best choice
}

func newRow(got Evaluation) modeRow {
	row := modeRow{Mode: string(got.Mode), Metrics: task.Intervals(got.Metrics)}
	for _, p := range got.Curve {
		row.Curve = append(row.Curve, pointRow{p.Coverage, p.N, task.Rounded(p.Interval)})
	}
	for _, o := range got.Outcomes {
		row.Items = append(row.Items, itemRow{o.Question.ID, o.Question.Answer, o.Best, o.Letter, task.Six(o.Top())})
	}
	return row
}

// report shows the modes. With cross-validation the document's modes are those of the fitted
// weights, next to the shipped ones, without times, so that runs are equal.
func (f *options) report(set *Dataset, list []crossed) *task.Report {
	r := task.NewReport("mcq", len(set.Questions), nil)
	r.Put("cross", f.cross)
	r.Put("n", r.N)
	r.Put("data_sha256", set.Hash)
	r.Put("resampling", task.Resampling())
	var rows, beside []modeRow
	for _, got := range list {
		shipped, measured := newRow(got.Shipped), got.Shipped
		if !f.cross {
			latency := got.Shipped.Latency()
			shipped.Latency = &latency
			rows = append(rows, shipped)
			show(r, string(got.Shipped.Mode), got.Shipped)
			r.Linef("latency p50 %.2f ms, p95 %.2f ms\n", latency.P50, latency.P95)
		} else {
			measured = got.Fitted
			fitted := newRow(got.Fitted)
			show(r, string(got.Shipped.Mode)+", as shipped", got.Shipped)
			show(r, fmt.Sprintf("%s, fitted without the fold (%d folds)", got.Shipped.Mode, crossFolds), got.Fitted)
			deals := ""
			for _, v := range got.Deals {
				fitted.Deals = append(fitted.Deals, task.Six(v))
				deals += fmt.Sprintf(" %.4f", v)
			}
			rows, beside = append(rows, fitted), append(beside, shipped)
			r.Linef("accuracy by deal of the folds, the first above:%s\n", deals)
		}
		for _, m := range measured.Metrics {
			r.Metrics = append(r.Metrics, metrics.Metric{Name: string(measured.Mode) + "/" + m.Name, Interval: m.Interval})
		}
	}
	r.Put("modes", rows)
	if f.cross {
		r.Put("shipped", beside)
	}
	r.Drawn("")
	return r
}

func show(r *task.Report, name string, got Evaluation) {
	r.Linef("multiple choice, %s: n %d", name, len(got.Outcomes))
	r.Table(task.Names, got.Metrics)
	r.Linef("\n%-8s  %5s  %8s  %s", "coverage", "n", "accuracy", "95 % interval")
	for _, p := range got.Curve {
		r.Linef("%-8.2f  %5d  %8.4f  [%.4f, %.4f]", p.Coverage, p.N, p.Value, p.Lo, p.Hi)
	}
	r.Linef("")
}
