package ranking

import (
	"context"
	"math/bits"

	"example.com/assay/memory/citation"
	"example.com/assay/memory/index/internal/queryterms"
	"example.com/assay/memory/retrieval"
)

// judged is how many hits a question is judged by.
const judged = 5

// Weights of the raw similarity; they sum to one.
const (
	passageShare  = .45 // what the best hit covers of the question
	documentShare = .30 // what the hits of one document cover together
	cosineShare   = .25 // the similarity of the embedder, the remote one if there is one, mean of the hits
)

// Parameters of the strength.
const (
	backgroundFrom  = 20 // ranks by BM25 that are the query's background
	backgroundTo    = 50
	backgroundShare = .5 // of the background that is taken off the best hit
	halfStrength    = .5 // words that give a strength of one half
)

// An evidence is what a confidence is made of.
type evidence struct {
	similarity float64 // how much of the question the hits cover, 0 to 1
	strength   float64 // how much there is to cover, 0 to 1
}

// similarity is the raw likeness of a question and its first five hits, 0 to
// 1. Coverage is the share of the idf² mass of the question's terms that a
// passage holds; a term that no passage holds has the largest idf, so it
// weighs the most. Several hits count together only within one document: hits
// that each hold another word of the question do not answer it. The cosine is
// lowered by unknown words too (package lsa).
func (x *Corpus) similarity(sig *signals, hits []candidate) float64 {
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
			if x.Table.Doc(other.ord) == x.Table.Doc(h.ord) {
				held |= sig.holds[other.ord]
			}
		}
		document = max(document, covered(held))
		if x.Meaning != nil {
			cosine += min(1, x.near(sig, h.ord))
		} else {
			cosine += x.cosine(sig, h.ord)
		}
	}
	return passageShare*passage + documentShare*document + cosineShare*cosine/float64(len(hits))
}

// strength is how much the best of the first five hits says about the
// question in absolute terms, 0 to 1: its BM25 score less half the mean of
// ranks 21 to 50, which share the question's wording and no more, counted in
// words that one passage alone holds, w, and bounded as w/(w+½).
//
// A similarity is a share, and shares of long and of short questions cannot
// be compared: half of a question of twenty words is much evidence, the whole
// of a question of two common words is little. The margin of the best score
// over the query's own background is the predictor WIG of Zhou and Croft
// (Query performance prediction in web search environments, SIGIR 2007); NQC
// (Shtok et al., TOIS 30(2), 2012) measures the same by a deviation.
func (x *Corpus) strength(sig *signals, hits []candidate, out func(ord int32) bool) float64 {
	var top float64
	for _, h := range hits[:min(judged, len(hits))] {
		top = max(top, sig.plain[h.ord])
	}
	words := (top - backgroundShare*background(sig.plain, sig.bestPlain(backgroundTo, out))) / idf(float64(x.Passages), 1)
	if words <= 0 {
		return 0
	}
	return words / (words + halfStrength)
}

// background is the mean score of ranks 21 to 50 of what is ranked. A rank that no passage with a score takes counts as zero.
func background(scores []float64, ranked []int32) float64 {
	var sum float64
	for _, ord := range ranked[min(backgroundFrom, len(ranked)):] {
		sum += scores[ord]
	}
	return sum / (backgroundTo - backgroundFrom)
}

// measured returns the evidence that hits are about the texts of Query.About:
// of each group that of its best text, and of the groups the least. vectors are
// the texts' in a remote embedder's space, in order, none without one.
func (x *Corpus) measured(ctx context.Context, q retrieval.Query, a Asked, hits []candidate, out func(int32) bool, only *subset) (evidence, error) {
	var least evidence
	at := 0
	for i, group := range q.About {
		var best evidence
		for _, text := range group {
			var vector []float32
			if at < len(a.About) {
				vector = a.About[at]
			}
			at++
			e, err := x.evidenceFor(ctx, text, a.Respelt.Terms(text), vector, a.Respelt.Same, hits, out, only)
			if err != nil {
				return evidence{}, err
			}
			if x.Confidence(e.similarity, e.strength) > x.Confidence(best.similarity, best.strength) {
				best = e
			}
		}
		if i == 0 || x.Confidence(best.similarity, best.strength) < x.Confidence(least.similarity, least.strength) {
			least = best
		}
	}
	return least, nil
}

// evidenceFor is the evidence that hits, whatever found them, are about a text.
func (x *Corpus) evidenceFor(ctx context.Context, text string, list []string, vector []float32, same []queryterms.OtherForm, hits []candidate, out func(int32) bool, only *subset) (evidence, error) {
	s := x.scratch.Get().(*scratch)
	s.only = only
	defer func() { s.only = nil; x.scratch.Put(s) }()
	s.lists.reset(same)
	if len(list) == 0 {
		return evidence{}, nil
	}
	sig, _, err := x.score(ctx, list, vector, s)
	if err != nil {
		return evidence{}, err
	}
	if _, _, err := x.resolve(ctx, text, citation.Parse(text), sig); err != nil {
		return evidence{}, err
	}
	return evidence{similarity: x.similarity(sig, hits), strength: x.strength(sig, hits, out)}, nil
}
