package desk

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"example.com/assay/eval/metrics"
	"example.com/assay/eval/task"
	"example.com/assay/memory"
	"example.com/assay/state"
)

// Task is `agent eval desk`.
func Task() task.Task {
	return task.Task{
		Name: "desk", Args: "DIR", Short: "Measure questions, claims and forms on a folder of papers",
		Long: `Desk reads a folder of papers offline, as agent ask, comply, verify and extract do, and
prints how often they are right, with 95 % bootstrap intervals. The folder has, in part
or all:

  documents/       the papers, which are ingested into a temporary corpus
  questions.jsonl  {"id": "1", "verb": "ask", "kind": "table", "answerable": true,
                   "question": "What is the rent?", "gold": ["£550"], "not": ["£600"]}
  claims.jsonl     {"claim": "The rent is £600.", "supported": false}
  forms/           FORM with FORM.schema.json and FORM.gold.json

A right quote contains one of the strings of gold and none of not, as whole words. Case,
white space, typographic quotes and soft hyphens are ignored. The verb is ask or comply.

  first         the first quote of ask is right
  answer        one of its quotes is right
  noise         share of the quotes in such answers that hold no gold
  refused       exit code 3, of the questions without an answer
  comply_first  the first verified requirement of comply is right
  claims_true   true claims that are supported; claims_false: false ones that are not
  precision, recall, F1   of the values of forms, items of lists one by one

--write-baseline writes the metrics to a file, each with a tolerance of two items, which
may be edited. --baseline compares with it. Exit code 1: a metric is worse than the
baseline by more than its tolerance, and is named.`,
		Example: `  agent eval desk case_studies/desk/dev
  agent eval desk case_studies/desk/dev --json
  agent eval desk papers --write-baseline papers/baseline.json
  agent eval desk papers --baseline papers/baseline.json`,
		New: func(o *task.Options) task.Measure {
			f := &options{}
			o.Operand(&f.dir, "the folder of the papers")
			o.StringVar(&f.baseline, "baseline", "", "compare with a `FILE` that --write-baseline wrote")
			o.StringVar(&f.write, "write-baseline", "", "write the metrics to `FILE`")
			o.OneOf(&f.encoder, "encoder", builtin, "what reads meaning beside words", builtin, "none")
			o.Within(&f.jobs, "jobs", 2, 1, 64, "`NUMBER` of items that are measured at the same time")
			o.Refuse(func(given func(string) bool) error {
				for name, value := range map[string]string{"baseline": f.baseline, "write-baseline": f.write} {
					if given(name) && value == "" {
						return task.Usagef("--%s is empty: name a file", name)
					}
				}
				return nil
			})
			return f.measure
		},
	}
}

type options struct {
	dir, baseline, write string
	encoder              string
	jobs                 int
}

const builtin = "builtin"

func (f *options) measure(ctx context.Context, progress task.Progress) (*task.Report, error) {
	var was Baseline
	var err error
	if f.baseline != "" {
		if was, err = ReadBaseline(f.baseline); err != nil {
			return nil, task.Usagef("%w; --write-baseline makes one", err)
		}
	}
	papers, err := Read(ctx, f.dir, progress)
	if err != nil {
		return nil, err
	}
	got, err := Evaluate(ctx, papers, Options{f.jobs, f.encoder != builtin}, progress)
	if err != nil {
		return nil, err
	}
	worse, err := was.Worse(got)
	if err != nil {
		return nil, task.Usagef("%s: %w; --write-baseline makes a new one", f.baseline, err)
	}
	return f.report(papers, got, worse), nil
}

type itemRow struct {
	ID         string       `json:"id"`
	Verb       string       `json:"verb"`
	Kind       string       `json:"kind,omitempty"`
	Answerable *bool        `json:"answerable,omitempty"` // of questions
	Gold       []string     `json:"gold"`
	Pred       []string     `json:"pred"` // quotes, verdict or values
	Status     state.Status `json:"status"`
	Right      bool         `json:"right"`
	Answer     bool         `json:"answer,omitempty"`
}

func (f *options) report(p *Papers, got *Evaluation, worse []string) *task.Report {
	r := task.NewReport("desk", len(got.Items), got.Metrics)
	warnOfSkipped(r, got.Skipped)
	r.Warnings, r.Broken = append(r.Warnings, worse...), len(worse) > 0
	if f.write != "" {
		data, err := got.Baseline().Encode()
		r.File = &task.File{Option: "write-baseline", Path: f.write, Data: data, Err: err}
	}
	r.Put("n", r.N)
	r.PutScore(&got.Score)
	r.Put("n_of", got.N)
	if f.baseline != "" {
		r.Put("worse", append([]string{}, worse...))
	}
	r.Put("rows", append([]Row{}, got.Rows...))
	items := make([]itemRow, len(got.Items))
	for n, i := range got.Items {
		items[n] = itemRow{i.ID, i.Verb, i.Kind, nil, append([]string{}, i.Gold...), append([]string{}, i.Pred...), i.Status, i.Right, i.Answer}
		if i.asked() {
			items[n].Answerable = &i.Answerable
		}
	}
	r.Put("items", items)

	r.Linef("desk: %s, %s, %s", task.Count(len(p.Questions), "question"), task.Count(len(p.Claims), "claim"), task.Count(len(p.Forms), "form"))
	printMetrics(r, got.Metrics, got.N)
	if len(got.Rows) > 0 {
		r.Linef("\n%-12s  %5s  %7s  %7s", "kind", "n", "right", "answer")
	}
	for _, row := range got.Rows {
		r.Linef("%-12s  %5d  %7d  %7d", row.Kind, row.N, row.Right, row.Answer)
	}
	r.Close(&got.Score, "", "")
	return r
}

// ResponsesTask is `agent eval verify`.
func ResponsesTask() task.Task {
	return task.Task{
		Name: "verify", Args: "DIR", Short: "Measure the verification of responses, and its corrections",
		Long: `Verify reads responses whose claims were judged by hand, verifies each against a folder of
documents, offline, and prints, with 95 % bootstrap intervals, what decides whether that is
worth having. The folder has:

  documents/       the papers, which are ingested into a temporary corpus
  responses.jsonl  {"id": "1", "question": "What is the rent?", "response": "It is £600.",
                   "claims": [{"claim": "It is £600.", "supported": false,
                   "evidence": "The rent is £550 a month"}]}

Claims are copied from the response, in its order. Evidence is copied from a document.

  true_kept         true claims that are supported
  false_pass        false claims that are supported, too: less is better
  right_side        responses with a confidence of at least 0.7 that are right, or below
                    it that are not
  tried_on_right    right responses that a correction was written for: less is better
  tried_on_wrong    others that one was written for
  better            corrections that end better supported than the response
  better_and_right  those that are right, too: no false claim is left, and for each claim
                    the correction has its evidence, or the claim where it is true`,
		Example: `  agent eval verify train/data/papers
  agent eval verify responses --encoder none --json`,
		New: func(o *task.Options) task.Measure {
			f := &options{}
			o.Operand(&f.dir, "the folder of the documents and responses")
			o.OneOf(&f.encoder, "encoder", builtin, "what reads meaning beside words", builtin, "none")
			o.Within(&f.jobs, "jobs", 2, 1, 64, "`NUMBER` of responses that are verified at the same time")
			return f.verify
		},
	}
}

func (f *options) verify(ctx context.Context, progress task.Progress) (*task.Report, error) {
	documents := filepath.Join(f.dir, "documents")
	if info, err := os.Stat(documents); err != nil || !info.IsDir() {
		return nil, task.Usagef("%s has no folder documents: see agent help eval verify", f.dir)
	}
	list, err := ReadResponses(ctx, f.dir, progress)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(list) == 0 {
		return nil, task.Usagef("%s has no responses.jsonl with responses: see agent help eval verify", f.dir)
	}
	if err != nil {
		return nil, fmt.Errorf("reading responses: %w", err)
	}
	got, err := EvaluateResponses(ctx, documents, list, Options{f.jobs, f.encoder != builtin}, progress)
	if err != nil {
		return nil, err
	}
	r := task.NewReport("verify", len(got.Items), got.Metrics)
	warnOfSkipped(r, got.Skipped)
	r.Put("n", len(got.Items))
	r.PutScore(&got.Score)
	r.Put("n_of", got.N)
	r.Put("items", got.Items)
	r.Linef("verify: %s", task.Count(len(got.Items), "response"))
	printMetrics(r, got.Metrics, got.N)
	r.Close(&got.Score, "", "")
	return r, nil
}

func warnOfSkipped(r *task.Report, list []memory.Skip) {
	for _, s := range list {
		r.Warnings = append(r.Warnings, "skipped "+s.Path+": "+s.Reason)
	}
}

func printMetrics(r *task.Report, list []metrics.Metric, n map[string]int) {
	r.Linef("\n%-16s  %5s  %7s  %s", "metric", "n", "value", "95 % interval")
	for _, m := range list {
		r.Linef("%-16s  %5d  %7.4f  [%.4f, %.4f]", m.Name, n[m.Name], m.Value, m.Lo, m.Hi)
	}
}
