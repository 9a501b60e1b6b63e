package offline

import (
	"fmt"
	"strings"

	"example.com/assay/decide/injection"
	"example.com/assay/memory/answer"
	"example.com/assay/memory/text"
	"example.com/assay/skills"
)

// mostAnswers is how many quotes answer a plain question.
const mostAnswers = 3

// leastFit is the fit of the best sentence, less what the absent words cost, from
// which there is an answer: of 205 questions over six manuals it refuses 1 in 4 of
// those that have none, and 2 in 100 of the answers that are right.
const (
	leastFit  = 5.5
	perAbsent = 2.2
)

// quoteAnswers answers a question that tells no story: the stretches of the sources
// that answer it, the best first.
func quoteAnswers(question string, sources []skills.Source, most int) string {
	list := make([]answer.Source, len(sources))
	orders := make([][]injection.Instruction, len(sources))
	for i, s := range sources {
		list[i] = answer.Source{Title: s.Title, Section: s.Section, Text: s.Text}
		orders[i] = injection.Instructions(s.Text)
	}
	ranking := answer.Rank(question, list, most, func(source, start, end int) bool {
		for _, o := range orders[source] {
			if o.Start < end && start < o.End {
				return false
			}
		}
		return quotable(sources[source].Text[start:end], true)
	})
	if len(ranking.Quotes) == 0 || ranking.Top-perAbsent*ranking.Absent < leastFit {
		return noAnswer
	}
	var b strings.Builder
	for _, q := range ranking.Quotes {
		s := sources[q.Source]
		if q.Head != "" {
			fmt.Fprintf(&b, "#### %s\n", text.OneLine(q.Head))
		}
		fmt.Fprintf(&b, "- “%s” [Source %d]\n", text.OneLine(s.Text[q.Start:q.End]), s.N)
	}
	return strings.TrimRight(b.String(), "\n")
}
