package retrieval

import (
	"context"
	"fmt"
	"io"

	"example.com/assay/eval/task"
	"example.com/assay/memory"
	"example.com/assay/memory/embed"
	"example.com/assay/memory/index"
	"example.com/assay/memory/retrieval"
)

// A Scored is a passage with the score that placed it. Scores of different
// rankers, or of different queries, do not compare.
type Scored struct {
	ID    string
	Score float64
}

// A Ranker finds the k best passages for a query, best first, ids distinct.
// Equal queries get equal answers.
type Ranker interface {
	Rank(ctx context.Context, query string, k int) ([]Scored, error)
}

// An Index ranks with the project's own index, alone or in an ingested corpus.
type Index struct {
	searcher
	io.Closer // closes the index's files without deleting them
}

type searcher interface {
	Search(ctx context.Context, q retrieval.Query) (retrieval.Result, error)
}

// newCorpus makes a ranker for a corpus, which the ranker or its owner closes.
func newCorpus(c *memory.Corpus) *Index { return &Index{c, c} }

// NewIndex indexes the passages in dir, which must not exist; its parent must. They are ranked with
// these parameters, by words and, with a space, by its vectors. progress is called as in
// [index.Update].
func NewIndex(ctx context.Context, dir string, d *Dataset, bm25 index.BM25, space *embed.Space, progress task.Progress) (*Index, error) {
	if _, err := index.Update(ctx, index.UpdateOptions{Dir: dir, Add: d.Passages, BM25: bm25, Space: space, Cut: memory.CutFor(space), Progress: progress}); err != nil {
		return nil, fmt.Errorf("indexing the collection: %w", err)
	}
	x, err := index.OpenIn(dir, space)
	if err != nil {
		return nil, fmt.Errorf("indexing the collection: %w", err)
	}
	return &Index{x, x}, nil
}

// Rank searches with the query as the primary one, without alternatives, and keeps passages that
// repeat a better one, because a collection judges each of them. The score is the fused one, or, if
// a trained ranker orders the hits, the rank counted from the last.
func (x *Index) Rank(ctx context.Context, query string, k int) ([]Scored, error) {
	found, err := x.Search(ctx, retrieval.Query{Primary: query, K: k, Repeats: true})
	if err != nil {
		return nil, err
	}
	out := make([]Scored, len(found.Hits))
	for i, h := range found.Hits {
		out[i] = Scored{ID: h.Passage.ID, Score: float64(len(found.Hits) - i)}
		for _, s := range h.Scores {
			if s.Ranker == retrieval.RankerFused && found.Reranker == "" {
				out[i].Score = s.Value
			}
		}
	}
	return out, nil
}
