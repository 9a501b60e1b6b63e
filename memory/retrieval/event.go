// Package retrieval has the plain types of a search: queries, conditions, results. It also
// has what pipelines share about searching: the trace events of a search, and the check of
// passages for prompt injection.
//
//	found, err := corpus.Search(ctx, retrieval.Query{Primary: "Who may appoint a deputy?"})
//	err = retrieval.Publish(ctx, retrieval.Asked{Step: 1, Queries: queries}, found)
//	warnings, err := inspect.Report(ctx, 1, found.Hits)
//
// It does not search: memory/index does, and this package does not link it.
package retrieval

import (
	"context"

	"example.com/assay/graph"
	"example.com/assay/state"
)

// A Retriever finds passages. memory.Corpus is one.
type Retriever interface {
	Search(ctx context.Context, q Query) (Result, error)
}

// EventName is the name of the custom event that each search publishes.
const EventName = "retrieval"

// Event is its payload: the queries, and the passages with their scores.
type Event struct {
	StepID     int                `json:"step_id,omitempty"`      // of the planning table; 0 for a search outside of a step
	Claim      int                `json:"claim,omitempty"`        // the claim whose evidence was searched for; 0 for none
	Queries    []string           `json:"queries"`                // the primary first
	Respelt    []state.Respelling `json:"searched_for,omitempty"` // words of the queries that were replaced, or extended by another form
	Excluded   int                `json:"excluded"`               // passages that were read before
	Candidates int                `json:"candidates"`             // pooled from all queries
	Similarity float64            `json:"similarity"`             // raw; comparable only within this corpus
	Strength   float64            `json:"strength"`               // of the best hit against the query's background
	Confidence float64            `json:"confidence"`             // a function of the two
	Reranker   string             `json:"reranker,omitempty"`     // what ordered the hits, if not the index
	Hits       []Hit              `json:"hits"`
}

// Hit is one hit of an Event.
type Hit struct {
	Passage string        `json:"passage"`
	Scores  []state.Score `json:"scores"`
}

// EventFallback is the name of the custom event of a search whose reranker
// failed, so that the hits are in the index's order.
const EventFallback = "rerank_fallback"

// Fallback is its payload.
type Fallback struct {
	StepID int    `json:"step_id,omitempty"`
	Claim  int    `json:"claim,omitempty"`
	Reason string `json:"reason"` // at most 300 bytes
}

// NotReranked begins the warning of a search whose reranker failed.
const NotReranked = "the passages are in the index's own order, since the reranker failed: "

// NotInspected begins the warning of a search whose detector of orders failed.
const NotInspected = "prompt injection was looked for in the passages by rules alone, since the detector failed: "

// Asked is what a search was for.
type Asked struct {
	Step, Claim int // see Event
	Queries     []string
	Excluded    int
}

// Publish publishes a search, and the failure of its reranker.
func Publish(ctx context.Context, asked Asked, found Result) error {
	event := Event{
		StepID: asked.Step, Claim: asked.Claim, Queries: asked.Queries, Respelt: found.Respelt, Excluded: asked.Excluded, Candidates: found.Candidates,
		Similarity: found.Similarity, Strength: found.Strength, Confidence: found.Confidence, Reranker: found.Reranker, Hits: make([]Hit, len(found.Hits)),
	}
	for i, h := range found.Hits {
		event.Hits[i] = Hit{h.Passage.ID, h.Scores}
	}
	if err := graph.Emit(ctx, EventName, event); err != nil {
		return err
	}
	if found.Fallback == "" {
		return nil
	}
	return graph.Emit(ctx, EventFallback, Fallback{StepID: asked.Step, Claim: asked.Claim, Reason: found.Fallback})
}
