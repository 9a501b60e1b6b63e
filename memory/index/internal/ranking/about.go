package ranking

import (
	"context"

	"example.com/assay/memory/citation"
	"example.com/assay/memory/index/internal/queryterms"
	"example.com/assay/memory/retrieval"
)

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
