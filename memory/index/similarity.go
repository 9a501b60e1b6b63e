package index

import "math/bits"

// judged is how many hits a question is judged by.
const judged = 5

// Weights of the raw similarity; they sum to one.
const (
	passageShare  = .45 // what the best hit covers of the question
	documentShare = .30 // what the hits of one document cover together
	cosineShare   = .25 // the embedder's similarity, mean of the hits
)

// similarity is the raw likeness of a question and its first five hits, 0 to
// 1. Coverage is the share of the idf² mass of the question's terms that a
// passage holds; a term that no passage holds has the largest idf, so it
// weighs the most. Several hits count together only within one document: hits
// that each hold another word of the question do not answer it. The cosine is
// lowered by unknown words too (package lsa).
func (x *Index) similarity(sig *signals, hits []candidate) float64 {
	hits = hits[:min(judged, len(hits))]
	var all float64
	for _, v := range sig.idfs {
		all += v * v
	}
	if len(hits) == 0 || all == 0 {
		return 0
	}
	covered := func(held uint64) float64 {
		var sum float64
		for ; held != 0; held &= held - 1 {
			v := sig.idfs[bits.TrailingZeros64(held)]
			sum += v * v
		}
		return sum / all
	}
	var passage, document, cosine float64
	for i, h := range hits {
		held := sig.holds[h.ord]
		passage = max(passage, covered(held))
		for _, other := range hits[i+1:] {
			if x.table.rows[other.ord].doc == x.table.rows[h.ord].doc {
				held |= sig.holds[other.ord]
			}
		}
		document = max(document, covered(held))
		cosine += sig.cosine[h.ord]
	}
	return passageShare*passage + documentShare*document + cosineShare*cosine/float64(len(hits))
}
