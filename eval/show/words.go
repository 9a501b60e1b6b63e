package show

import (
	"strconv"

	"example.com/assay/eval"
	"example.com/assay/serve/page/look"
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

// cost describes the cost of calls. Unknown costs are named instead of counted as 0, and so is the
// recorded cost of a replay.
func cost(s eval.Spent) string {
	text := "0"
	switch {
	case s.Cost == nil && s.Unpriced > 0:
		text = "unknown: " + look.Count(s.Unpriced, "call")
	case s.Cost != nil:
		if text = s.Cost.String(); s.Unpriced > 0 {
			text += " and unknown: " + look.Count(s.Unpriced, "call")
		}
	}
	if s.RecordedCost > 0 || s.RecordedUnpriced > 0 {
		text += ", when recorded " + cost(eval.SpentOf(state.ModelUsage{Cost: s.RecordedCost, Unpriced: s.RecordedUnpriced}))
	}
	return text
}

// countedMetrics are counts and not shares; they are listed first.
var countedMetrics = []string{"calls", "input_tokens", "output_tokens", "cost"}

// A fact is a name with a text.
type fact struct{ Name, Text string }

// facts returns how results were made.
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
