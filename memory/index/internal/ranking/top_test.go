package ranking

import (
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/assay/memory/retrieval"
)

func TestBest(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		values := make([]float64, rng.IntN(30))
		var want []int32
		for i := range values {
			if values[i] = float64(rng.IntN(6)) - 1; values[i] > 0 {
				want = append(want, int32(i))
			}
		}
		slices.SortStableFunc(want, func(a, b int32) int { return int(values[b] - values[a]) })
		k := 1 + rng.IntN(8)
		if got := best(values, k, nil); !slices.Equal(got, want[:min(k, len(want))]) {
			t.Fatalf("best(%v, %d) = %v, want %v", values, k, got, want)
		}
	}
}

func TestBackground(t *testing.T) {
	scores := make([]float64, 60)
	for i := range scores {
		scores[i] = float64(60 - i)
	}
	none := func(int32) bool { return false }
	// Ranks 21 to 50 score 40 to 11.
	if got := background(scores, best(scores, backgroundTo, none)); got != 25.5 {
		t.Errorf("background %v, want 25.5", got)
	}
	// Without the first ten, ranks 21 to 50 score 30 to 1.
	if got := background(scores, best(scores, backgroundTo, func(ord int32) bool { return ord < 10 })); got != 15.5 {
		t.Errorf("background without the best ten %v, want 15.5", got)
	}
	// Ranks that nothing takes count as zero.
	if got := background(scores, best(scores[:22], backgroundTo, none)); got != (40.0+39)/30 {
		t.Errorf("background of 22 passages %v", got)
	}
	if got := background(nil, nil); got != 0 {
		t.Errorf("background of nothing %v", got)
	}
}

func TestResultIsRounded(t *testing.T) {
	r := retrieval.Result{Confidence: 1. / 3, Similarity: 1. / 3, Strength: 1. / 3}
	round(&r)
	if r.Confidence != .333333 || r.Similarity != .333333 || r.Strength != .333333 {
		t.Errorf("%+v", r)
	}
}

// No passage without a citation may score as much as one with it.
func TestCitationOutweighs(t *testing.T) {
	if most := 1 + pairWeight + cosineWeight + linkWeight + documentWeight + graphWeight + meaningWeight; most >= citedNearly || citedNearly+most >= citedExactly {
		t.Errorf("the other signals add up to %v, citations weigh %v and %v", most, citedNearly, citedExactly)
	}
}
