package ranking

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/assay/memory/index/internal/served"
)

// slowProximity counts pairs by looking at every two places.
func slowProximity(at []int8, pair [2]int) (ordered, close float64) {
	for i, a := range at {
		for j, b := range at {
			if int(a) != pair[0] || int(b) != pair[1] {
				continue
			}
			if j == i+1 {
				ordered++
			}
		}
	}
	for j, b := range at { // the nearest partner before each
		for _, pairs := range [][2]int{pair, {pair[1], pair[0]}} {
			if int(b) != pairs[1] {
				continue
			}
			for i := j - 1; i >= max(0, j-nearby); i-- {
				if int(at[i]) == pairs[0] {
					close++
					break
				}
			}
		}
	}
	return ordered, close
}

func TestProximityAgainstSlow(t *testing.T) {
	x := &Corpus{Totals: served.Totals{AvgLen: 9}}
	rng := rand.New(rand.NewPCG(3, 3))
	for range 500 {
		at := make([]int8, 3+rng.IntN(40))
		tf := make([]float64, 3)
		for i := range at {
			at[i] = int8(max(-1, rng.IntN(14)-11)) // mostly -1, else 0 to 2
			if at[i] >= 0 {
				tf[at[i]]++
			}
		}
		w := &wording{idfs: []float64{1, 1, 1}, pairs: [][2]int{{0, 1}}}
		r := &reading{at: at, tf: tf}
		adjacent, near := r.proximity(w, x)
		ordered, close := slowProximity(at, [2]int{0, 1})
		norm := .5 + .5*float64(len(at))/max(1, x.AvgLen)
		if want := ordered / (ordered + norm); math.Abs(adjacent-want) > 1e-9 {
			t.Fatalf("%v: adjacent %g, want %g", at, adjacent, want)
		}
		if want := close / (close + norm); math.Abs(near-want) > 1e-9 {
			t.Fatalf("%v: near %g, want %g", at, near, want)
		}
	}
}

func TestFeatureNames(t *testing.T) {
	names := FeatureNames()
	sorted := slices.Sorted(slices.Values(names))
	if len(slices.Compact(sorted)) != len(names) || slices.Contains(names, "") {
		t.Errorf("names repeat or are missing: %q", names)
	}
}
