package eval

import (
	"fmt"
	"time"

	"example.com/assay/eval/metrics"
	"example.com/assay/state"
)

// A Summary is what the outcomes of several cases come to.
type Summary struct {
	N, Passed int
	// Metrics are means over the cases, with 95 % bootstrap intervals: pass_rate,
	// calls, input_tokens, output_tokens, and cost where all of it is known.
	Metrics   []Measured
	Resample  metrics.ResampleOptions // by which the intervals were drawn
	P50, P95  time.Duration           // of the runs
	Usage     state.ModelUsage
	NodeUsage map[string]state.ModelUsage // a node inside another as "execute/rewrite"
}

// Measured is a named mean.
type Measured struct {
	Name string
	metrics.Interval
}

// Summarise sums up outcomes, of which there must be one. A case that could not
// be run has not passed and counts in nothing else.
func Summarise(outcomes []Outcome, opts *metrics.ResampleOptions) (Summary, error) {
	s := Summary{N: len(outcomes), Resample: opts.Resolved(), NodeUsage: map[string]state.ModelUsage{}}
	columns := []struct {
		name   string
		of     func(u state.ModelUsage) float64
		values []float64
	}{
		{name: "calls", of: func(u state.ModelUsage) float64 { return float64(u.Calls) }},
		{name: "input_tokens", of: func(u state.ModelUsage) float64 { return float64(u.InputTokens) }},
		{name: "output_tokens", of: func(u state.ModelUsage) float64 { return float64(u.OutputTokens) }},
		{name: "cost", of: func(u state.ModelUsage) float64 { return u.Cost.Amount() }},
	}
	var passed []float64
	var times []time.Duration
	for _, o := range outcomes {
		passed = append(passed, 0)
		if o.Passed() {
			s.Passed++
			passed[len(passed)-1] = 1
		}
		if o.Err != nil {
			continue
		}
		times = append(times, o.Run.Times.Total)
		usage := o.Run.Usage()
		s.Usage = s.Usage.Plus(usage)
		for node, u := range o.Run.Times.Usage {
			s.NodeUsage[node] = s.NodeUsage[node].Plus(u)
		}
		for i := range columns {
			columns[i].values = append(columns[i].values, columns[i].of(usage))
		}
	}
	if err := s.measure("pass_rate", passed, opts); err != nil {
		return s, err
	}
	for _, c := range columns {
		if len(c.values) == 0 || c.name == "cost" && s.Usage.Unpriced > 0 {
			continue
		}
		if err := s.measure(c.name, c.values, opts); err != nil {
			return s, err
		}
	}
	s.P50, s.P95 = metrics.Percentile(times, .5), metrics.Percentile(times, .95)
	return s, nil
}

func (s *Summary) measure(name string, values []float64, opts *metrics.ResampleOptions) error {
	interval, err := metrics.Bootstrap(values, opts)
	if err != nil {
		return fmt.Errorf("summing up cases: %w", err)
	}
	s.Metrics = append(s.Metrics, Measured{name, interval})
	return nil
}
