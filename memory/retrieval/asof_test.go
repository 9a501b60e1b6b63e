package retrieval_test

import (
	"context"
	"slices"
	"testing"

	"example.com/assay/memory/retrieval"
	"example.com/assay/state"
)

type dates []state.Passage

func (d dates) Search(_ context.Context, q retrieval.Query) (retrieval.Result, error) {
	var r retrieval.Result
	for _, p := range d {
		if !slices.Contains(q.Exclude, p.ID) && len(r.Hits) < q.K {
			r.Hits = append(r.Hits, state.Hit{Passage: p})
		}
	}
	return r, nil
}

// Documents that hold from a later day, or no longer, are left out, and others take
// their place.
func TestAsOf(t *testing.T) {
	corpus := dates{
		{ID: "new", Metadata: map[string]string{"valid_from": "2025-01-01"}}, {ID: "old", Metadata: map[string]string{"date": "2023-04"}},
		{ID: "ended", Metadata: map[string]string{"valid_until": "2023-12-31"}}, {ID: "undated"}, {ID: "words", Metadata: map[string]string{"date": "spring"}},
	}
	for day, want := range map[string][]string{
		"": {"new", "old", "ended"}, "2024-06-30": {"old", "undated", "words"}, "2025": {"new", "old", "undated"}, "2022-01-01": {"ended", "undated", "words"},
		"2023-12-31": {"old", "ended", "undated"},
	} {
		found, err := retrieval.AsOf(corpus, day).Search(t.Context(), retrieval.Query{K: 3})
		var got []string
		for _, h := range found.Hits {
			got = append(got, h.Passage.ID)
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %q, error %v; want %q", day, got, err, want)
		}
	}
}
