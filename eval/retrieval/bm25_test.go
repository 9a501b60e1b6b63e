package retrieval

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"example.com/assay/memory/index"
	"example.com/assay/memory/text"
	"example.com/assay/state"
)

func passagesFor(texts []string) *Dataset {
	d := &Dataset{}
	for i, s := range texts {
		d.Passages = append(d.Passages, state.Passage{ID: fmt.Sprintf("p%02d", i), Title: "", Text: s})
	}
	return d
}

// slowBM25 is the formula, word by word.
func slowBM25(texts []string, query string, k1, b float64) []float64 {
	words := func(s string) []string { return text.Terms(s, LuceneStops) }
	times := func(w string, in []string) (n float64) {
		for _, v := range in {
			if v == w {
				n++
			}
		}
		return n
	}
	total := 0.0
	for _, s := range texts {
		total += float64(len(words(s)))
	}
	out := make([]float64, len(texts))
	for i, s := range texts {
		for _, w := range words(query) { // a word that comes twice counts twice
			df := 0.0
			for _, other := range texts {
				df += min(1, times(w, words(other)))
			}
			if tf := times(w, words(s)); tf > 0 {
				n := float64(len(texts))
				length := float64(len(words(s))) / (total / n)
				out[i] += math.Log(1+(n-df+.5)/(df+.5)) * tf / (tf + k1*(1-b+b*length))
			}
		}
	}
	return out
}

func TestBM25AgainstSlow(t *testing.T) {
	vocabulary := []string{"lantern", "permit", "the", "fees", "fee", "tide", "is", "moon", "Bollards"}
	rapid.Check(t, func(t *rapid.T) {
		sentence := rapid.Map(rapid.SliceOfN(rapid.SampledFrom(vocabulary), 0, 8), func(w []string) string { return strings.Join(w, " ") })
		texts := rapid.SliceOfN(sentence, 1, 6).Draw(t, "texts")
		query := sentence.Draw(t, "query")
		params := index.BM25{K1: rapid.Float64Range(.1, 3).Draw(t, "k1"), B: rapid.Float64Range(.01, 1).Draw(t, "b")}
		x, err := NewBM25(t.Context(), passagesFor(texts), params, nil)
		if err != nil {
			t.Fatal(err)
		}
		got, err := x.Rank(t.Context(), query, 100)
		if err != nil {
			t.Fatal(err)
		}
		want, found := slowBM25(texts, query, params.K1, params.B), 0
		for i, score := range want {
			at := slices.IndexFunc(got, func(s Scored) bool { return s.ID == fmt.Sprintf("p%02d", i) })
			if score > 0 {
				found++
			}
			if (at >= 0) != (score > 0) || at >= 0 && math.Abs(got[at].Score-score) > 1e-9 {
				t.Errorf("passage %d of %q for %q: %v, slowly %v", i, texts, query, got, score)
			}
		}
		if len(got) != found || !slices.IsSortedFunc(got, byScore) {
			t.Errorf("%v, want %d", got, found)
		}
	})
}

func TestBM25(t *testing.T) {
	x, err := NewBM25(t.Context(), passagesFor([]string{"lantern fee", "fee lantern", "", "moon's moon moon"}), index.BM25{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := x.Rank(t.Context(), "Lanterns!", 1)
	if err != nil || len(got) != 1 || got[0].ID != "p00" {
		t.Errorf("of equal ones the lower id: %v, %v", got, err)
	}
	for _, query := range []string{"", "the of", "unknown"} {
		if got, err := x.Rank(t.Context(), query, 5); err != nil || len(got) != 0 {
			t.Errorf("%q: %v, %v", query, got, err)
		}
	}
	empty, err := NewBM25(t.Context(), passagesFor([]string{"the", "of"}), index.BM25{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := empty.Rank(t.Context(), "lantern", 5); err != nil || len(got) != 0 {
		t.Errorf("an index of stop words: %v, %v", got, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := x.Rank(ctx, "moon", 1); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := NewBM25(ctx, passagesFor([]string{"moon"}), index.BM25{}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
