package answers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"example.com/assay/eval/metrics"
	"example.com/assay/eval/task"
	"example.com/assay/memory/text"
	"example.com/assay/state"
)

// A Desk answers the questions.
type Desk struct {
	Asker
	Model  string // its label
	Corpus string // for questions that name none
	Open   func(ctx context.Context, corpus string) error
	Close  func() error
}

// Task is `agent eval answers`. Open opens the desk that a person's settings
// describe.
func Task(open func(context.Context) (*Desk, error)) task.Task {
	return task.Task{
		Name: "answers", Args: "--data FILE", Short: "Measure answers to your own questions",
		Long: `Answers asks each question of a file as agent ask does, without the memory of
earlier questions, and prints how often the right fact is answered, with 95 %
bootstrap intervals. The file is JSON Lines, plain or compressed with gzip (.gz):

  {"id": "1", "corpus": "handbook", "type": "numeric",
   "question": "Within how many days is a refund paid?",
   "gold": ["fourteen days", "14 days"], "half": "seen"}
  {"id": "2", "question": "Who is the king of Norway?", "answerable": false}

gold is what a right quote contains: only the fact itself, one string for each
wording. The comparison ignores case, white space and typographic quotes, and matches
whole words. gold2 is for the second part of a question with two parts. corpus, type,
half and gold2 are optional. agent questions drafts such a file.

Each question is answered from the corpus that it names, or from --corpus if it names
none. With --corpus, questions that name another corpus are left out.

Of the questions that have an answer:
  answered   is answered with exit code 0
  first      gold stands in the first quote
  answer     gold stands in the answer, its list of sources left out
  source     gold stands in the text of a cited source
  R@k        gold stands in one of the first k passages of agent search
For questions without an answer, refused is the share that ends with exit code 3. For
answered questions, AUC is how well the confidence separates right answers from wrong
ones, ECE how far the confidence is from the share of right answers, and chars the
mean length of the answer. Tables by corpus and by type follow.

Tune settings on one half of the questions and report the other: --half.`,
		Example: `  agent eval answers --corpus handbook --data questions.jsonl
  agent eval answers --data questions.jsonl --half seen
  agent eval answers --data questions.jsonl --limit 20 --json
  agent eval answers --data questions.jsonl --model ollama:llama3.1`,
		New: func(o *task.Options) task.Measure {
			f := &options{open: open}
			o.StringVar(&f.data, "data", "", "`FILE` of questions (JSON Lines)")
			o.StringVar(&f.half, "half", "", "ask only questions whose half is `NAME`, such as seen or held")
			o.Refuse(func(given func(string) bool) error {
				f.oneCorpus = given("corpus")
				switch {
				case f.data == "":
					return task.Usagef("--data is missing: name a file of questions; agent questions drafts one, and agent help eval answers shows its form")
				case f.half == "" && given("half"):
					return task.Usagef("--half is empty; leave it out to ask every question")
				}
				return nil
			})
			o.Limit(&f.limit, "ask", "question", "questions")
			return f.measure
		},
	}
}

type options struct {
	open       func(context.Context) (*Desk, error)
	data, half string
	oneCorpus  bool // questions that name another are left out
	limit      int
}

func (f *options) measure(ctx context.Context, progress task.Progress) (_ *task.Report, failed error) {
	desk, err := f.open(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { failed = errors.Join(failed, desk.Close()) }()
	set, err := f.read(ctx, desk.Corpus, progress)
	if err != nil {
		return nil, err
	}
	for _, q := range set.Questions { // so that a missing corpus is reported at once, and opening is not timed
		if err := desk.Open(ctx, q.Corpus); err != nil {
			return nil, err
		}
	}
	got, err := Evaluate(ctx, set, desk, progress)
	if err != nil {
		return nil, err
	}
	return f.report(desk.Model, set, got), nil
}

// read reads the chosen questions, each with its corpus.
func (f *options) read(ctx context.Context, corpus string, progress task.Progress) (*Dataset, error) {
	set, err := Read(ctx, f.data, progress)
	if err != nil {
		return nil, err
	}
	if len(set.Questions) == 0 {
		return nil, task.Usagef("--data %s has no questions; agent questions drafts some", f.data)
	}
	if halves := set.Halves(); f.half != "" {
		if !slices.Contains(halves, f.half) {
			return nil, task.Usagef("--half is %q%s; the questions of %s have: %s", f.half, text.DidYouMean(f.half, halves), f.data, orNone(halves))
		}
		set = set.Select(func(q Question) bool { return q.Half == f.half })
	}
	var named []string
	for i, q := range set.Questions {
		if q.Corpus == "" {
			set.Questions[i].Corpus = corpus
		}
		named = append(named, set.Questions[i].Corpus)
	}
	if f.oneCorpus {
		set = set.Select(func(q Question) bool { return q.Corpus == corpus })
	}
	if len(set.Questions) == 0 {
		slices.Sort(named)
		return nil, task.Usagef("--corpus is %q, and no question of %s is asked of it; they name: %s; leave --corpus out, or take \"corpus\" out of the file", corpus, f.data, orNone(slices.Compact(named)))
	}
	set.Questions = task.First(set.Questions, f.limit)
	return set, nil
}

func orNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

type rowOf struct {
	By      string                      `json:"by"`
	Name    string                      `json:"name"`
	N       int                         `json:"n"`
	Metrics map[string]metrics.Interval `json:"metrics"`
}

type itemRow struct {
	ID         string       `json:"id"`
	Corpus     string       `json:"corpus"`
	Type       string       `json:"type,omitempty"`
	Answerable bool         `json:"answerable"`
	Status     state.Status `json:"status"`
	Confidence float64      `json:"confidence"`
	First      bool         `json:"first"`
	Answer     bool         `json:"answer"`
	Source     bool         `json:"source"`
	Rank       int          `json:"rank"` // of the first passage with gold; 0 for none of the first ten
	Chars      int          `json:"chars"`
}

func (f *options) report(model string, set *Dataset, got Evaluation) *task.Report {
	r := task.NewReport("answers", len(set.Questions), got.Metrics)
	if drafts := len(set.Select(func(q Question) bool { return q.Draft }).Questions); drafts > 0 {
		r.Warnings = []string{fmt.Sprintf("%s of %s: correct them by hand, and take \"draft\" out; the figures are of what they say now", task.Count(drafts, "draft"), task.Count(r.N, "question"))}
	}
	r.Put("model", model)
	r.Put("n", r.N)
	if f.half != "" {
		r.Put("half", f.half)
	}
	r.Put("data_sha256", set.Hash)
	r.PutScore(&got.Score)
	var rows []rowOf
	for _, row := range got.Rows {
		rows = append(rows, rowOf{row.By, row.Name, row.N, task.Intervals(row.Metrics)})
	}
	r.Put("rows", rows)
	var items []itemRow
	for _, o := range got.Outcomes {
		q := o.Question
		items = append(items, itemRow{q.ID, q.Corpus, q.Type, q.Answerable, o.Status, task.Six(o.Confidence), o.First, o.Answer, o.Source, o.Rank, o.Chars})
	}
	r.Put("items", items)

	without := len(set.Select(func(q Question) bool { return !q.Answerable }).Questions)
	r.Linef("answers, model %s: n %d, %d of them without an answer", model, r.N, without)
	r.Table(task.Names, got.Metrics)
	show(r, got.Rows)
	r.Linef("\nseconds p50 %.3f, p95 %.3f", got.P50.Seconds(), got.P95.Seconds())
	r.Drawn("")
	return r
}

// columns are those of the tables by corpus and type.
var columns = []string{"answered", "first", "answer", "source", "R@1", "R@5", "R@10", "refused"}

func show(r *task.Report, rows []Row) {
	by := ""
	for _, row := range rows {
		if row.By != by {
			by = row.By
			head := ""
			for _, name := range columns {
				head += fmt.Sprintf("  %8s", name)
			}
			r.Linef("\n%-16s  %5s%s", by, "n", head)
		}
		cells := ""
		for _, name := range columns {
			cell := "-"
			if i := slices.IndexFunc(row.Metrics, func(m metrics.Metric) bool { return m.Name == name }); i >= 0 {
				cell = fmt.Sprintf("%.4f", row.Metrics[i].Value)
			}
			cells += fmt.Sprintf("  %8s", cell)
		}
		r.Linef("%-16s  %5d%s", row.Name, row.N, cells)
	}
}
