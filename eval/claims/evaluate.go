package claims

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"example.com/assay/eval/metrics"
	"example.com/assay/eval/task"
	"example.com/assay/state"
)

// A Judge decides how far evidence supports a claim or, in a dataset of responses, a whole
// response. The Status, Confidence and Conflicts of the verdict are measured. Equal
// arguments should get equal answers.
type Judge interface {
	Judge(ctx context.Context, text string, evidence []state.Evidence) (state.Verdict, error)
}

// An Outcome is the result of an item.
type Outcome struct {
	Item    Item
	Verdict state.Verdict
	Label   Label // the verdict in the labels of the dataset
}

// An Evaluation holds the results of a judge on a dataset, outcomes in the order of the
// items.
//
// F1, precision, recall and balanced_accuracy compare the status supported with all
// others; AUC and ECE use the confidence. Accuracy and macro_F1 are over the same two
// classes, in the format scifact over its three labels. Among altered claims whose
// original is accepted, refused_KIND is the share that is refused, refused_or_doubt_KIND
// the share that is refused or in doubt.
type Evaluation struct {
	task.Score
	Outcomes    []Outcome
	Reliability []metrics.Bin // of the confidence
	Failed      int           // verdicts with an error; they count as unsupported
}

// Evaluate runs a judge on every item of a dataset, one after the other, and measures. Errors are
// those of the judge and cancellation.
func Evaluate(ctx context.Context, d *Dataset, j Judge, progress task.Progress) (Evaluation, error) {
	verdicts := make([]state.Verdict, len(d.Items))
	score, err := progress.Timed(ctx, "judging", len(d.Items), func(i int) string { return fmt.Sprintf("item %q", d.Items[i].ID) }, func(i int) (err error) {
		verdicts[i], err = j.Judge(ctx, d.Items[i].Text, d.Items[i].Evidence)
		return err
	})
	if err != nil {
		return Evaluation{}, err
	}
	return measure(d, verdicts, score)
}

// Measure computes the metrics of verdicts, one for each item of a dataset, in order.
func Measure(d *Dataset, verdicts []state.Verdict) (Evaluation, error) {
	if len(verdicts) != len(d.Items) {
		return Evaluation{}, fmt.Errorf("evaluating: %d verdicts for %d items; give one each", len(verdicts), len(d.Items))
	}
	return measure(d, verdicts, task.NewScore(nil))
}

func measure(d *Dataset, verdicts []state.Verdict, score task.Score) (Evaluation, error) {
	n := len(d.Items)
	if n == 0 {
		return Evaluation{}, errors.New("evaluating: the dataset has no items")
	}
	out := Evaluation{Score: score, Outcomes: make([]Outcome, n)}
	gold, pred, p := make([]bool, n), make([]bool, n), make([]float64, n)
	labels, said := make([]Label, n), make([]Label, n)
	for i, item := range d.Items {
		v := verdicts[i]
		out.Outcomes[i] = Outcome{Item: item, Verdict: v, Label: d.label(v)}
		if v.Error != "" {
			out.Failed++
		}
		gold[i], pred[i], p[i] = item.Gold == Supported, v.Status == state.Supported && v.Error == "", v.Confidence
		labels[i], said[i] = item.Gold, out.Outcomes[i].Label
	}
	decided := func(name string, of func(metrics.Confusion) float64) metrics.Statistic {
		return metrics.Decided(name, of, gold, pred)
	}
	accuracy, macro := decided("accuracy", metrics.Confusion.Accuracy), decided("macro_F1", metrics.Confusion.MacroF1)
	if d.Format == FormatSciFact {
		accuracy, macro = metrics.Accuracy(labels, said), metrics.MacroF1(d.Labels, labels, said)
	}
	out.Reliability = metrics.Reliability(gold, p, metrics.CalibrationBins)
	err := out.Measure(n,
		metrics.Scored("AUC", metrics.AUC, gold, p),
		decided("balanced_accuracy", metrics.Confusion.BalancedAccuracy),
		decided("F1", metrics.Confusion.F1),
		decided("precision", metrics.Confusion.Precision),
		decided("recall", metrics.Confusion.Recall),
		accuracy,
		macro,
		metrics.Scored("ECE", metrics.ECE, gold, p),
	)
	if err == nil {
		_, err = task.Figures(&out.Score, out.Outcomes, refusals(out.Outcomes))
	}
	return out, err
}

// label translates a verdict into the labels of the dataset. Partially supported becomes
// unsupported where that label is missing. A claim with a hard conflict is contradicted
// where that label exists.
func (d *Dataset) label(v state.Verdict) Label {
	opposed := slices.ContainsFunc(v.Conflicts, func(c state.Conflict) bool { return c.Opposed })
	switch {
	case v.Error != "":
		return Unsupported
	case opposed && slices.Contains(d.Labels, Contradicted):
		return Contradicted
	case v.Status == state.PartiallySupported && !slices.Contains(d.Labels, PartiallySupported):
		return Unsupported
	}
	return Label(v.Status)
}
