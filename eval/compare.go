package eval

import (
	"fmt"
	"slices"
	"strings"

	"example.com/assay/eval/metrics"
	"example.com/assay/eval/task"
)

// significant is the p-value below which a difference counts as real.
const significant = .05

// A Comparison is the change between two sets of results of the same cases.
type Comparison struct {
	Cases   []CaseChange   `json:"cases"`   // those that changed, by name
	Metrics []MetricChange `json:"metrics"` // by name
	// Deterministic says that repeated runs of both are equal, so any change is real.
	Deterministic bool     `json:"deterministic"`
	Regressions   []string `json:"regressions"` // beyond noise, one sentence each
}

// A CaseChange is a case with another share of passing repeats, or another metric.
type CaseChange struct {
	ID      string             `json:"id"`
	Was     float64            `json:"was"` // share of repeats that passed
	Is      float64            `json:"is"`
	Misses  []string           `json:"misses,omitempty"` // now
	Metrics map[string]float64 `json:"metrics,omitempty"`
}

// A MetricChange is the paired difference of a metric over the cases that have it in both sets.
type MetricChange struct {
	Name       string  `json:"name"`
	Was        float64 `json:"was"`
	Is         float64 `json:"is"`
	Difference float64 `json:"difference"`
	Lo         float64 `json:"lo"` // of the 95 % interval of the difference
	Hi         float64 `json:"hi"`
	P          float64 `json:"p"` // of the paired randomisation test
	N          int     `json:"n"`
}

// A MismatchError says why two results cannot be compared.
type MismatchError struct{ Reasons []string }

func (e *MismatchError) Error() string {
	return "these results cannot be compared: " + strings.Join(e.Reasons, "; ")
}

// Compare compares results, case by case and by the paired randomisation test.
// For deterministic results a regression is a case that passes less often or a metric that
// got worse. For others it is a metric that got worse with a p-value below .05. Calls,
// tokens and cost are compared but are never regressions. For results of other cases or
// corpora the error is a *MismatchError.
func Compare(was, is Results) (Comparison, error) {
	c := Comparison{Deterministic: was.Made.Deterministic && is.Made.Deterministic, Cases: []CaseChange{}, Metrics: []MetricChange{}, Regressions: []string{}}
	if reasons := mismatches(was, is); len(reasons) > 0 {
		return c, &MismatchError{reasons}
	}
	priced := was.Usage.Unpriced+is.Usage.Unpriced == 0
	names, cases, before := perCase(was.Items, priced)
	_, _, after := perCase(is.Items, priced)
	changes := map[string]*CaseChange{}
	for _, name := range names {
		var a, b []float64
		worse := []string{}
		for _, id := range cases {
			w, n := before[name][id], after[name][id]
			if len(w) == 0 || len(n) == 0 {
				continue
			}
			x, y := metrics.Average(w), metrics.Average(n)
			a, b = append(a, x), append(b, y)
			if task.Six(x) == task.Six(y) {
				continue
			}
			if changes[id] == nil {
				changes[id] = &CaseChange{ID: id, Was: task.Six(metrics.Average(before["pass_rate"][id])), Is: task.Six(metrics.Average(after["pass_rate"][id])), Metrics: map[string]float64{}}
			}
			if name != "pass_rate" {
				changes[id].Metrics[name] = task.Six(y - x)
			}
			if (y < x) != slices.Contains(lowerIsBetter, name) {
				worse = append(worse, id)
			}
		}
		if len(a) == 0 {
			continue
		}
		d, err := metrics.Paired(b, a)
		if err != nil {
			return c, fmt.Errorf("comparing %s: %w", name, err)
		}
		m := MetricChange{name, task.Six(metrics.Average(a)), task.Six(metrics.Average(b)), task.Six(d.Value), task.Six(d.Lo), task.Six(d.Hi), task.Six(d.P), len(a)}
		c.Metrics = append(c.Metrics, m)
		switch down := (m.Difference < 0) != slices.Contains(lowerIsBetter, name); {
		case slices.Contains(costs, name):
		case c.Deterministic && len(worse) > 0:
			c.Regressions = append(c.Regressions, fmt.Sprintf("%s got worse in %s", name, strings.Join(worse, ", ")))
		case !c.Deterministic && m.Difference != 0 && down && m.P < significant:
			c.Regressions = append(c.Regressions, fmt.Sprintf("%s went from %.4g to %.4g (p %.3g)", name, m.Was, m.Is, m.P))
		}
	}
	for _, id := range cases {
		if change := changes[id]; change != nil {
			for _, item := range is.Items {
				if item.ID == id && !item.Pass && change.Misses == nil {
					change.Misses = item.Misses
				}
			}
			c.Cases = append(c.Cases, *change)
		}
	}
	return c, nil
}

// costs are metrics that may change without being right or wrong.
var costs = []string{"calls", "input_tokens", "output_tokens", "cost", MetricCRAGTrigger}

// mismatches says which cases differ between results.
func mismatches(was, is Results) []string {
	type inputs struct{ hash, corpus string }
	of := func(r Results) map[string]inputs {
		m := map[string]inputs{}
		for _, item := range r.Items {
			m[item.ID] = inputs{item.CaseHash, item.Corpus}
		}
		return m
	}
	a, b := of(was), of(is)
	var reasons []string
	if was.Schema != is.Schema {
		reasons = append(reasons, fmt.Sprintf("the schema is %d and was %d", is.Schema, was.Schema))
	}
	for _, id := range sortedKeys(a) {
		now, there := b[id]
		switch {
		case !there:
			reasons = append(reasons, fmt.Sprintf("case %s is not there any more", id))
		case now.hash != a[id].hash:
			reasons = append(reasons, fmt.Sprintf("case %s is not the same case", id))
		case now.corpus != a[id].corpus:
			reasons = append(reasons, fmt.Sprintf("the corpus of case %s is not the same", id))
		}
	}
	for _, id := range sortedKeys(b) {
		if _, there := a[id]; !there {
			reasons = append(reasons, fmt.Sprintf("case %s is new", id))
		}
	}
	return reasons
}
