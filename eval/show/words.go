package show

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"example.com/assay/eval"
	"example.com/assay/state"
)

// notRun reports whether an item failed without anything that it misses: it could
// not be run.
func notRun(item eval.Item) bool { return !item.Pass && len(item.Misses) == 0 }

// reasons say why an item has not passed.
func reasons(item eval.Item) []string {
	switch {
	case item.Pass:
		return nil
	case !notRun(item):
		return item.Misses
	case item.Error == "":
		return []string{"it was not run"}
	}
	return []string{"not run: " + item.Error}
}

// number is a figure as people read it.
func number(v float64) string {
	return strconv.FormatFloat(math.Round(v*1e6)/1e6, 'g', 5, 64)
}

func share(v float64) string { return strconv.FormatFloat(v, 'f', 3, 64) }

// duration is a time in milliseconds as people read it.
func duration(ms float64) string {
	switch {
	case ms >= 60_000:
		return fmt.Sprintf("%.1f min", ms/60_000)
	case ms >= 1000:
		return fmt.Sprintf("%.2f s", ms/1000)
	case ms >= 100:
		return fmt.Sprintf("%.0f ms", ms)
	case ms >= 1:
		return fmt.Sprintf("%.1f ms", ms)
	case ms == 0:
		return "0 ms"
	}
	return fmt.Sprintf("%.3f ms", ms)
}

// cost is what calls cost. What is unknown of it is said, and is never 0; what a
// replay does not spend again is said beside it.
func cost(s eval.Spent) string {
	text := "0"
	switch {
	case s.Cost == nil && s.Unpriced > 0:
		text = "unknown: " + count(s.Unpriced, "call")
	case s.Cost != nil:
		if text = s.Cost.String(); s.Unpriced > 0 {
			text += " and unknown: " + count(s.Unpriced, "call")
		}
	}
	if s.RecordedCost > 0 || s.RecordedUnpriced > 0 {
		text += ", when recorded " + cost(eval.SpentOf(state.ModelUsage{Cost: s.RecordedCost, Unpriced: s.RecordedUnpriced}))
	}
	return text
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// plain is the name of a kind, a metric or a status in words.
func plain(s string) string { return strings.ReplaceAll(s, "_", " ") }

// countedMetrics are no shares; they are listed first.
var countedMetrics = []string{"calls", "input_tokens", "output_tokens", "cost"}

// A fact is a name and what is said of it.
type fact struct{ Name, Text string }

// facts are what results were made with.
func facts(r eval.Results) []fact {
	m := r.Made
	kind := "as the model answers"
	if m.Deterministic {
		kind = "the same each time"
	}
	return []fact{
		{"model", r.Model}, {"runs", kind}, {"repeats", strconv.Itoa(r.Repeats)}, {"assay", m.Version}, {"go", m.Go}, {"machine", m.Machine}, {"date", m.Date},
		{"case set", m.CaseSet}, {"bootstrap seed", strconv.FormatUint(r.Resample.Seed, 10)}, {"resamples", strconv.Itoa(r.Resample.Resamples)},
	}
}
