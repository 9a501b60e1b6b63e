package index

import (
	"cmp"
	"context"
	"slices"

	"example.com/assay/memory/text"
	"example.com/assay/state"
)

// A candidate is a passage with the weighted part of every signal in its
// score.
type candidate struct {
	ord     int32
	parts   [parts]float64 // in the order of partNames
	fused   float64
	passage state.Passage // set by distinct
	trained float64       // by a trained ranker
	ordered bool          // whether one placed it
}

// parts is how many weighted parts a score has; the last is that of a remote
// embedder and zero without one.
const parts = 7

var partNames = [parts]string{RankerBM25, RankerBigram, RankerLSA, RankerTitleLink, RankerDocument, RankerGraph, RankerMeaning}

// scores lists the parts, the last one only where there is a remote embedder.
func (c *candidate) scores(remote bool) []state.Score {
	out := []state.Score{{Ranker: RankerFused, Value: c.fused}}
	shown := partNames[:]
	if !remote {
		shown = partNames[:parts-1]
	}
	for i, name := range shown {
		out = append(out, state.Score{Ranker: name, Value: c.parts[i]})
	}
	return append(out, c.trainedScore()...)
}

// fuse scores the pool, which is sorted, and ranks it. Four signals are
// divided by their largest value in the pool; links and document scores are
// not: their size says whether they mean anything. Sums of divided scores
// keep the margins that rank fusion throws away.
func (x *Index) fuse(sig *signals, pool []int32, links []link) []candidate {
	graph := x.graph(sig, pool)
	link := make(map[int32]float64, len(links))
	for _, l := range links {
		link[l.ord] = l.value
	}
	ranked := make([]candidate, len(pool))
	for i, ord := range pool {
		ranked[i] = candidate{ord: ord, parts: [parts]float64{
			sig.scoped[ord], sig.pairs[ord], sig.cosine[ord], linkWeight * link[ord], documentWeight * x.document(sig, ord), graph[i],
		}}
		if x.meaning != nil {
			ranked[i].parts[parts-1] = sig.near[ord]
		}
	}
	divide(ranked, 0, 1)
	divide(ranked, 1, pairWeight)
	divide(ranked, 2, cosineWeight)
	divide(ranked, 5, graphWeight)
	divide(ranked, parts-1, meaningWeight)
	for i := range ranked {
		for _, v := range ranked[i].parts {
			ranked[i].fused += v
		}
	}
	slices.SortFunc(ranked, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.fused, a.fused), cmp.Compare(a.ord, b.ord))
	})
	return ranked
}

// divide scales a part so that its largest value is weight.
func divide(ranked []candidate, part int, weight float64) {
	var top float64
	for i := range ranked {
		top = max(top, ranked[i].parts[part])
	}
	if top == 0 {
		return
	}
	for i := range ranked {
		ranked[i].parts[part] *= weight / top
	}
}

// graph scores each passage of the pool by its likeness to the best ones.
func (x *Index) graph(sig *signals, pool []int32) []float64 {
	seeds := best(sig.plain, graphSeeds)
	out := make([]float64, len(pool))
	if len(seeds) == 0 {
		return out
	}
	var total float64
	for _, seed := range seeds {
		total += sig.plain[seed]
	}
	for i, ord := range pool {
		for _, seed := range seeds {
			if seed != ord {
				c := x.alike(ord, seed)
				out[i] += c * c * sig.plain[seed] / total
			}
		}
	}
	return out
}

const (
	shingle  = 5  // words
	nearDupe = .9 // Jaccard similarity of shingles from which a passage repeats another; at .8 rules were lost that differ in the words that matter
)

// distinct reads the best n passages, leaving out those that repeat a better
// one unless repeats are wanted.
func (x *Index) distinct(ctx context.Context, ranked []candidate, n int, repeats bool) ([]candidate, error) {
	var out []candidate
	var seen []map[string]struct{}
	for _, c := range ranked {
		if len(out) == n {
			break
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		p, err := x.store.passage(x.table.rows[c.ord].id)
		if err != nil {
			return nil, err
		}
		if repeats {
			c.passage = p
			out = append(out, c)
			continue
		}
		own := shingles(p.Text)
		repeated := slices.ContainsFunc(out, func(b candidate) bool { return sameSpan(p, b.passage) && p.Source != "" && p.End > p.Start }) ||
			slices.ContainsFunc(seen, func(other map[string]struct{}) bool { return jaccard(own, other) >= nearDupe })
		if repeated {
			continue
		}
		c.passage = p
		out = append(out, c)
		seen = append(seen, own)
	}
	return out, nil
}

// shingles are the runs of five words of s; a shorter text is one run.
func shingles(s string) map[string]struct{} {
	tokens := text.Tokens(s)
	out := make(map[string]struct{}, len(tokens))
	for i := 0; i == 0 || i+shingle <= len(tokens); i++ {
		var key []byte
		for _, t := range tokens[i:min(i+shingle, len(tokens))] {
			key = append(append(key, t.Text...), ' ')
		}
		out[string(key)] = struct{}{}
	}
	return out
}

func jaccard(a, b map[string]struct{}) float64 {
	both := 0
	for s := range a {
		if _, ok := b[s]; ok {
			both++
		}
	}
	return float64(both) / float64(len(a)+len(b)-both)
}
