package eval

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"example.com/assay/eval/metrics"
	"example.com/assay/eval/task"
	"example.com/assay/state"
)

// ResultsSchema is the version of Results' JSON.
const ResultsSchema = 1

// Results are the results of cases: the output of `agent eval cases --json` and the input of
// --baseline.
type Results struct {
	Schema  int    `json:"schema"`
	Task    string `json:"task"` // "cases"
	Model   string `json:"model"`
	N       int    `json:"n"`      // cases
	Passed  int    `json:"passed"` // cases that pass in every repeat
	Repeats int    `json:"repeats"`
	// Metrics are means over the cases, each its mean over the repeats, with 95 % bootstrap
	// intervals: pass_rate, calls, input_tokens, output_tokens, cost if completely known, and those
	// of the runs.
	Metrics map[string]metrics.Interval `json:"metrics"`
	// Variation is the mean over the cases of the standard deviation over the repeats; empty
	// without repeats.
	Variation map[string]float64 `json:"variation,omitempty"`
	Flaky     []string           `json:"flaky,omitempty"` // cases that pass in some repeats only
	Latency   task.Latency       `json:"latency_ms"`
	Resample  task.Drawn         `json:"resampling"`
	Usage     Spent              `json:"usage"` // of all runs
	NodeUsage map[string]Spent   `json:"node_usage"`
	// Calibration compares the confidence of answered runs with the share that passes;
	// Coverage is the share that passes among the most confident ones.
	Calibration Calibration     `json:"calibration"`
	Coverage    []CoveragePoint `json:"coverage_precision"`
	Made        Made            `json:"made"`
	Items       []Item          `json:"items"`
}

// MetricNames returns the names of the metrics: those counted for every run first, then the rest by
// name.
func (r Results) MetricNames() []string {
	first := []string{"pass_rate", "calls", "input_tokens", "output_tokens", "cost"}
	rank := func(name string) int {
		if i := slices.Index(first, name); i >= 0 {
			return i
		}
		return len(first)
	}
	return slices.SortedFunc(maps.Keys(r.Metrics), func(x, y string) int { return cmp.Or(rank(x)-rank(y), strings.Compare(x, y)) })
}

// Made says how, where and when results were made.
type Made struct {
	Version string `json:"version"` // of Assay
	Go      string `json:"go"`
	Machine string `json:"machine"` // operating system, architecture and processors
	Date    string `json:"date"`    // RFC 3339, UTC
	// Deterministic says that every run is the same each time: offline, or replayed.
	Deterministic bool              `json:"deterministic"`
	Skills        map[string]string `json:"skills"` // hash by name
	CaseSet       string            `json:"case_set"`
	Corpora       map[string]string `json:"corpora"` // fingerprint by case
}

// Calibration describes how well confidence predicts a pass.
type Calibration struct {
	N    int              `json:"n"`   // runs that answered
	ECE  float64          `json:"ece"` // 0 without any
	Bins []ReliabilityBin `json:"bins"`
}

// A ReliabilityBin is a range of confidence: From up to To.
type ReliabilityBin struct {
	From       float64 `json:"from"`
	To         float64 `json:"to"`
	N          int     `json:"n"`
	Confidence float64 `json:"confidence"` // mean
	Passed     float64 `json:"passed"`     // share
}

// A CoveragePoint has the answers with at least this Confidence: the share of them that
// passes, and their share of all runs.
type CoveragePoint struct {
	Confidence float64 `json:"confidence"`
	Coverage   float64 `json:"coverage"`
	Precision  float64 `json:"precision"`
}

// Summarise summarises the items of a suite, grouped by case. A run that could not start counts as
// not passed and in no other figure. Without items it returns an error.
func Summarise(items []Item, made Made) (Results, error) {
	if len(items) == 0 {
		return Results{}, errors.New("summing up cases: there are none")
	}
	r := Results{
		Schema: ResultsSchema, Task: "cases", Repeats: 1, Metrics: map[string]metrics.Interval{}, Resample: task.Resampling(),
		NodeUsage: map[string]Spent{}, Made: made, Items: items,
	}
	var usage state.ModelUsage
	nodes := map[string]state.ModelUsage{}
	var times []time.Duration
	for _, item := range items {
		r.Repeats = max(r.Repeats, item.Repeat)
		if !item.ran() {
			continue
		}
		times = append(times, time.Duration(item.LatencyMS*float64(time.Millisecond)))
		usage = usage.Plus(item.Usage.Usage())
		for node, u := range item.NodeUsage {
			nodes[node] = nodes[node].Plus(u.Usage())
		}
	}
	r.Usage, r.Latency = SpentOf(usage), task.Latency{P50: task.Milliseconds(metrics.Percentile(times, .5)), P95: task.Milliseconds(metrics.Percentile(times, .95))}
	for node, u := range nodes {
		r.NodeUsage[node] = SpentOf(u)
	}
	if err := r.measure(usage.Unpriced == 0); err != nil {
		return r, fmt.Errorf("summing up cases: %w", err)
	}
	r.calibrate()
	r.describe()
	return r, nil
}

// describe records the cases and corpora of the results.
func (r *Results) describe() {
	if r.Made.Skills == nil {
		r.Made.Skills = map[string]string{}
	}
	r.Made.Corpora = map[string]string{}
	var set []string
	for _, item := range r.Items {
		for name, hash := range item.Skills {
			r.Made.Skills[name] = hash
		}
		if item.Corpus != "" {
			r.Made.Corpora[item.ID] = item.Corpus
		}
		if item.Repeat <= 1 {
			set = append(set, item.ID+"="+item.CaseHash)
		}
	}
	slices.Sort(set)
	r.Made.CaseSet = hashOf([]byte(strings.Join(set, "\n")))
}

// ran reports whether the case was run, even if it failed.
func (item Item) ran() bool { return item.Error == "" || len(item.Path) > 0 }

// values returns the measured values of one run.
func (item Item) values(priced bool) map[string]float64 {
	v := map[string]float64{"pass_rate": metrics.One(item.Pass)}
	if !item.ran() {
		return v
	}
	u := item.Usage
	v["calls"], v["input_tokens"], v["output_tokens"] = float64(u.Calls), float64(u.InputTokens), float64(u.OutputTokens)
	if priced && u.Cost != nil {
		v["cost"] = u.Cost.Amount()
	}
	for name, value := range item.Metrics {
		v[name] = value
	}
	return v
}

// perCase groups the values of repeats by metric and case.
func perCase(items []Item, priced bool) (names, cases []string, values map[string]map[string][]float64) {
	values = map[string]map[string][]float64{}
	for _, item := range items {
		if !slices.Contains(cases, item.ID) {
			cases = append(cases, item.ID)
		}
		for name, v := range item.values(priced) {
			if values[name] == nil {
				values[name] = map[string][]float64{}
			}
			values[name][item.ID] = append(values[name][item.ID], v)
		}
	}
	return sortedKeys(values), cases, values
}

func (r *Results) measure(priced bool) error {
	names, cases, values := perCase(r.Items, priced)
	r.N = len(cases)
	for _, id := range cases {
		switch passed := metrics.Average(values["pass_rate"][id]); {
		case passed == 1:
			r.Passed++
		case passed > 0:
			r.Flaky = append(r.Flaky, id)
		}
	}
	for _, name := range names {
		var means, spreads []float64
		for _, id := range cases {
			if runs := values[name][id]; len(runs) > 0 {
				means, spreads = append(means, metrics.Average(runs)), append(spreads, deviation(runs))
			}
		}
		interval, err := metrics.Bootstrap(means)
		if err != nil {
			return err
		}
		round := task.Six
		if name == "cost" {
			round = nine // as fine as money is counted
		}
		r.Metrics[name] = metrics.Interval{Value: round(interval.Value), Lo: round(interval.Lo), Hi: round(interval.Hi)}
		if r.Repeats > 1 {
			if r.Variation == nil {
				r.Variation = map[string]float64{}
			}
			r.Variation[name] = task.Six(metrics.Average(spreads))
		}
	}
	return nil
}

// calibrate compares confidence with passes.
func (r *Results) calibrate() {
	r.Calibration.Bins, r.Coverage = []ReliabilityBin{}, []CoveragePoint{}
	var passed []bool
	var confidence []float64
	for _, item := range r.Items {
		if item.Status == state.StatusAnswered {
			passed, confidence = append(passed, item.Pass), append(confidence, item.Confidence)
		}
	}
	r.Calibration.N, r.Calibration.ECE = len(passed), task.Six(metrics.ECE(passed, confidence))
	for _, b := range metrics.Reliability(passed, confidence, metrics.CalibrationBins) {
		r.Calibration.Bins = append(r.Calibration.Bins, ReliabilityBin{task.Six(b.Lo), task.Six(b.Hi), b.N, task.Six(b.Expected), task.Six(b.Observed)})
	}
	order := make([]int, len(passed))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(confidence[b], confidence[a]) })
	right := 0
	for n, i := range order {
		if passed[i] {
			right++
		}
		if n+1 < len(order) && confidence[order[n+1]] == confidence[i] {
			continue // items of equal confidence are taken together
		}
		r.Coverage = append(r.Coverage, CoveragePoint{task.Six(confidence[i]), task.Six(metrics.Rate(n+1, len(r.Items))), task.Six(metrics.Rate(right, n+1))})
	}
}

// deviation is the standard deviation of a sample, 0 for a single value.
func deviation(values []float64) float64 {
	if len(values) < 2 {
		return 0
	}
	m, sum := metrics.Average(values), 0.0
	for _, v := range values {
		sum += (v - m) * (v - m)
	}
	return math.Sqrt(sum / float64(len(values)-1))
}

func nine(v float64) float64 { return math.Round(v*1e9) / 1e9 }
