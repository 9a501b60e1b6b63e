package figures

import (
	"encoding/json"
	"fmt"
	"maps"
	"strconv"
	"strings"

	"example.com/assay/eval/metrics"
)

// A Reading is what a measurement's command printed.
type Reading struct {
	N       int
	Trained bool // shipped weights were trained on these labels: a fit
	Metrics map[string]metrics.Interval
}

// Read reads what a command of `agent eval` prints with --json. The metrics of
// modes are called by them: "gold/accuracy".
func Read(data []byte) (Reading, error) {
	var doc struct {
		N        int                         `json:"n"`
		Contexts int                         `json:"contexts"`
		Trained  bool                        `json:"trained_on_this_data"`
		Metrics  map[string]metrics.Interval `json:"metrics"`
		Modes    []struct {
			Mode    string                      `json:"mode"`
			Metrics map[string]metrics.Interval `json:"metrics"`
		} `json:"modes"`
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		return Reading{}, fmt.Errorf("reading figures: %w", err)
	}
	r := Reading{N: max(doc.N, doc.Contexts), Trained: doc.Trained, Metrics: map[string]metrics.Interval{}}
	maps.Copy(r.Metrics, doc.Metrics)
	for _, mode := range doc.Modes {
		for name, v := range mode.Metrics {
			r.Metrics[mode.Mode+"/"+name] = v
		}
	}
	if len(r.Metrics) == 0 {
		return Reading{}, fmt.Errorf("reading figures: there are none in %.80q", data)
	}
	return r, nil
}

// ReadTable reads one of the tables that eval/train prints: a head of
// "| TABLE, n N | value | 95 % |", and rows of "| metric | value | lo – hi |".
func ReadTable(text, table string) (Reading, error) {
	r := Reading{Metrics: map[string]metrics.Interval{}}
	head, found := "| "+table+", n ", false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if rest, ok := strings.CutPrefix(line, head); ok {
			n, err := strconv.Atoi(strings.Fields(rest)[0])
			if err != nil {
				return r, fmt.Errorf("reading figures: %q has no number of items", line)
			}
			r.N, found = n, true
			continue
		}
		cells := strings.Split(strings.Trim(line, "| "), " | ")
		switch {
		case !found || strings.HasPrefix(line, "|---"):
			continue
		case len(cells) != 3:
			return r, nil // the table's end
		}
		v, err := strconv.ParseFloat(cells[1], 64)
		lo, hi, ok := strings.Cut(cells[2], " – ")
		low, errLow := strconv.ParseFloat(lo, 64)
		high, errHigh := strconv.ParseFloat(hi, 64)
		if err != nil || !ok || errLow != nil || errHigh != nil {
			return r, fmt.Errorf("reading figures: %q is no row of a metric", line)
		}
		r.Metrics[cells[0]] = metrics.Interval{Value: v, Lo: low, Hi: high}
	}
	if !found {
		return r, fmt.Errorf("reading figures: there is no table of %q", table)
	}
	return r, nil
}
