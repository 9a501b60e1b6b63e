package index

import (
	"context"
	"fmt"

	"example.com/assay/memory/citation"
	"example.com/assay/memory/retrieval"
)

// measured returns the evidence that hits are about the texts of Query.About:
// of each group that of its best text, and of the groups the least. vectors are
// the texts' in a remote embedder's space, in order, none without one.
func (x *Index) measured(ctx context.Context, q retrieval.Query, a asked, hits []candidate, out func(int32) bool, only *subset) (evidence, error) {
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
			if x.calibration.confidence(e) > x.calibration.confidence(best) {
				best = e
			}
		}
		if i == 0 || x.calibration.confidence(best) < x.calibration.confidence(least) {
			least = best
		}
	}
	return least, nil
}

// evidenceFor is the evidence that hits, whatever found them, are about a text.
func (x *Index) evidenceFor(ctx context.Context, text string, list []string, vector []float32, same []otherForm, hits []candidate, out func(int32) bool, only *subset) (evidence, error) {
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

// aboutVectors embeds the texts of Query.About where the index has the vectors of
// a remote embedder.
func (x *Index) aboutVectors(ctx context.Context, q retrieval.Query) ([][]float32, error) {
	var texts []string
	for _, group := range q.About {
		texts = append(texts, group...)
	}
	if len(texts) == 0 || !x.means() {
		return nil, nil
	}
	vectors, err := x.space.Queries(ctx, texts)
	if err != nil {
		return nil, err
	}
	for _, v := range vectors {
		if len(v) != x.meaning.dims() {
			return nil, otherDims(x.stats.Space, len(v), x.meaning.dims())
		}
	}
	if len(vectors) != len(texts) {
		return nil, fmt.Errorf("embedding %d texts gave %d vectors", len(texts), len(vectors))
	}
	return vectors, nil
}
