package causal

import (
	"context"
	"errors"
	"fmt"

	"example.com/assay/eval/metrics"
	"example.com/assay/eval/task"
)

// A Judgement is the label that a judge gives to an item, and the probability of a causal
// relation.
type Judgement struct {
	Label Label
	P     float64
}

// An Outcome is the result of an item.
type Outcome struct {
	Item Item
	Judgement
}

// An Evaluation holds the results of a judge on a dataset, outcomes in its order.
//
// F1, precision, recall, balanced_accuracy, AUC and ECE compare the causal label with all
// others; accuracy and macro_F1 are over all labels. Swapped pairs have only accepted, the
// share that is judged causal, and accepted_causal, that share among the pairs that were
// causal before.
type Evaluation struct {
	task.Score
	Outcomes []Outcome
}

// Evaluate runs the offline judge on every item of a dataset, one after the other, and measures.
// Cancellation and a dataset without items are errors.
func Evaluate(ctx context.Context, d *Dataset, j *Offline, progress task.Progress) (Evaluation, error) {
	judged := make([]Judgement, len(d.Items))
	score, err := progress.Timed(ctx, "judging", len(d.Items), func(i int) string { return fmt.Sprintf("item %q", d.Items[i].ID) }, func(i int) error {
		judged[i] = j.Judge(d.Items[i])
		return nil
	})
	if err != nil {
		return Evaluation{}, err
	}
	return measure(d, judged, score)
}

// Measure computes the metrics of judgements, one for each item of a dataset, in order.
func Measure(d *Dataset, judged []Judgement) (Evaluation, error) {
	if len(judged) != len(d.Items) {
		return Evaluation{}, fmt.Errorf("evaluating: %d judgements for %d items; give one each", len(judged), len(d.Items))
	}
	return measure(d, judged, task.NewScore(nil))
}

func measure(d *Dataset, judged []Judgement, score task.Score) (Evaluation, error) {
	if len(d.Items) == 0 {
		return Evaluation{}, errors.New("evaluating: the dataset has no items")
	}
	out := Evaluation{Score: score, Outcomes: make([]Outcome, len(d.Items))}
	for i, item := range d.Items {
		out.Outcomes[i] = Outcome{item, judged[i]}
	}
	if d.Swapped {
		_, err := task.Figures(&out.Score, out.Outcomes, swapped)
		return out, err
	}
	return out, out.Measure(len(d.Items), statistics(d, judged)...)
}

func statistics(d *Dataset, judged []Judgement) []metrics.Statistic {
	n := len(judged)
	labels, said := make([]Label, n), make([]Label, n)
	gold, pred, p := make([]bool, n), make([]bool, n), make([]float64, n)
	for i, j := range judged {
		labels[i], said[i] = d.Items[i].Gold, j.Label
		gold[i], pred[i], p[i] = labels[i] == d.Labels[0], j.Label == d.Labels[0], j.P
	}
	return append([]metrics.Statistic{metrics.MacroF1(d.Labels, labels, said), metrics.Accuracy(labels, said)}, metrics.Binary(gold, pred, p)...)
}

// swapped are the figures of pairs with cause and effect exchanged.
var swapped = []task.Figure[Outcome]{
	{Name: "accepted", Of: func(o Outcome) (task.Fraction, bool) { return task.Yes(o.Label == True), true }},
	{Name: "accepted_causal", Of: func(o Outcome) (task.Fraction, bool) {
		if !o.Item.Causal {
			return task.Fraction{}, true // it is drawn and does not count
		}
		return task.Yes(o.Label == True), true
	}},
}
