package injection

import (
	"strings"

	"example.com/assay/memory/text/pattern"
	"example.com/assay/skills"
)

// scaffold matches the text that the offline synthesis adds to its quotes.
var scaffold = pattern.New(`^(?:|No passage answers this question\.|#{2,3} (?:Rule|Elements|Exceptions|Application|Sources)|- \[Source 1\])$`)

// headword begins a line with the headword of a quote, which is text of the document, too.
const headword = "#### "

// taken splits an answer of the offline synthesis into its quotes, and reports
// whether it says anything else.
func taken(answer string) (quotes []string, rest bool) {
	answer += "\n"
	for {
		before, after, quoted := strings.Cut(answer, "- “")
		for line := range strings.Lines(before) {
			if name, ok := strings.CutPrefix(strings.TrimSpace(line), headword); ok {
				quotes = append(quotes, name)
				continue
			}
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
		first, last, ok := skills.Find(document[from:], quote)
		if !ok {
			return touches
		}
		if from+first >= end || from+last <= start {
			return false
		}
		touches, from = true, from+first+1
	}
}

// holds reports whether a document contains a quote, ignoring line breaks.
func holds(document, quote string) bool {
	_, _, ok := skills.Find(document, quote)
	return ok
}
