package causal

import (
	"context"
	"errors"
	"fmt"
	"time"

	"example.com/assay/eval/metrics"
)

// A Judgement is what a judge says of an item: its label, and the probability
// of a causal relation.
type Judgement struct {
	Label Label
	P     float64
}

// A Judge judges sentences, or pairs. Equal arguments should get equal answers.
type Judge interface {
	Judge(ctx context.Context, item Item) (Judgement, error)
}

// PhaseJudge is what Evaluate reports.
const PhaseJudge = "judging"

// EvaluateOptions say how to measure. Nil and the zero value work.
type EvaluateOptions struct {
	Resample metrics.ResampleOptions             // of the intervals
	Progress func(phase string, done, total int) // called after each item
}

// An Outcome is what became of an item.
type Outcome struct {
	Item Item
	Judgement
	Took time.Duration
}

// An Evaluation is what a judge reached on a dataset, outcomes in its order.
//
// F1, precision, recall, balanced_accuracy, AUC and ECE are of the causal label
// against all others; accuracy and macro_F1 are over all labels. Of swapped pairs
// there are only accepted, the share that is taken for causal, and
// accepted_causal, that share of the pairs that were causal before.
type Evaluation struct {
	Metrics  []metrics.Metric
	Outcomes []Outcome
	P50, P95 time.Duration // of a judgement
	Resample metrics.ResampleOptions
}

// Evaluate asks a judge about every item of a dataset, one after the other, and
// measures. The errors are the judge's and cancellation.
func Evaluate(ctx context.Context, d *Dataset, j Judge, opts *EvaluateOptions) (Evaluation, error) {
	var o EvaluateOptions
	if opts != nil {
		o = *opts
	}
	judged, times := make([]Judgement, len(d.Items)), make([]time.Duration, len(d.Items))
	for i, item := range d.Items {
		if err := context.Cause(ctx); err != nil {
			return Evaluation{}, fmt.Errorf("evaluating item %q: %w", item.ID, err)
		}
		began := time.Now()
		v, err := j.Judge(ctx, item)
		if err != nil {
			return Evaluation{}, fmt.Errorf("evaluating item %q: %w", item.ID, err)
		}
		judged[i], times[i] = v, time.Since(began)
		if o.Progress != nil {
			o.Progress(PhaseJudge, i+1, len(d.Items))
		}
	}
	out, err := Measure(d, judged, &o.Resample)
	if err != nil {
		return Evaluation{}, err
	}
	for i, t := range times {
		out.Outcomes[i].Took = t
	}
	out.P50, out.P95 = metrics.Percentile(times, .5), metrics.Percentile(times, .95)
	return out, nil
}

// Measure measures judgements of the items of a dataset, one each, in their order.
func Measure(d *Dataset, judged []Judgement, resample *metrics.ResampleOptions) (Evaluation, error) {
	if len(judged) != len(d.Items) {
		return Evaluation{}, fmt.Errorf("evaluating: %d judgements for %d items; give one each", len(judged), len(d.Items))
	}
	if len(d.Items) == 0 {
		return Evaluation{}, errors.New("evaluating: the dataset has no items")
	}
	t := tally{d, judged}
	out := Evaluation{Outcomes: make([]Outcome, len(d.Items)), Resample: resample.Resolved()}
	for i, item := range d.Items {
		out.Outcomes[i] = Outcome{Item: item, Judgement: judged[i]}
	}
	var err error
	if out.Metrics, err = metrics.Measure(len(d.Items), t.metrics(), &out.Resample); err != nil {
		return Evaluation{}, err
	}
	return out, nil
}

// A tally is gold and judgements, item by item.
type tally struct {
	set    *Dataset
	judged []Judgement
}

func (t *tally) metrics() []metrics.Statistic {
	if t.set.Swapped {
		return []metrics.Statistic{
			{Name: "accepted", Of: func(items []int) float64 { return t.accepted(items, false) }},
			{Name: "accepted_causal", Of: func(items []int) float64 { return t.accepted(items, true) }},
		}
	}
	gold, pred, p := make([]bool, len(t.judged)), make([]bool, len(t.judged)), make([]float64, len(t.judged))
	for i, j := range t.judged {
		gold[i], pred[i], p[i] = t.set.Items[i].Gold == t.set.Labels[0], j.Label == t.set.Labels[0], j.P
	}
	return []metrics.Statistic{
		{Name: "macro_F1", Of: t.macroF1},
		{Name: "accuracy", Of: t.accuracy},
		metrics.Decided("F1", metrics.Confusion.F1, gold, pred),
		metrics.Decided("precision", metrics.Confusion.Precision, gold, pred),
		metrics.Decided("recall", metrics.Confusion.Recall, gold, pred),
		metrics.Decided("balanced_accuracy", metrics.Confusion.BalancedAccuracy, gold, pred),
		metrics.Scored("AUC", metrics.AUC, gold, p),
		metrics.Scored("ECE", metrics.ECE, gold, p),
	}
}

func (t *tally) confusion(items []int, label Label) metrics.Confusion {
	var c metrics.Confusion
	for _, at := range items {
		c.Count(t.set.Items[at].Gold == label, t.judged[at].Label == label)
	}
	return c
}

func (t *tally) accuracy(items []int) float64 {
	right := 0
	for _, at := range items {
		if t.set.Items[at].Gold == t.judged[at].Label {
			right++
		}
	}
	return float64(right) / float64(len(items))
}

func (t *tally) macroF1(items []int) float64 {
	sum := 0.0
	for _, label := range t.set.Labels {
		sum += t.confusion(items, label).F1()
	}
	return sum / float64(len(t.set.Labels))
}

func (t *tally) accepted(items []int, causal bool) float64 {
	n, yes := 0, 0
	for _, at := range items {
		if causal && !t.set.Items[at].Causal {
			continue
		}
		n++
		if t.judged[at].Label == True {
			yes++
		}
	}
	if n == 0 {
		return 0
	}
	return float64(yes) / float64(n)
}
