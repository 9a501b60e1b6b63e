package figures

import (
	"fmt"
	"strconv"
	"strings"

	"example.com/assay/eval/metrics"
)

// ReadTable reads one of the tables that eval/train prints: a head of
// "| TABLE, n N | value | 95 % |", and rows of "| metric | value | lo – hi |".
func ReadTable(text, table string) (Set, error) {
	r := Set{Metrics: map[string]metrics.Interval{}}
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
