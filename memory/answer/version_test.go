package answer_test

import (
	"strings"
	"testing"

	"example.com/assay/memory/answer"
)

// The newer of two versions answers, and the older is named; the year of a question chooses
// among them. Without days both are shown where their numbers differ, and one where they agree.
func TestVersions(t *testing.T) {
	version := func(doc, date, fee string) answer.Source {
		return answer.Source{Title: "Berth rules", Doc: doc, Date: date, Text: "The fee for a berth is " + fee + " euros a night."}
	}
	for _, c := range []struct {
		question    string
		a, b        answer.Source
		best, other string // fees; "" for none
		undated     bool
	}{
		{question: "What is the fee for a berth?", a: version("old", "2023-01-01", "40"), b: version("new", "2025-01-01", "55"), best: "55", other: "40"},
		{question: "What was the fee for a berth in 2024?", a: version("old", "2023-01-01", "40"), b: version("new", "2025-01-01", "55"), best: "40"},
		{question: "What is the fee for a berth?", a: version("a", "", "40"), b: version("b", "", "55"), best: "40", other: "55", undated: true},
		{question: "What is the fee for a berth?", a: version("a", "", "40"), b: version("b", "", "40"), best: "40"},
	} {
		sources := []answer.Source{c.a, c.b}
		r := answer.Rank(c.question, sources, &answer.Options{Confidence: .9})
		if len(r.Quotes) == 0 || !strings.Contains(sources[r.Quotes[0].Source].Text, c.best) {
			t.Errorf("%s: %+v; want %s", c.question, r.Quotes, c.best)
			continue
		}
		switch v := r.Version; {
		case c.other == "":
			if v != nil {
				t.Errorf("%s: %+v beside %s", c.question, v, c.best)
			}
		case v == nil || !strings.Contains(sources[v.Source].Text, c.other) || v.Undated != c.undated:
			t.Errorf("%s: %+v beside %s; want %s", c.question, v, c.best, c.other)
		}
	}
}
