package answers

import (
	"strings"

	"example.com/assay/eval/metrics"
	"example.com/assay/memory/text/pattern"
	"example.com/assay/state"
)

var sourcesHeading = pattern.New(`(?m)^(?:#+\s*)?Sources\s*$`)

// Body returns an answer without its list of sources.
func Body(answer string) string {
	if i := sourcesHeading.FindStringIndex(answer); i != nil {
		answer = answer[:i[0]]
	}
	return strings.TrimSpace(answer)
}

// firstQuote returns the first quote of an answer, or "". A quote may contain quotation marks: the
// spans of the sources say where it ends.
func firstQuote(a state.Answer) string {
	_, rest, found := strings.Cut(Body(a.Answer), "“")
	if !found {
		return ""
	}
	best, shown := "", metrics.Plain(rest)
	for _, s := range a.Sources {
		for _, q := range s.Quotes {
			if len(q.Text) > len(best) && strings.HasPrefix(shown, metrics.Plain(q.Text)) {
				best = q.Text
			}
		}
	}
	if best != "" {
		return best
	}
	quote, _, _ := strings.Cut(rest, "”")
	return quote
}
