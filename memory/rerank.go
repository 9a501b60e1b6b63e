package memory

import (
	"context"
	"fmt"
	"math"
	"slices"

	"example.com/assay/memory/index"
	"example.com/assay/memory/retrieval"
	"example.com/assay/memory/text"
	"example.com/assay/state"
)

// A Reranker says how well each text answers a query: a score per text, by
// index, the higher the better. Scores of one call are compared with each
// other only.
type Reranker interface {
	Rerank(ctx context.Context, query string, texts []string) ([]float64, error)
	// ID names it, as traces show it: provider, server and model.
	ID() string
}

// RankerRerank is the name of a reranker's score in a hit.
const RankerRerank = retrieval.RankerRerank

const (
	defaultRerankDepth = 20
	maxFallback        = 300 - len("…") // bytes of a reason; a longer one is shortened
)

// rerank sorts the hits of r by a reranker's scores and keeps k. If the reranker fails or returns
// invalid scores, the first k stay unchanged: an improvement must not fail a search. The returned
// error is that of ctx.
func rerank(ctx context.Context, by Reranker, query string, k int, r *retrieval.Result) error {
	if len(r.Hits) == 0 {
		return nil
	}
	texts := make([]string, len(r.Hits))
	for i, h := range r.Hits {
		texts[i] = index.Text(h.Passage)
	}
	scores, err := by.Rerank(ctx, query, texts)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err == nil {
		err = checkScores(scores, len(texts))
	}
	if err != nil {
		r.Fallback = text.Clip(fmt.Sprintf("reranking with %q: %v", by.ID(), err), maxFallback)
	} else {
		r.Reranker = by.ID()
		r.Hits = ordered(r.Hits, scores)
	}
	r.Hits = r.Hits[:min(k, len(r.Hits))]
	return nil
}

func checkScores(scores []float64, n int) error {
	if len(scores) != n {
		return fmt.Errorf("it returned %d scores for %d texts", len(scores), n)
	}
	for i, s := range scores {
		if math.IsNaN(s) || math.IsInf(s, 0) {
			return fmt.Errorf("score %d of %d is %v", i+1, n, s)
		}
	}
	return nil
}

// ordered sorts hits by score; equals stay in the order they came in. The
// scores are cut to six decimals, as the index's are.
func ordered(hits []state.Hit, scores []float64) []state.Hit {
	order := make([]int, len(hits))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case scores[a] > scores[b]:
			return -1
		case scores[a] < scores[b]:
			return 1
		}
		return 0
	})
	out := make([]state.Hit, len(hits))
	for rank, i := range order {
		out[rank] = hits[i]
		out[rank].Rank = rank + 1
		out[rank].Scores = append(slices.Clone(hits[i].Scores), state.Score{Ranker: RankerRerank, Value: math.Round(scores[i]*1e6) / 1e6})
	}
	return out
}
