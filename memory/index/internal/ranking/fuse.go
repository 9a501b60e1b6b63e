package ranking

import (
	"slices"

	"example.com/assay/memory/retrieval"
	"example.com/assay/state"
)

// A candidate is a passage with the weighted part of every signal in its
// score.
type candidate struct {
	ord     int32
	parts   [parts]float64 // in the order of partNames
	cited   float64        // the part of a citation; 0 of a passage that none names
	heading float64        // the part of its heading; 0 of most passages
	fused   float64
	trained float64       // by a trained ranker
	ordered bool          // whether one placed it
	mmr     float64       // set by diversify
	passage state.Passage // set by placed or distinct; what follows, by distinct
	copies  []string
	words   map[string]struct{}
}

// parts is how many weighted parts a score has; the last is that of a remote
// embedder and zero without one.
const parts = 7

var partNames = [parts]string{retrieval.RankerBM25, retrieval.RankerBigram, retrieval.RankerLSA, retrieval.RankerTitleLink, retrieval.RankerDocument, retrieval.RankerGraph, retrieval.RankerMeaning}

// scores lists the parts, the last one only where there is a remote embedder.
func (c *candidate) scores(remote bool) []state.Score {
	out := []state.Score{{Ranker: retrieval.RankerFused, Value: c.fused}}
	if c.cited > 0 {
		out = append(out, state.Score{Ranker: retrieval.RankerCitation, Value: c.cited})
	}
	if c.heading > 0 {
		out = append(out, state.Score{Ranker: retrieval.RankerHeading, Value: c.heading})
	}
	shown := partNames[:]
	if !remote {
		shown = partNames[:parts-1]
	}
	for i, name := range shown {
		out = append(out, state.Score{Ranker: name, Value: c.parts[i]})
	}
	if c.ordered {
		out = append(out, state.Score{Ranker: retrieval.RankerTrained, Value: c.trained})
	}
	return out
}

// fuse scores the pool, which is sorted, and ranks it. Signals are divided by their largest
// value in the pool, except links and document scores, whose size says whether they mean
// anything. A sum of divided scores keeps margins, which rank fusion would lose.
func (x *Corpus) fuse(sig *signals, pool []int32, links map[int32]float64, cited map[int32]lifted) []candidate {
	graph := x.graph(sig, pool)
	ranked := make([]candidate, len(pool))
	for i, ord := range pool {
		ranked[i] = candidate{ord: ord, parts: [parts]float64{
			sig.scoped[ord], sig.pairs[ord], x.cosine(sig, ord), x.linkWeight() * links[ord], documentWeight * x.document(sig, ord), graph[i],
		}, cited: cited[ord].score}
		if x.Meaning != nil {
			ranked[i].parts[parts-1] = x.near(sig, ord)
		}
	}
	divide(ranked, 0, 1)
	divide(ranked, 1, pairWeight)
	divide(ranked, 2, cosineWeight)
	divide(ranked, 5, graphWeight)
	divide(ranked, parts-1, meaningWeight)
	for i := range ranked {
		ranked[i].fused = ranked[i].cited
		for _, v := range ranked[i].parts {
			ranked[i].fused += v
		}
	}
	settle(ranked, cited)
	slices.SortFunc(ranked, byFused)
	return ranked
}

// linkWeight is lower where most passages share their document with others: their
// titles are words of the subject, which many passages mention without a second step.
func (x *Corpus) linkWeight() float64 {
	if x.Grouped {
		return linkWeightGrouped
	}
	return linkWeight
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
func (x *Corpus) graph(sig *signals, pool []int32) []float64 {
	seeds := sig.bestPlain(graphSeeds, nil)
	out := make([]float64, len(pool))
	if len(seeds) == 0 {
		return out
	}
	var total float64
	for _, seed := range seeds {
		total += sig.plain[seed]
	}
	vectors := make([][]float32, len(seeds))
	for j, seed := range seeds {
		vectors[j] = x.vector(seed)
	}
	for i, ord := range pool {
		own := x.vector(ord)
		for j, seed := range seeds {
			if seed != ord {
				c := alike(own, vectors[j])
				out[i] += c * c * sig.plain[seed] / total
			}
		}
	}
	return out
}
