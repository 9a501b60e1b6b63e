package mcq

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"example.com/assay/eval/metrics"
	"example.com/assay/eval/retrieval"
	"example.com/assay/memory/index"
	"example.com/assay/skills"
)

// A Mode is which passages stand beside a question.
type Mode string

const (
	Gold      Mode = "gold"      // those that decide it
	Retrieval Mode = "retrieval" // those that a ranker finds for it and its choices
	Closed    Mode = "closed"    // none
)

// Modes lists them.
func Modes() []Mode { return []Mode{Gold, Retrieval, Closed} }

// DefaultPassages is how many passages a step of the research pipeline reads.
const DefaultPassages = 5

// Options say how to measure. Nil and the zero value work, but for the mode
// Retrieval, which needs a Ranker.
type Options struct {
	Mode     Mode             // default Gold
	Ranker   retrieval.Ranker // of Retrieval, over the dataset's passages
	Passages int              // that Retrieval reads; default DefaultPassages
	Resample metrics.ResampleOptions
	Progress func(phase string, done, total int) // called after each question
}

// PhaseChoose is what Evaluate reports.
const PhaseChoose = "choosing"

// An Outcome is what became of a question.
type Outcome struct {
	Question Question
	Choice
	Best  string        // the most probable choice; the first of equals
	Right float64       // 1 when Best is right; of n equals one of which is right, 1/n
	Found bool          // a gold passage was among those that were read
	Took  time.Duration // to choose, without the search
}

// Top is the probability of the best choice.
func (o Outcome) Top() float64 { return slices.Max(o.P) }

// A Point of an abstention curve: how often the best choice is right in the
// share of the questions that the chooser is surest of.
type Point struct {
	Coverage float64
	N        int
	metrics.Interval
}

// An Evaluation is what a chooser reached, outcomes in the order of the
// questions.
//
// Accuracy is that of the best choice of every question, made to answer; ECE of
// its probability. Answered is the share of questions that the chooser answers
// by itself, right_of_answered how often it is right then, right_answers their
// product. Right_of_surest_half is the accuracy in the half of the questions whose
// best choice is the most probable. Gold_found is the share of questions with a gold passage before them.
type Evaluation struct {
	Mode     Mode
	Metrics  []metrics.Metric
	Curve    []Point
	Outcomes []Outcome
	P50, P95 time.Duration // of a choice
	Resample metrics.ResampleOptions
}

// Evaluate puts passages beside each question and asks a chooser. The errors are
// those of the ranker and the chooser, and cancellation.
func Evaluate(ctx context.Context, d *Dataset, c Chooser, opts *Options) (Evaluation, error) {
	inputs, err := Inputs(ctx, d, opts)
	if err != nil {
		return Evaluation{}, err
	}
	return choose(ctx, d, inputs, c, opts)
}

// choose asks a chooser each question with the passages beside it.
func choose(ctx context.Context, d *Dataset, inputs []Input, c Chooser, opts *Options) (Evaluation, error) {
	var err error
	choices, times := make([]Choice, len(inputs)), make([]time.Duration, len(inputs))
	for i, in := range inputs {
		if err := context.Cause(ctx); err != nil {
			return Evaluation{}, fmt.Errorf("evaluating question %q: %w", d.Questions[i].ID, err)
		}
		began := time.Now()
		if choices[i], err = c.Choose(ctx, in.SelectInput); err != nil {
			return Evaluation{}, fmt.Errorf("evaluating question %q: %w", d.Questions[i].ID, err)
		}
		times[i] = time.Since(began)
		if opts != nil && opts.Progress != nil {
			opts.Progress(PhaseChoose, i+1, len(inputs))
		}
	}
	return measure(d, inputs, choices, times, opts)
}

// An Input is what a chooser is given.
type Input struct {
	skills.SelectInput
	Found bool // a gold passage is among the sources
}

// PhaseSearch is what Inputs reports.
const PhaseSearch = "searching"

// Inputs puts passages beside each question.
func Inputs(ctx context.Context, d *Dataset, opts *Options) ([]Input, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	o.Mode, o.Passages = cmp.Or(o.Mode, Gold), cmp.Or(o.Passages, DefaultPassages)
	if o.Mode == Retrieval && o.Ranker == nil {
		return nil, errors.New("evaluating with retrieval: there is no ranker; give one over the dataset's passages")
	}
	out := make([]Input, len(d.Questions))
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
			if o.Progress != nil {
				o.Progress(PhaseSearch, i+1, len(d.Questions))
			}
		case Closed:
		default:
			return nil, fmt.Errorf("there is no mode %q; known: %v", o.Mode, Modes())
		}
		for n, id := range ids {
			in.Sources = append(in.Sources, skills.Source{N: n + 1, Title: d.Passages[id].Title, Text: d.Passages[id].Text})
		}
		out[i] = Input{in, slices.ContainsFunc(ids, func(id string) bool { return slices.Contains(q.Gold, id) })}
	}
	return out, nil
}

// queries are the whole question and each choice by itself.
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

// NewRanker indexes a dataset's passages in dir, which must not exist.
func NewRanker(ctx context.Context, dir string, d *Dataset, progress func(phase string, done, total int)) (*retrieval.Index, error) {
	return retrieval.NewIndex(ctx, dir, d.corpus, index.BM25{}, progress)
}

// coverages are the points of the abstention curve.
var coverages = []float64{1, .9, .75, .5, .25, .1}

func measure(d *Dataset, inputs []Input, choices []Choice, times []time.Duration, opts *Options) (Evaluation, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	n := len(inputs)
	out := Evaluation{Mode: cmp.Or(o.Mode, Gold), Outcomes: make([]Outcome, n), Resample: o.Resample.Resolved()}
	right, answered, correct, found := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	for i, q := range d.Questions {
		if len(choices[i].P) != len(q.Choices) {
			return Evaluation{}, fmt.Errorf("evaluating question %q: %d probabilities for %d choices; give one each", q.ID, len(choices[i].P), len(q.Choices))
		}
		if slices.ContainsFunc(choices[i].P, func(p float64) bool { return !(p >= 0 && p <= 1) }) {
			return Evaluation{}, fmt.Errorf("evaluating question %q: the probabilities %v are not all from 0 to 1", q.ID, choices[i].P)
		}
		oc := Outcome{Question: q, Choice: choices[i], Found: inputs[i].Found, Took: times[i]}
		oc.Best, oc.Right = best(q, choices[i].P)
		out.Outcomes[i] = oc
		right[i], answered[i], correct[i], found[i] = oc.Right, one(oc.Letter != ""), one(oc.Letter == q.Answer), one(oc.Found)
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
			return mean(surest(drawn, .5))
		}},
		metrics.Mean("gold_found", found),
	}
	var err error
	if out.Metrics, err = metrics.Measure(n, list, &out.Resample); err != nil {
		return Evaluation{}, err
	}
	if out.Curve, err = curve(out.Outcomes, &out.Resample); err != nil {
		return Evaluation{}, err
	}
	out.P50, out.P95 = metrics.Percentile(times, .5), metrics.Percentile(times, .95)
	return out, nil
}

func one(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
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

// ece is metrics.ECE of the best choice, whose being right may be a share.
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

// surest is how right the best choices are in the share of the questions that the
// chooser is surest of, equals in their order.
func surest(list []Outcome, share float64) []float64 {
	sorted := slices.Clone(list)
	slices.SortStableFunc(sorted, func(a, b Outcome) int { return cmp.Compare(b.Top(), a.Top()) })
	right := make([]float64, max(int(math.Round(share*float64(len(sorted)))), 1))
	for i := range right {
		right[i] = sorted[i].Right
	}
	return right
}

func mean(list []float64) float64 {
	sum := 0.0
	for _, v := range list {
		sum += v
	}
	return sum / float64(len(list))
}

func curve(list []Outcome, resample *metrics.ResampleOptions) ([]Point, error) {
	var out []Point
	for _, share := range coverages {
		right := surest(list, share)
		interval, err := metrics.Bootstrap(right, resample)
		if err != nil {
			return nil, fmt.Errorf("evaluating the abstention curve: %w", err)
		}
		out = append(out, Point{share, len(right), interval})
	}
	return out, nil
}
