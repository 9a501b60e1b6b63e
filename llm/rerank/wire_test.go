package rerank

import (
	"testing"
)

// FuzzDecode reads any answer: no panic, and a score for every text or none.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		`{"results":[{"index":1,"relevance_score":0.5},{"index":0,"relevance_score":-3}]}`,
		`[{"index":0,"score":1},{"index":1,"score":2}]`, `[{"index":0},null]`, `{"results":null}`, ` [`, `7`,
	} {
		f.Add(seed, 2)
	}
	f.Fuzz(func(t *testing.T, body string, n int) {
		n = min(max(n, 0), 100)
		scores, err := decode([]byte(body), n)
		if (err == nil && len(scores) != n) || (err != nil && scores != nil) {
			t.Errorf("%d scores for %d texts, error %v", len(scores), n, err)
		}
	})
}
