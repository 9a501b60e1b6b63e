package answers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"example.com/assay/eval/metrics"
	"example.com/assay/eval/task"
	"example.com/assay/state"
)

// depth is the number of passages of a search that are examined.
const depth = 10

// An Asker answers from its corpus. Ask answers one question as a person would get it,
// without the memory of earlier questions. Search returns up to k passages, the best
// first.
type Asker interface {
	Ask(ctx context.Context, q Question) (state.Answer, error)
	Search(ctx context.Context, q Question, k int) ([]state.Passage, error)
}

// An Outcome is the result of a question.
type Outcome struct {
	Question   Question
	Status     state.Status
	Answered   bool // with exit code 0
	Refused    bool // with exit code 3: not proved, or only in part
	Confidence float64
	First      bool // gold is in the first quote
	Answer     bool // gold is in the answer without its list of sources; both parts of two
	Source     bool // gold is in the text of a cited source
	Rank       int  // of the first passage with gold, from 1; 0 for none
	Chars      int  // of the answer without its list of sources
}

// A Row holds the figures of one type or one corpus.
type Row struct {
	By      string // "type" or "corpus"
	Name    string
	N       int
	Metrics []metrics.Metric
}

// An Evaluation holds the results of an asker, outcomes in the order of the questions.
//
// Answered, first, answer, source and R@k are shares of the questions with an answer,
// refused is a share of those without one. The others are about answered questions: AUC
// is the probability that a right answer has a higher confidence than a wrong one, ECE how
// far confidence is from the share of right answers, chars the mean length. A figure
// without questions is left out.
type Evaluation struct {
	task.Score       // its times are those of answering, with the corpus open
	Rows       []Row // corpora by name, then types
	Outcomes   []Outcome
}

// Evaluate asks each question. The errors are those of the asker, which include searches
// that could not run, and cancellation.
func Evaluate(ctx context.Context, d *Dataset, asker Asker, progress task.Progress) (Evaluation, error) {
	n := len(d.Questions)
	if n == 0 {
		return Evaluation{}, errors.New("evaluating answers: there are no questions; give at least one")
	}
	out := Evaluation{Outcomes: make([]Outcome, n)}
	name := func(i int) string { return fmt.Sprintf("question %q", d.Questions[i].ID) }
	var err error
	out.Score, err = progress.Timed(ctx, "asking", n, name, func(i int) (err error) {
		out.Outcomes[i], err = ask(ctx, asker, d.Questions[i])
		return err
	})
	if err != nil {
		return Evaluation{}, err
	}
	for i, q := range d.Questions {
		if !q.Answerable {
			continue
		}
		found, err := asker.Search(ctx, q, depth)
		if err != nil {
			return Evaluation{}, fmt.Errorf("evaluating %s: %w", name(i), err)
		}
		out.Outcomes[i].Rank = 1 + slices.IndexFunc(found, func(p state.Passage) bool { return metrics.Holds(p.Text, q.Gold) })
	}
	if err := measure(&out.Score, out.Outcomes); err != nil {
		return Evaluation{}, err
	}
	out.Rows, err = rows(out.Outcomes)
	return out, err
}

func ask(ctx context.Context, asker Asker, q Question) (Outcome, error) {
	a, err := asker.Ask(ctx, q)
	if err != nil {
		return Outcome{}, err
	}
	body := Body(a.Answer)
	out := Outcome{
		Question: q, Status: a.Status, Confidence: a.Confidence, Chars: utf8.RuneCountInString(body),
		Answered: a.Status == state.StatusAnswered, Refused: a.Status == state.StatusNoEvidence || a.Status == state.StatusUngrounded,
	}
	if !out.Answered && !out.Refused && a.Status != state.StatusRejected {
		return Outcome{}, fmt.Errorf("the answer is %s: %s", a.Status, a.Error)
	}
	if q.Answerable {
		out.First = metrics.Holds(firstQuote(a), q.Gold)
		out.Answer = metrics.Holds(body, q.Gold) && (len(q.Gold2) == 0 || metrics.Holds(body, q.Gold2))
		out.Source = slices.ContainsFunc(a.Sources, func(s state.Source) bool { return metrics.Holds(s.Text, q.Gold) })
	}
	return out, nil
}

var figures = []task.Figure[Outcome]{
	{Name: "answered", Of: func(o Outcome) (task.Fraction, bool) { return task.Yes(o.Answered), o.Question.Answerable }},
	{Name: "first", Of: func(o Outcome) (task.Fraction, bool) { return task.Yes(o.First), o.Question.Answerable }},
	{Name: "answer", Of: func(o Outcome) (task.Fraction, bool) { return task.Yes(o.Answer), o.Question.Answerable }},
	{Name: "source", Of: func(o Outcome) (task.Fraction, bool) { return task.Yes(o.Source), o.Question.Answerable }},
	{Name: "R@1", Of: func(o Outcome) (task.Fraction, bool) { return o.within(1), o.Question.Answerable }},
	{Name: "R@5", Of: func(o Outcome) (task.Fraction, bool) { return o.within(5), o.Question.Answerable }},
	{Name: "R@10", Of: func(o Outcome) (task.Fraction, bool) { return o.within(depth), o.Question.Answerable }},
	{Name: "refused", Of: func(o Outcome) (task.Fraction, bool) { return task.Yes(o.Refused), !o.Question.Answerable }},
}

// within says whether a passage with gold is one of the first k.
func (o Outcome) within(k int) task.Fraction { return task.Yes(o.Rank > 0 && o.Rank <= k) }

// measure adds the figures of some outcomes, each over the questions that it is about.
func measure(to *task.Score, all []Outcome) error {
	if _, err := task.Figures(to, all, figures); err != nil {
		return err
	}
	told := pick(all, func(o Outcome) bool { return o.Answered })
	if len(told) == 0 {
		return nil
	}
	right, confidence, chars := make([]bool, len(told)), make([]float64, len(told)), make([]float64, len(told))
	for i, o := range told {
		right[i], confidence[i], chars[i] = o.Answer, o.Confidence, float64(o.Chars)
	}
	return to.Measure(len(told), metrics.Scored("AUC", metrics.AUC, right, confidence), metrics.Scored("ECE", metrics.ECE, right, confidence), metrics.Mean("chars", chars))
}

func pick(list []Outcome, keep func(Outcome) bool) []Outcome {
	return slices.DeleteFunc(slices.Clone(list), func(o Outcome) bool { return !keep(o) })
}

// rows measures the questions of each corpus and of each type separately.
func rows(all []Outcome) ([]Row, error) {
	var out []Row
	for _, by := range []struct {
		name string
		of   func(Question) string
	}{{"corpus", func(q Question) string { return q.Corpus }}, {"type", func(q Question) string { return q.Type }}} {
		var names []string
		for _, o := range all {
			names = append(names, by.of(o.Question))
		}
		slices.Sort(names)
		for _, name := range slices.Compact(names) {
			if name == "" {
				continue
			}
			part := pick(all, func(o Outcome) bool { return by.of(o.Question) == name })
			var score task.Score
			if err := measure(&score, part); err != nil {
				return nil, fmt.Errorf("evaluating the %s %q: %w", by.name, name, err)
			}
			out = append(out, Row{By: by.name, Name: name, N: len(part), Metrics: score.Metrics})
		}
	}
	return out, nil
}
