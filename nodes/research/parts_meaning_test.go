package research

import (
	"testing"

	"example.com/assay/memory/answer"
	"example.com/assay/state"
)

// What was cited is about the question by its words or by what it means.
func TestAnsweredInOtherWords(t *testing.T) {
	hit := state.Hit{Passage: state.Passage{Title: "p", Text: "Reimbursement is effected within ten working days of approval."}}
	const question = "how long until I get my money back"
	for near, missing := range map[float64]int{answer.About - .01: 1, answer.About + .01: 0} {
		hit.Near = []float64{near}
		if parts, got := missingParts(question, []state.Hit{hit}); parts != 1 || len(got) != missing {
			t.Errorf("at %v: %d parts, missing %q", near, parts, got)
		}
	}
}
