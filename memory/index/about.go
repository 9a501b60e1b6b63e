package index

import (
	"context"

	"example.com/assay/memory/citation"
	"example.com/assay/memory/retrieval"
)

// measured returns the evidence that hits are about the texts of Query.About:
// of each group that of its best text, and of the groups the least. vectors are
// the texts' in a remote embedder's space, in order, none without one.
func (x *corpus) measured(ctx context.Context, q retrieval.Query, a asked, hits []candidate, out func(int32) bool, only *subset) (evidence, error) {
	var least evidence
	at := 0
	for i, group := range q.About {
		var best evidence
		for _, text := range group {
			var vector []float32
			if at < len(a.about) {
				vector = a.about[at]
			}
			at++
			e, err := x.evidenceFor(ctx, text, a.respelt.terms(text), vector, a.respelt.same, hits, out, only)
			if err != nil {
				return evidence{}, err
			}
			if x.confidence(e.similarity, e.strength) > x.confidence(best.similarity, best.strength) {
				best = e
			}
		}
		if i == 0 || x.confidence(best.similarity, best.strength) < x.confidence(least.similarity, least.strength) {
			least = best
		}
	}
	return least, nil
}

// evidenceFor is the evidence that hits, whatever found them, are about a text.
func (x *corpus) evidenceFor(ctx context.Context, text string, list []string, vector []float32, same []otherForm, hits []candidate, out func(int32) bool, only *subset) (evidence, error) {
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
