package retrieval_test

import (
	"testing"

	"example.com/assay/memory/retrieval"
	"example.com/assay/state"

	"github.com/google/go-cmp/cmp"
)

// Summands that are 0 are left out, and what orders hits is no summand.
func TestExplain(t *testing.T) {
	got := retrieval.Explain([]state.Score{{Ranker: "fused", Value: 1.5}, {Ranker: "bm25", Value: 1}, {Ranker: "lsa"}, {Ranker: "bigram", Value: .5}, {Ranker: "trained", Value: 3}, {Ranker: "rerank"}})
	want := retrieval.Explanation{
		Sum: state.Score{Ranker: "fused", Value: 1.5}, Summands: []state.Score{{Ranker: "bm25", Value: 1}, {Ranker: "bigram", Value: .5}},
		Others: []state.Score{{Ranker: "trained", Value: 3}, {Ranker: "rerank"}},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(retrieval.Explanation{}, retrieval.Explain(nil)); d != "" {
		t.Error(d)
	}
}
