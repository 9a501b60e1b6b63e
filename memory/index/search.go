package index

import (
	"context"
	"fmt"
	"slices"

	"example.com/assay/memory/citation"
	"example.com/assay/memory/index/internal/ranking"
	"example.com/assay/memory/retrieval"
	"example.com/assay/state"
)

// DefaultK is how many hits a query gets that does not say how many.
const DefaultK = ranking.DefaultK

// Search returns the passages that best match the primary query. Equal queries on equal
// generations give equal results, scores included. Of equal passages the one with the
// lower id comes first. A query without content words finds nothing, without an error.
//
// Result.Respelt lists the words that were searched for in another spelling, and the
// abbreviations that were searched for in both forms.
//
// Search returns an error when the context ends, when a value of the query is out of range,
// a *retrieval.UnknownKeyError of a filter, and a *CorruptError when a file was changed. With
// a remote embedder it also returns a *SpaceError and the errors of [embed.Space.Queries].
func (x *Index) Search(ctx context.Context, q retrieval.Query) (retrieval.Result, error) {
	out, err := x.search(ctx, q)
	if err != nil {
		return retrieval.Result{}, fmt.Errorf("searching %q: %w", q.Primary, err)
	}
	return out, nil
}

func (x *Index) search(ctx context.Context, q retrieval.Query) (out retrieval.Result, err error) {
	if err := ranking.Check(q); err != nil {
		return out, err
	}
	a, corpus := ranking.Asked{Citations: citation.Parse(q.Primary)}, x.corpus
	if err := x.read(func() (err error) {
		if corpus.Passages == 0 {
			return nil
		}
		if a.Respelt, err = corpus.Reader.Respell(ctx, q); err != nil {
			return err
		}
		a.Terms = a.Respelt.Terms(q.Primary)
		if x.server != nil {
			corpus, err = x.candidatesOf(ctx, q, a)
		}
		return err
	}); err != nil {
		return out, err
	}
	if len(a.Terms) > 0 {
		if a.Vectors, err = x.queryVectors(ctx, q); err != nil {
			return out, err
		}
		if a.About, err = x.embedded(ctx, slices.Concat(q.About...)); err != nil {
			return out, err
		}
	}
	err = x.read(func() (err error) {
		out, err = corpus.Search(ctx, a, q)
		out.Respelt = a.Respelt.Shown()
		if damage := x.gen.damage(); err == nil && damage != nil {
			err = &CorruptError{Dir: x.gen.dir, Err: damage}
		}
		return err
	})
	return out, err
}

// Mentions reports whether a passage has a word, in any inflection and in any language of
// the index.
func (x *Index) Mentions(ctx context.Context, word string) (has bool, err error) {
	err = x.read(func() (err error) {
		has, err = x.corpus.Reader.Mentions(ctx, word)
		return err
	})
	return has, err
}

// Diversify chooses k of the hits of a search by maximal marginal relevance, as Query.MMR
// does. The relevance of each hit is given, such as by a reranker; it is stretched to the
// range from 0 to 1. The hits get new ranks and a score of [retrieval.RankerMMR]. Hits of
// another index are an error.
func (x *Index) Diversify(hits []state.Hit, relevance []float64, lambda float64, k int) ([]state.Hit, error) {
	if len(relevance) != len(hits) || !(lambda >= 0 && lambda <= 1) {
		return nil, fmt.Errorf("diversifying hits: %d relevances for %d hits, lambda %v", len(relevance), len(hits), lambda)
	}
	corpus := x.corpus
	if x.server != nil {
		records := make([]Record, len(hits))
		for i, h := range hits {
			records[i].Passage = h.Passage
		}
		var err error
		if corpus, err = x.pooled(records, nil); err != nil {
			return nil, err
		}
	}
	ords := make([]int32, len(hits))
	for i, h := range hits {
		var ok bool
		if ords[i], ok = corpus.Table.Find(h.Passage.ID); !ok {
			return nil, fmt.Errorf("diversifying hits: passage %q is of another index", h.Passage.ID)
		}
	}
	order, marginal := corpus.Diversify(ords, relevance, lambda, k)
	out := make([]state.Hit, len(order))
	for n, i := range order {
		out[n] = hits[i]
		out[n].Rank = n + 1
		out[n].Scores = append(slices.Clone(hits[i].Scores), state.Score{Ranker: retrieval.RankerMMR, Value: marginal[n]})
	}
	return out, nil
}

// queryVectors embeds a query and its alternatives. Alternatives without content words have
// no vector.
func (x *Index) queryVectors(ctx context.Context, q retrieval.Query) ([][]float32, error) {
	texts, at := []string{q.Primary}, []int{0}
	alternatives := q.Alternatives[:min(len(q.Alternatives), ranking.MaxQueries)]
	for i, alternative := range alternatives {
		if len(x.corpus.Reader.Terms(alternative)) > 0 {
			texts, at = append(texts, alternative), append(at, i+1)
		}
	}
	vectors, err := x.embedded(ctx, texts)
	if vectors == nil || err != nil {
		return nil, err
	}
	out := make([][]float32, 1+len(alternatives))
	for i, v := range vectors {
		out[at[i]] = v
	}
	return out, nil
}

// embedded embeds texts of a query; nil where words alone find.
func (x *Index) embedded(ctx context.Context, texts []string) ([][]float32, error) {
	if len(texts) == 0 || x.corpus.Meaning == nil {
		return nil, nil
	}
	if given, made := x.space.ID(), x.gen.Stats.Space; given != made {
		return nil, &SpaceError{Made: made, Given: given}
	}
	vectors, err := x.space.Queries(ctx, texts)
	for _, v := range vectors {
		if len(v) != x.gen.meaning.Dims() {
			return nil, otherDims(x.gen.Stats.Space, len(v), x.gen.meaning.Dims())
		}
	}
	return vectors, err
}

func otherDims(space string, got, want int) error {
	return fmt.Errorf("embedder %q returned a vector of %d dimensions, and those of the index have %d: give it an ID that says so", space, got, want)
}
