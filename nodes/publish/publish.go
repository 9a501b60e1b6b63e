// Package publish publishes what the searches of every pipeline found.
//
//	err = publish.Search(ctx, event.Search{StepID: 1, Queries: queries}, found)
//	warnings, err := publish.Orders(ctx, inspect, 1, found.Hits)
package publish

import (
	"context"

	"example.com/assay/graph"
	"example.com/assay/memory/retrieval"
	"example.com/assay/state"
	"example.com/assay/state/event"
)

// Search publishes a search, and the failure of its reranker. Of asked, its caller sets what
// the search was for.
func Search(ctx context.Context, asked event.Search, found retrieval.Result) error {
	asked.Respelt, asked.Candidates, asked.Reranker = found.Respelt, found.Candidates, found.Reranker
	asked.Similarity, asked.Strength, asked.Confidence = found.Similarity, found.Strength, found.Confidence
	asked.Hits = make([]event.Hit, len(found.Hits))
	for i, h := range found.Hits {
		asked.Hits[i] = event.Hit{Passage: h.Passage.ID, Scores: h.Scores}
	}
	if err := graph.Emit(ctx, event.Retrieval, asked); err != nil {
		return err
	}
	if found.Fallback == "" {
		return nil
	}
	return graph.Emit(ctx, event.RerankFallback, event.Fallback{StepID: asked.StepID, Claim: asked.Claim, Reason: found.Fallback})
}

// Orders publishes which of the passages give orders, and returns a warning for each. A search takes
// the orders out ([state.Passage.Withhold]). The rest of each passage is still read: if it went with
// them, an attacker could hide evidence by planting an order next to it.
func Orders(ctx context.Context, inspect retrieval.Inspect, step int, hits []state.Hit) ([]string, error) {
	for _, h := range hits {
		if kinds := retrieval.KindsOf(inspect.In(h.Passage)); len(kinds) > 0 {
			if err := graph.Emit(ctx, event.PassageOrders, event.Orders{StepID: step, Passage: h.Passage.ID, Kinds: kinds}); err != nil {
				return nil, err
			}
		}
	}
	return inspect.Warnings(hits), nil
}
