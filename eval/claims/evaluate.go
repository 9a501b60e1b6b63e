package claims

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"example.com/assay/eval/metrics"
	"example.com/assay/state"
)

// A Judge says how far evidence carries a claim, or, in a dataset of
// responses, a whole response. Of the verdict, Status, Confidence and
// Conflicts are measured. Equal arguments should get equal answers.
type Judge interface {
	Judge(ctx context.Context, text string, evidence []state.Evidence) (state.Verdict, error)
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
	Item    Item
	Verdict state.Verdict
	Label   Label // the verdict in the labels of the dataset
	Took    time.Duration
}

// An Evaluation is what a judge reached on a dataset. Outcomes are in the
// order of the dataset's items.
//
// F1, precision, recall and balanced_accuracy are of the status supported
// against all others; AUC and ECE are of the confidence, for the same
// question. Of altered claims whose original is accepted, refused_KIND is the share
// that is refused, and refused_or_doubt_KIND that with those in doubt. Accuracy and macro_F1 are of supported against the rest, and in
// the format scifact over its three labels.
type Evaluation struct {
	Metrics     []metrics.Metric
	Outcomes    []Outcome
	Reliability []metrics.Bin // of the confidence
	Failed      int           // verdicts with an error; they count as unsupported
	P50, P95    time.Duration // of a judgement
	Resample    metrics.ResampleOptions
}

// Evaluate asks a judge about every item of a dataset, one after the other,
// and measures. The errors are the judge's and cancellation.
func Evaluate(ctx context.Context, d *Dataset, j Judge, opts *EvaluateOptions) (Evaluation, error) {
	var o EvaluateOptions
	if opts != nil {
		o = *opts
	}
	verdicts, times := make([]state.Verdict, len(d.Items)), make([]time.Duration, len(d.Items))
	for i, item := range d.Items {
		if err := context.Cause(ctx); err != nil {
			return Evaluation{}, fmt.Errorf("evaluating item %q: %w", item.ID, err)
		}
		began := time.Now()
		v, err := j.Judge(ctx, item.Text, item.Evidence)
		if err != nil {
			return Evaluation{}, fmt.Errorf("evaluating item %q: %w", item.ID, err)
		}
		verdicts[i], times[i] = v, time.Since(began)
		if o.Progress != nil {
			o.Progress(PhaseJudge, i+1, len(d.Items))
		}
	}
	out, err := Measure(d, verdicts, &o.Resample)
	if err != nil {
		return Evaluation{}, err
	}
	for i, t := range times {
		out.Outcomes[i].Took = t
	}
	out.P50, out.P95 = metrics.Percentile(times, .5), metrics.Percentile(times, .95)
	return out, nil
}

// Measure measures verdicts that were given to the items of a dataset, one
// each, in their order.
func Measure(d *Dataset, verdicts []state.Verdict, resample *metrics.ResampleOptions) (Evaluation, error) {
	if len(verdicts) != len(d.Items) {
		return Evaluation{}, fmt.Errorf("evaluating: %d verdicts for %d items; give one each", len(verdicts), len(d.Items))
	}
	if len(d.Items) == 0 {
		return Evaluation{}, errors.New("evaluating: the dataset has no items")
	}
	out := Evaluation{Outcomes: make([]Outcome, len(d.Items)), Resample: resample.Resolved()}
	t := tally{gold: make([]bool, len(d.Items)), pred: make([]bool, len(d.Items)), score: make([]float64, len(d.Items)), labels: d.Labels}
	for i, item := range d.Items {
		v := verdicts[i]
		out.Outcomes[i] = Outcome{Item: item, Verdict: v, Label: d.label(v)}
		if v.Error != "" {
			out.Failed++
		}
		t.gold[i], t.pred[i], t.score[i] = item.Gold == Supported, v.Status == state.Supported && v.Error == "", v.Confidence
		t.goldLabel, t.predLabel = append(t.goldLabel, item.Gold), append(t.predLabel, out.Outcomes[i].Label)
	}
	var err error
	if out.Metrics, err = metrics.Measure(len(d.Items), t.metrics(d.Format == FormatSciFact), &out.Resample); err != nil {
		return Evaluation{}, err
	}
	if altered := refusals(out.Outcomes); len(altered) > 0 {
		more, err := metrics.Measure(len(d.Items), altered, &out.Resample)
		if err != nil {
			return Evaluation{}, err
		}
		out.Metrics = append(out.Metrics, more...)
	}
	out.Reliability = metrics.Reliability(t.gold, t.score, metrics.CalibrationBins)
	return out, nil
}

// label is a verdict in the labels of the dataset: what it does not know as
// partially supported is not supported; what the evidence says otherwise by a
// hard signal is contradicted where there is such a label.
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

// A tally is gold and answers, item by item.
type tally struct {
	gold, pred           []bool
	score                []float64
	labels               []Label
	goldLabel, predLabel []Label
}

func (t *tally) metrics(byLabel bool) []metrics.Statistic {
	decided := func(name string, of func(metrics.Confusion) float64) metrics.Statistic {
		return metrics.Decided(name, of, t.gold, t.pred)
	}
	accuracy, macro := decided("accuracy", metrics.Confusion.Accuracy), decided("macro_F1", metrics.Confusion.MacroF1)
	if byLabel {
		accuracy.Of, macro.Of = t.labelAccuracy, t.labelF1
	}
	return []metrics.Statistic{
		metrics.Scored("AUC", metrics.AUC, t.gold, t.score),
		decided("balanced_accuracy", metrics.Confusion.BalancedAccuracy),
		decided("F1", metrics.Confusion.F1),
		decided("precision", metrics.Confusion.Precision),
		decided("recall", metrics.Confusion.Recall),
		accuracy,
		macro,
		metrics.Scored("ECE", metrics.ECE, t.gold, t.score),
	}
}

func (t *tally) labelAccuracy(items []int) float64 {
	right := 0
	for _, at := range items {
		if t.goldLabel[at] == t.predLabel[at] {
			right++
		}
	}
	return float64(right) / float64(len(items))
}

// labelF1 is the mean of F1 over the labels.
func (t *tally) labelF1(items []int) float64 {
	sum := 0.0
	for _, label := range t.labels {
		var c metrics.Confusion
		for _, at := range items {
			c.Count(t.goldLabel[at] == label, t.predLabel[at] == label)
		}
		sum += c.F1()
	}
	return sum / float64(len(t.labels))
}
