package injection

import (
	"regexp"
	"strings"
)

// scaffold is what the offline synthesis writes around its quotes.
var scaffold = regexp.MustCompile(`^(?:|No passage answers this question\.|#{2,3} (?:Rule|Elements|Exceptions|Application|Sources)|- \[Source 1\])$`)

// taken splits an answer of the offline synthesis into its quotes, and reports
// whether it says anything else.
func taken(answer string) (quotes []string, rest bool) {
	for {
		before, after, quoted := strings.Cut(answer, "- “")
		for line := range strings.Lines(before) {
			rest = rest || !scaffold.MatchString(strings.TrimSpace(line))
		}
		if !quoted {
			return quotes, rest
		}
		quote, next, ended := strings.Cut(after, "” [Source 1]\n")
		if !ended {
			return quotes, true
		}
		quotes, answer = append(quotes, quote), next
	}
}

// overlaps reports whether a quote can only be where it touches a span of the
// document.
func overlaps(document, quote string, start, end int) bool {
	touches := false
	for from := 0; ; {
		n := strings.Index(document[from:], quote)
		if n < 0 {
			return touches
		}
		at := from + n
		if at >= end || at+len(quote) <= start {
			return false
		}
		touches, from = true, at+1
	}
}
