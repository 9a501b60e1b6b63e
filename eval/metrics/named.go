package metrics

import "fmt"

// A Metric is a named figure with its interval.
type Metric struct {
	Name string // such as "balanced_accuracy"
	Interval
}

// A Statistic computes a figure of some of the items, given by their indices, which it must not
// retain.
type Statistic struct {
	Name string
	Of   func(items []int) float64
}

// Measure returns each statistic of n items with its interval, in order. Errors are those of
// [bootstrapOf].
func Measure(n int, statistics ...Statistic) ([]Metric, error) {
	out := make([]Metric, len(statistics))
	for i, s := range statistics {
		interval, err := bootstrapOf(n, s.Of, Seed, Resamples)
		if err != nil {
			return nil, fmt.Errorf("evaluating %s: %w", s.Name, err)
		}
		out[i] = Metric{s.Name, interval}
	}
	return out, nil
}

// Decided makes a statistic of yes-or-no decisions.
func Decided(name string, of func(Confusion) float64, gold, pred []bool) Statistic {
	return Statistic{name, func(items []int) float64 {
		var c Confusion
		for _, at := range items {
			c.Count(gold[at], pred[at])
		}
		return of(c)
	}}
}

// Scored makes a statistic, such as AUC, of probabilities or scores.
func Scored(name string, of func(gold []bool, scores []float64) float64, gold []bool, scores []float64) Statistic {
	return Statistic{name, func(items []int) float64 {
		g, s := make([]bool, len(items)), make([]float64, len(items))
		for i, at := range items {
			g[i], s[i] = gold[at], scores[at]
		}
		return of(g, s)
	}}
}

// Mean makes a statistic of the mean of values, one per item.
func Mean(name string, values []float64) Statistic {
	return Statistic{name, func(items []int) float64 {
		sum := 0.0
		for _, at := range items {
			sum += values[at]
		}
		return sum / float64(len(items))
	}}
}

// Binary returns the statistics of yes-or-no decisions with their probabilities of yes: F1,
// precision, recall, balanced_accuracy, AUC and ECE.
func Binary(gold, pred []bool, p []float64) []Statistic {
	return []Statistic{
		Decided("F1", Confusion.F1, gold, pred),
		Decided("precision", Confusion.Precision, gold, pred),
		Decided("recall", Confusion.Recall, gold, pred),
		Decided("balanced_accuracy", Confusion.BalancedAccuracy, gold, pred),
		Scored("AUC", AUC, gold, p),
		Scored("ECE", ECE, gold, p),
	}
}

// Accuracy is the share of items whose label is right.
func Accuracy[L comparable](gold, pred []L) Statistic {
	return Statistic{"accuracy", func(items []int) float64 {
		right := 0
		for _, at := range items {
			if gold[at] == pred[at] {
				right++
			}
		}
		return float64(right) / float64(len(items))
	}}
}

// MacroF1 is the mean of F1 over labels.
func MacroF1[L comparable](labels, gold, pred []L) Statistic {
	return Statistic{"macro_F1", func(items []int) float64 {
		sum := 0.0
		for _, label := range labels {
			var c Confusion
			for _, at := range items {
				c.Count(gold[at] == label, pred[at] == label)
			}
			sum += c.F1()
		}
		return sum / float64(len(labels))
	}}
}
