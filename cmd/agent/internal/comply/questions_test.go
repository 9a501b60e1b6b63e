package comply

import (
	"testing"

	"example.com/assay/nodes/evidence"
)

// A row overrides the flags that it has a column for; the other flags hold for every row.
func TestFlagsOfRows(t *testing.T) {
	flags := evidence.Filter{Topic: "crisis", Section: "4103", SourceType: evidence.Statute, Explicit: true, AsOf: "2024-06"}
	got := askedQuestion{Question: "How soon?", Topic: "housing", SourceType: evidence.Policy}.input(flags)
	want := evidence.Filter{Topic: "housing", Section: "4103", SourceType: evidence.Policy, Explicit: true, AsOf: "2024-06"}
	if got.Filter != want || got.Question != "How soon?" {
		t.Errorf("%+v", got)
	}
}
