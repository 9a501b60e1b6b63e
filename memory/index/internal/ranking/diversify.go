package ranking

import (
	"context"
	"math"
	"slices"

	"example.com/assay/memory/retrieval"
	"example.com/assay/state"
)

const (
	mmrTimes      = 4  // hits that MMR chooses from, per hit wanted
	mmrLeast      = 20 // and at least
	maxNeighbours = 20
)

// mmrPool is how many hits MMR chooses k from; 0 where it is not asked for.
func mmrPool(q retrieval.Query, k int) int {
	if q.MMR == 0 {
		return 0
	}
	return max(mmrLeast, mmrTimes*k)
}

// diversify chooses k hits by maximal marginal relevance (Carbonell and
// Goldstein, "The use of MMR", SIGIR 1998): each time the one with the largest
// lambda·relevance − (1−lambda)·(likeness to the nearest of those chosen).
// Relevance is the fused score over the best one, or a trained ranker's score
// above the lowest where one ordered the hits. What the query names by its
// number stays before the rest.
func (x *Corpus) diversify(hits []candidate, lambda float64, k int) []candidate {
	relevance := make([]float64, len(hits))
	tier := make([]float64, len(hits))
	lowest := 0.0
	for _, h := range hits {
		lowest = min(lowest, h.trained)
	}
	for i, h := range hits {
		relevance[i], tier[i] = h.fused-h.cited, h.cited
		if h.ordered {
			relevance[i] = h.trained - lowest
		}
	}
	order, marginal := mmr(relevance, tier, lambda, k, func(i, j int) float64 { return x.alike(hits[i].ord, hits[j].ord) })
	out := make([]candidate, len(order))
	for n, i := range order {
		out[n] = hits[i]
		out[n].mmr = marginal[n]
	}
	return out
}

// Diversify chooses k of some passages by maximal marginal relevance. Their relevance is
// stretched to the range from 0 to 1. It returns the indexes of what it chose, in order, and
// the marginal relevance of each.
func (x *Corpus) Diversify(ords []int32, relevance []float64, lambda float64, k int) (order []int, marginal []float64) {
	low, high := math.Inf(1), math.Inf(-1)
	for _, r := range relevance {
		low, high = min(low, r), max(high, r)
	}
	stretched := make([]float64, len(ords))
	for i, r := range relevance {
		if high > low {
			stretched[i] = (r - low) / (high - low)
		}
	}
	order, marginal = mmr(stretched, make([]float64, len(ords)), lambda, k, func(i, j int) float64 { return x.alike(ords[i], ords[j]) })
	for i, v := range marginal {
		marginal[i] = rounded(v)
	}
	return order, marginal
}

// mmr returns the indexes of what it chooses, in order, and the marginal relevance of each.
// A higher tier is chosen before a lower one; of equals the first.
func mmr(relevance, tier []float64, lambda float64, k int, alike func(i, j int) float64) (order []int, marginal []float64) {
	top := 0.0
	for _, r := range relevance {
		top = max(top, r)
	}
	if top == 0 {
		top = 1
	}
	nearest := make([]float64, len(relevance)) // likeness to what is chosen
	taken := make([]bool, len(relevance))
	for len(order) < min(k, len(relevance)) {
		best, value := -1, 0.0
		for i, r := range relevance {
			v := lambda*r/top - (1-lambda)*nearest[i]
			if !taken[i] && (best < 0 || tier[i] > tier[best] || tier[i] == tier[best] && v > value) {
				best, value = i, v
			}
		}
		taken[best] = true
		order, marginal = append(order, best), append(marginal, value)
		for i := range nearest {
			if !taken[i] {
				nearest[i] = max(nearest[i], alike(i, best))
			}
		}
	}
	return order, marginal
}

// neighbours reads up to n passages of a document on each side of one, of
// those that a filter lets through.
func (x *Corpus) neighbours(ctx context.Context, ord int32, n int, only *subset) (before, after []state.Passage, err error) {
	if n == 0 {
		return nil, nil, nil
	}
	if x.gathered != nil {
		return x.gathered.Around(ctx, ord, n)
	}
	members := x.members(x.docOf[ord])
	list := make([]int32, 0, len(members))
	for _, m := range members {
		if m == ord || only.has(m) {
			list = append(list, m)
		}
	}
	slices.SortFunc(list, x.Table.ByPlace)
	at := slices.Index(list, ord)
	read := func(ords []int32) ([]state.Passage, error) {
		var out []state.Passage
		for _, o := range ords {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			p, err := x.Store.Passage(o)
			if err != nil {
				return nil, err
			}
			out = append(out, p)
		}
		return out, nil
	}
	if before, err = read(list[max(0, at-n):at]); err != nil {
		return nil, nil, err
	}
	after, err = read(list[at+1 : min(len(list), at+1+n)])
	return before, after, err
}
