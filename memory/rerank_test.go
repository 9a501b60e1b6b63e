package memory

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/assay/memory/index"
	"example.com/assay/memory/retrieval"
	"example.com/assay/state"
)

// ranker is a reranker of a function.
type ranker struct {
	score func(text string) float64
	err   error
	short bool
	calls int
	texts []string
	query string
}

func (*ranker) ID() string { return "test:ranker" }

func (r *ranker) Rerank(_ context.Context, query string, texts []string) ([]float64, error) {
	r.calls++
	r.texts, r.query = texts, query
	out := make([]float64, len(texts))
	for i, s := range texts {
		out[i] = r.score(s)
	}
	if r.short {
		out = out[1:]
	}
	return out, r.err
}

const aboutLiens = "What does a lien or a lease or a contact of battery secure?"

func liens(t *testing.T) (home string) {
	t.Helper()
	home = t.TempDir()
	mustIngest(t, IngestOptions{Home: home, Corpus: "law", Paths: []string{tree(t, t.TempDir(), small())}})
	return home
}

func openWith(t *testing.T, home string, opts *OpenOptions) *Corpus {
	t.Helper()
	c, err := OpenWith(home, "law", opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

func searchIn(t *testing.T, c *Corpus, q retrieval.Query) retrieval.Result {
	t.Helper()
	r, err := c.Search(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A reranker sees all that the index would give up to its depth, and its
// order counts; the evidence stays that of the index.
func TestRerank(t *testing.T) {
	home := liens(t)
	q := retrieval.Query{Primary: aboutLiens, K: 2}
	plain := searchIn(t, openWith(t, home, nil), q)
	by := &ranker{score: func(s string) float64 { return -float64(len(s)) }}
	got := searchIn(t, openWith(t, home, &OpenOptions{Reranker: by}), q)
	if by.query != q.Primary || len(by.texts) <= q.K {
		t.Errorf("asked %q about %d texts", by.query, len(by.texts))
	}
	want := slices.Clone(by.texts)
	slices.SortStableFunc(want, func(a, b string) int { return len(a) - len(b) })
	for i, h := range got.Hits {
		if index.Text(h.Passage) != want[i] || h.Rank != i+1 {
			t.Errorf("hit %d is %q at rank %d; want %q", i, index.Text(h.Passage), h.Rank, want[i])
		}
		if last := h.Scores[len(h.Scores)-1]; last.Ranker != RankerRerank || last.Value != -float64(len(want[i])) {
			t.Errorf("hit %d has the scores %v", i, h.Scores)
		}
	}
	if len(got.Hits) != 2 || got.Reranker != by.ID() || got.Fallback != "" {
		t.Errorf("%d hits by %q, fallback %q", len(got.Hits), got.Reranker, got.Fallback)
	}
	if got.Confidence != plain.Confidence || got.Similarity != plain.Similarity {
		t.Errorf("confidence %v; the index's is %v", got.Confidence, plain.Confidence)
	}
	shallow := &ranker{score: by.score}
	searchIn(t, openWith(t, home, &OpenOptions{Reranker: shallow, RerankDepth: 1}), q)
	if len(shallow.texts) != 2 {
		t.Errorf("with a depth of 1 and two hits wanted, %d texts were shown", len(shallow.texts))
	}
}

// Texts that a reranker finds equal stay in the index's order.
func TestRerankTies(t *testing.T) {
	hits, scores := make([]state.Hit, 60), make([]float64, 60)
	for i := range hits {
		hits[i].Passage.ID = fmt.Sprintf("p%02d", i)
		scores[i] = float64(i % 3)
	}
	last := -1
	for _, h := range ordered(hits, scores)[:20] {
		var n int
		if _, err := fmt.Sscanf(h.Passage.ID, "p%d", &n); err != nil {
			t.Fatal(err)
		}
		if n%3 != 2 || n <= last {
			t.Errorf("%s follows p%02d", h.Passage.ID, last)
		}
		last = n
	}
}

// A reranker that fails or answers nonsense leaves exactly what the index
// gives, and the result says so.
func TestRerankFallback(t *testing.T) {
	home := liens(t)
	q := retrieval.Query{Primary: aboutLiens, K: 3}
	want := searchIn(t, openWith(t, home, nil), q)
	flat := func(string) float64 { return 0 }
	for name, tc := range map[string]struct {
		by   *ranker
		says string
	}{
		"error":      {&ranker{score: flat, err: errors.New("server is down")}, "server is down"},
		"too few":    {&ranker{score: flat, short: true}, "scores for"},
		"no number":  {&ranker{score: func(string) float64 { return math.NaN() }}, "score 1 of"},
		"infinite":   {&ranker{score: func(string) float64 { return math.Inf(1) }}, "+Inf"},
		"long error": {&ranker{score: flat, err: errors.New(strings.Repeat("é", 400))}, "…"},
	} {
		got := searchIn(t, openWith(t, home, &OpenOptions{Reranker: tc.by}), q)
		if !strings.Contains(got.Fallback, tc.says) || !strings.Contains(got.Fallback, "test:ranker") || len(got.Fallback) > 300 || got.Reranker != "" {
			t.Errorf("%s: fallback %q, reranker %q", name, got.Fallback, got.Reranker)
		}
		got.Fallback = ""
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: the result differs from the index's own:\n%s", name, diff)
		}
	}
}

// Cancelling is no failure of the reranker: the search ends. Without hits it
// is not asked at all.
func TestRerankCancelled(t *testing.T) {
	home := liens(t)
	ctx, cancel := context.WithCancel(t.Context())
	by := &ranker{score: func(string) float64 { cancel(); return 0 }, err: context.Canceled}
	c := openWith(t, home, &OpenOptions{Reranker: by})
	if _, err := c.Search(ctx, retrieval.Query{Primary: aboutLiens}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	by.calls = 0
	if r := searchIn(t, c, retrieval.Query{Primary: "xylograph"}); len(r.Hits) != 0 || by.calls != 0 {
		t.Errorf("%d hits, %d calls", len(r.Hits), by.calls)
	}
}
