package ranking

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// The same choice, made the slow way: every candidate is compared with all
// that were chosen.
func TestMMRAgainstOracle(t *testing.T) {
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 7))
		n, k, lambda := 1+rng.IntN(12), 1+rng.IntN(12), rng.Float64()
		rel, tier, sim := make([]float64, n), make([]float64, n), make([][]float64, n)
		for i := range n {
			rel[i], tier[i], sim[i] = rng.Float64(), float64(rng.IntN(2)), make([]float64, n)
			for j := range i {
				sim[i][j] = rng.Float64()
				sim[j][i] = sim[i][j]
			}
		}
		top := slices.Max(rel)
		var want []int
		for len(want) < min(n, k) {
			best, value := -1, 0.0
			for i := range n {
				if slices.Contains(want, i) {
					continue
				}
				most := 0.0
				for _, j := range want {
					most = max(most, sim[i][j])
				}
				v := 10*tier[i] + lambda*rel[i]/top - (1-lambda)*most
				if best < 0 || v > value {
					best, value = i, v
				}
			}
			want = append(want, best)
		}
		got, marginal := mmr(rel, tier, lambda, k, func(i, j int) float64 { return sim[i][j] })
		if !slices.Equal(got, want) || len(marginal) != len(got) {
			t.Fatalf("seed %d: %v, want %v", seed, got, want)
		}
	}
}
