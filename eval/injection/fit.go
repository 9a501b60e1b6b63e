package injection

import (
	"fmt"
	"math"

	"example.com/assay/decide/injection"
	"example.com/assay/eval/train/linear"
)

const (
	ridge     = 1   // of the weights
	perAttack = 6   // contexts that each attack is trained in
	perPair   = 3   // contexts that it is trained in with a second attack after it
	threshold = .87 // from which a sentence counts as an attack
)

// Fit trains the weights of the detector. Positive examples are attacks in some of the
// contexts, at every position in turn, alone and followed by a second one of the same
// category. Negative examples are the sentences of clean contexts and of [Ordinary]. Both
// kinds have the same total weight. Equal arguments give equal weights.
func Fit(contexts []Context, attacks []Attack) (*injection.Weights, error) {
	var rows [][]float64
	var labels []bool
	add := func(document string, start, end int) {
		d := injection.Read(document)
		for n, span := range d.Spans {
			poisoned := span.Start < end && start < span.End
			if end > start && !poisoned {
				continue // the rest of a poisoned context is there already
			}
			if x, ok := d.Features(n); ok {
				rows, labels = append(rows, x), append(labels, poisoned)
			}
		}
	}
	for _, c := range contexts {
		add(c.Text, 0, 0)
	}
	for _, document := range Ordinary() {
		add(document, 0, 0)
	}
	for i, a := range attacks {
		put := func(text string, times int) {
			for k := range min(times, len(contexts)) {
				add(place(contexts[(i*7+k*(len(contexts)/times+1))%len(contexts)].Text, text, positions()[k%3]))
			}
		}
		put(a.Text, perAttack)
		put(a.Text+" "+second(attacks, i).Text, perPair)
	}
	total := [2]float64{}
	for _, yes := range labels {
		total[kind(yes)]++
	}
	weights := make([]float64, len(rows))
	for i, yes := range labels {
		weights[i] = 1000 / total[kind(yes)]
	}
	m, err := linear.FitLogistic(rows, labels, weights, ridge)
	if err != nil {
		return nil, fmt.Errorf("training the weights of orders: %w", err)
	}
	out := &injection.Weights{Threshold: threshold, Bias: round(m.Bias)}
	for i, name := range injection.FeatureNames() {
		out.Features = append(out.Features, injection.Feature{Name: name, Weight: round(m.Weights[i])})
	}
	return out, nil
}

func kind(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// round keeps four decimals, so that weights are equal on every machine.
func round(v float64) float64 { return math.Round(v*1e4) / 1e4 }
