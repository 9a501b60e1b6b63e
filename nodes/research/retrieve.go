package research

import (
	"context"

	"example.com/assay/graph"
	"example.com/assay/llm"
	"example.com/assay/memory/index"
	"example.com/assay/state"
)

// EventRetrieval is the name of the custom event that each search publishes.
const EventRetrieval = "retrieval"

// RetrievalEvent is its payload: what was searched, and which passages came
// back with which scores.
type RetrievalEvent struct {
	StepID     int            `json:"step_id"`
	Queries    []string       `json:"queries"`
	Excluded   int            `json:"excluded"`           // passages that earlier steps read
	Candidates int            `json:"candidates"`         // pooled from all queries
	Similarity float64        `json:"similarity"`         // raw, means something for this corpus only
	Strength   float64        `json:"strength"`           // of the best hit against the query's background
	Confidence float64        `json:"confidence"`         // calibrated from the two
	Reranker   string         `json:"reranker,omitempty"` // what ordered the hits, if not the index
	Hits       []RetrievedHit `json:"hits"`
}

// EventRerankFallback is the name of the custom event of a search whose
// reranker failed, so that the hits are in the index's order.
const EventRerankFallback = "rerank_fallback"

// RerankFallbackEvent is its payload.
type RerankFallbackEvent struct {
	StepID int    `json:"step_id"`
	Reason string `json:"reason"` // at most 300 bytes
}

// RetrievedHit is one hit of a RetrievalEvent.
type RetrievedHit struct {
	Passage string        `json:"passage"`
	Scores  []state.Score `json:"scores"`
}

// Retrieve searches with all queries of the pending step and keeps the best
// passages that no earlier step has read, with the calibrated confidence that
// they answer it. An index that fails ends the step. Passages that give orders
// are reported; a nil inspect looks for none.
func Retrieve(corpus Retriever, passages int, inspect Inspect) graph.Node[state.Agent] {
	return func(ctx context.Context, s state.Agent) (graph.Update[state.Agent], error) {
		step, ok := s.Pending()
		if !ok {
			return nil, nil
		}
		read := s.Read()
		metered, asked := llm.Metered(ctx) // a reranker may ask a model
		found, err := corpus.Search(metered, index.Query{Primary: step.Queries[0], Alternatives: step.Queries[1:], K: passages, Exclude: read})
		if err != nil {
			return endStep(ctx, step, asked.Usage(), err)
		}
		if err := publish(ctx, step.ID, step.Queries, len(read), found); err != nil {
			return nil, err
		}
		orders, err := inspect.report(ctx, step.ID, found.Hits)
		if err != nil {
			return nil, err
		}
		update := graph.Update[state.Agent]{row(state.Step{ID: step.ID, Hits: found.Hits, Confidence: found.Confidence})}
		if found.Fallback != "" {
			update = append(update, state.AgentWarnings.Add(notReranked+found.Fallback))
		}
		for _, warning := range orders {
			update = append(update, state.AgentWarnings.Add(warning))
		}
		if usage := asked.Usage(); usage != (state.ModelUsage{}) {
			update = append(update, state.AgentUsage.Add(usage))
		}
		return update, nil
	}
}

// notReranked begins the warning of a search whose reranker failed.
const notReranked = "the passages are in the index's own order, since the reranker failed: "

// publish publishes a search, and that its reranker failed if it did.
func publish(ctx context.Context, stepID int, queries []string, excluded int, found index.Result) error {
	event := RetrievalEvent{
		StepID: stepID, Queries: queries, Excluded: excluded, Candidates: found.Candidates,
		Similarity: found.Similarity, Strength: found.Strength, Confidence: found.Confidence, Reranker: found.Reranker, Hits: make([]RetrievedHit, len(found.Hits)),
	}
	for i, h := range found.Hits {
		event.Hits[i] = RetrievedHit{h.Passage.ID, h.Scores}
	}
	if err := graph.Emit(ctx, EventRetrieval, event); err != nil {
		return err
	}
	if found.Fallback == "" {
		return nil
	}
	return graph.Emit(ctx, EventRerankFallback, RerankFallbackEvent{StepID: stepID, Reason: found.Fallback})
}
