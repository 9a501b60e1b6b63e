package mcq

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"example.com/assay/eval/metrics"
	"example.com/assay/eval/retrieval"
	"example.com/assay/eval/task"
	"example.com/assay/memory/index"
	"example.com/assay/skills"
)

// A Mode decides which passages a question gets.
type Mode string

const (
	Gold      Mode = "gold"      // those that decide it
	Retrieval Mode = "retrieval" // those that a ranker finds for it and its choices
	Closed    Mode = "closed"    // none
)

// Modes lists them.
func Modes() []Mode { return []Mode{Gold, Retrieval, Closed} }

// defaultPassages is the number of passages that a step of the research pipeline reads.
const defaultPassages = 5

// Options say how to measure. Nil and the zero value work; only the mode Retrieval needs a
// Ranker.
type Options struct {
	Mode     Mode             // default Gold
	Ranker   retrieval.Ranker // of Retrieval, over the dataset's passages
	Passages int              // that Retrieval reads; default defaultPassages
	Progress task.Progress
}

// An Outcome is the result of a question.
type Outcome struct {
	Question Question
	Choice
	Best  string  // the most probable choice; the first of equals
	Right float64 // 1 if Best is right; 1/n if it ties with n−1 others and one of them is right
	Found bool    // a gold passage was among those that were read
}

// Top is the probability of the best choice.
func (o Outcome) Top() float64 { return slices.Max(o.P) }

// A Point of an abstention curve is the share of right best choices among a share of the
// questions, those with the highest confidence.
type Point struct {
	Coverage float64
	N        int
	metrics.Interval
}

// An Evaluation holds the results of a chooser, outcomes in the order of the questions.
//
// accuracy is that of the best choice when every question must be answered; ECE uses its
// probability. answered is the share of questions that the chooser answers by itself,
// right_of_answered the share of right answers among them, right_answers their product.
// right_of_surest_half is the accuracy in the half of the questions with the most probable
// best choice. gold_found is the share of questions that got a gold passage.
type Evaluation struct {
	task.Score // its times are those of choosing, without the search
	Mode       Mode
	Curve      []Point
	Outcomes   []Outcome
}

// Evaluate gives a chooser each question with its passages. The errors are those of the
// ranker and the chooser, and cancellation.
func Evaluate(ctx context.Context, d *Dataset, c Chooser, opts *Options) (Evaluation, error) {
	o := opts.resolved()
	inputs, err := inputs(ctx, d, o)
	if err != nil {
		return Evaluation{}, err
	}
	return choose(ctx, d, inputs, c, o)
}

// choose asks a chooser each question with its passages.
func choose(ctx context.Context, d *Dataset, inputs []input, c Chooser, o Options) (Evaluation, error) {
	choices := make([]Choice, len(inputs))
	score, err := o.Progress.Timed(ctx, "choosing", len(inputs), func(i int) string { return fmt.Sprintf("question %q", d.Questions[i].ID) }, func(i int) (err error) {
		choices[i], err = c.Choose(ctx, inputs[i].SelectInput)
		return err
	})
	if err != nil {
		return Evaluation{}, err
	}
	return measure(d, inputs, choices, score, o.Mode)
}

// An input is the input of a chooser.
type input struct {
	skills.SelectInput
	Found bool // a gold passage is among the sources
}

func (o *Options) resolved() Options {
	var out Options
	if o != nil {
		out = *o
	}
	out.Mode, out.Passages = cmp.Or(out.Mode, Gold), cmp.Or(out.Passages, defaultPassages)
	return out
}

// inputs combines each question with its passages.
func inputs(ctx context.Context, d *Dataset, o Options) ([]input, error) {
	if o.Mode == Retrieval && o.Ranker == nil {
		return nil, errors.New("evaluating with retrieval: there is no ranker; give one over the dataset's passages")
	}
	out := make([]input, len(d.Questions))
	for i, q := range d.Questions {
		in := skills.SelectInput{Question: q.Stem, Choices: q.Choices}
		var ids []string
		switch o.Mode {
		case Gold:
			ids = q.Gold
		case Retrieval:
			found, err := retrieval.Pool(ctx, o.Ranker, queries(q), o.Passages)
			if err != nil {
				return nil, fmt.Errorf("searching for question %q: %w", q.ID, err)
			}
			for _, f := range found {
				ids = append(ids, f.ID)
			}
			o.Progress.Tell("searching", i+1, len(d.Questions))
		case Closed:
		default:
			return nil, fmt.Errorf("there is no mode %q; known: %v", o.Mode, Modes())
		}
		for n, id := range ids {
			in.Sources = append(in.Sources, skills.Source{N: n + 1, Title: d.Passages[id].Title, Text: d.Passages[id].Text})
		}
		out[i] = input{in, slices.ContainsFunc(ids, func(id string) bool { return slices.Contains(q.Gold, id) })}
	}
	return out, nil
}

// queries returns the whole question and each choice by itself.
func queries(q Question) []string {
	whole := q.Stem
	for _, text := range texts(q) {
		whole += "\n" + text
	}
	asked := []string{whole}
	for _, text := range texts(q) {
		if strings.TrimSpace(text) != "" { // a choice without text finds nothing
			asked = append(asked, text)
		}
	}
	return asked
}

// newRanker indexes a dataset's passages in dir, which must not exist.
func newRanker(ctx context.Context, dir string, d *Dataset, progress func(phase string, done, total int)) (*retrieval.Index, error) {
	return retrieval.NewIndex(ctx, dir, d.corpus, index.BM25{}, nil, progress)
}

// coverages are the points of the abstention curve.
var coverages = []float64{1, .9, .75, .5, .25, .1}

func measure(d *Dataset, inputs []input, choices []Choice, score task.Score, mode Mode) (Evaluation, error) {
	n := len(inputs)
	out := Evaluation{Score: score, Mode: mode, Outcomes: make([]Outcome, n)}
	right, answered, correct, found := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	for i, q := range d.Questions {
		if len(choices[i].P) != len(q.Choices) {
			return Evaluation{}, fmt.Errorf("evaluating question %q: %d probabilities for %d choices; give one each", q.ID, len(choices[i].P), len(q.Choices))
		}
		if slices.ContainsFunc(choices[i].P, func(p float64) bool { return !(p >= 0 && p <= 1) }) {
			return Evaluation{}, fmt.Errorf("evaluating question %q: the probabilities %v are not all from 0 to 1", q.ID, choices[i].P)
		}
		oc := Outcome{Question: q, Choice: choices[i], Found: inputs[i].Found}
		oc.Best, oc.Right = best(q, choices[i].P)
		out.Outcomes[i] = oc
		right[i], answered[i], correct[i], found[i] = oc.Right, metrics.One(oc.Letter != ""), metrics.One(oc.Letter == q.Answer), metrics.One(oc.Found)
	}
	list := []metrics.Statistic{
		metrics.Mean("accuracy", right),
		{Name: "ECE", Of: func(items []int) float64 { return ece(out.Outcomes, items) }},
		metrics.Mean("answered", answered),
		{Name: "right_of_answered", Of: func(items []int) float64 {
			yes, of := 0.0, 0.0
			for _, at := range items {
				yes, of = yes+correct[at], of+answered[at]
			}
			return yes / max(of, 1)
		}},
		metrics.Mean("right_answers", correct),
		{Name: "right_of_surest_half", Of: func(items []int) float64 {
			drawn := make([]Outcome, len(items))
			for i, at := range items {
				drawn[i] = out.Outcomes[at]
			}
			return metrics.Average(surest(drawn, .5))
		}},
		metrics.Mean("gold_found", found),
	}
	if err := out.Measure(n, list...); err != nil {
		return Evaluation{}, err
	}
	var err error
	out.Curve, err = curve(out.Outcomes)
	return out, err
}

// best is the most probable choice, and how right it is.
func best(q Question, p []float64) (letter string, right float64) {
	top, equals, among := slices.Max(p), 0, false
	for i, v := range p {
		if v < top-1e-9 {
			continue
		}
		equals++
		letter = cmp.Or(letter, q.Choices[i].Letter)
		among = among || q.Choices[i].Letter == q.Answer
	}
	if among {
		right = 1 / float64(equals)
	}
	return letter, right
}

// ece is metrics.ECE of the best choice, where a tie counts as a share of a right answer.
func ece(list []Outcome, items []int) float64 {
	var n, expected, observed [metrics.CalibrationBins]float64
	for _, at := range items {
		p := list[at].Top()
		bin := min(int(p*metrics.CalibrationBins), metrics.CalibrationBins-1)
		n[bin], expected[bin], observed[bin] = n[bin]+1, expected[bin]+p, observed[bin]+list[at].Right
	}
	sum := 0.0
	for bin := range n {
		sum += math.Abs(expected[bin] - observed[bin])
	}
	return sum / float64(len(items))
}

// surest returns the results of the best choices in the given share of the questions, those with
// the highest confidence; equals keep their order.
func surest(list []Outcome, share float64) []float64 {
	sorted := slices.Clone(list)
	slices.SortStableFunc(sorted, func(a, b Outcome) int { return cmp.Compare(b.Top(), a.Top()) })
	right := make([]float64, max(int(math.Round(share*float64(len(sorted)))), 1))
	for i := range right {
		right[i] = sorted[i].Right
	}
	return right
}

func curve(list []Outcome) ([]Point, error) {
	var out []Point
	for _, share := range coverages {
		right := surest(list, share)
		interval, err := metrics.Bootstrap(right)
		if err != nil {
			return nil, fmt.Errorf("evaluating the abstention curve: %w", err)
		}
		out = append(out, Point{share, len(right), interval})
	}
	return out, nil
}
