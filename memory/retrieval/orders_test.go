package retrieval_test

import (
	"testing"

	"example.com/assay/memory/retrieval"
	"example.com/assay/state"
)

// Orders are those of the rules and those of a detector, together.
func TestInspectIn(t *testing.T) {
	p := state.Passage{Text: "a b", Orders: []state.Order{{Kind: "detected", Start: 2, End: 3}}}
	rules := retrieval.Inspect(func(string) []retrieval.Order { return []retrieval.Order{{Kind: "override", End: 1}} })
	if got := rules.In(p); len(got) != 2 || got[0].Kind != "override" || got[1].Kind != "detected" {
		t.Errorf("%+v", got)
	}
	if got := retrieval.Inspect(nil).In(p); len(got) != 1 {
		t.Errorf("%+v", got)
	}
}

func TestFailuresOfASearch(t *testing.T) {
	for _, tc := range []struct {
		found retrieval.Result
		n     int
	}{{retrieval.Result{}, 0}, {retrieval.Result{Fallback: "x"}, 1}, {retrieval.Result{Uninspected: "x"}, 1}, {retrieval.Result{Fallback: "x", Uninspected: "y"}, 2}} {
		if l, w := retrieval.Lost(tc.found, "q"), retrieval.Warnings(tc.found); len(l) != tc.n || len(w) != tc.n {
			t.Errorf("%+v: %v, %q", tc.found, l, w)
		}
	}
}
