package verify

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"example.com/assay/graph"
	"example.com/assay/memory/index"
	"example.com/assay/state"
)

// EventRetrieval is the name of the custom event that each search publishes.
const EventRetrieval = "retrieval"

// RetrievalEvent is its payload.
type RetrievalEvent struct {
	Claim      int            `json:"claim"` // that the query was written for
	Queries    []string       `json:"queries"`
	Excluded   int            `json:"excluded"` // passages that were read before
	Candidates int            `json:"candidates"`
	Confidence float64        `json:"confidence"` // calibrated, that the hits answer the query
	Hits       []RetrievedHit `json:"hits"`
}

// RetrievedHit is one hit of a RetrievalEvent.
type RetrievedHit struct {
	Passage string        `json:"passage"` // its id
	Scores  []state.Score `json:"scores"`
}

// Retrieve searches for each query of the round and adds the best passages that
// were not read before to the evidence. Without a new one the correction ends:
// what is known was judged already. A search that fails ends it too.
func Retrieve(corpus Retriever, passages int) graph.Node[state.Verify] {
	return func(ctx context.Context, s state.Verify) (graph.Update[state.Verify], error) {
		var read []string
		for _, e := range s.Evidence {
			read = append(read, e.Passage.ID)
		}
		var found []state.Evidence
		var added []string
		for _, q := range s.Queries {
			r, err := corpus.Search(ctx, index.Query{Primary: q.Query, K: passages, Exclude: read})
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			if err != nil {
				return stop(fmt.Sprintf("searching for claim %d: %v", q.Claim, err)), nil
			}
			event := RetrievalEvent{Claim: q.Claim, Queries: []string{q.Query}, Excluded: len(read), Candidates: r.Candidates, Confidence: r.Confidence, Hits: make([]RetrievedHit, len(r.Hits))}
			for i, h := range r.Hits {
				event.Hits[i] = RetrievedHit{h.Passage.ID, h.Scores}
				read, added = append(read, h.Passage.ID), append(added, h.Passage.ID)
				found = append(found, state.Evidence{Label: label(s, len(found)), Passage: h.Passage})
			}
			if err := graph.Emit(ctx, EventRetrieval, event); err != nil {
				return nil, err
			}
		}
		if len(found) == 0 {
			return graph.Update[state.Verify]{state.VerifyDecided.Set(state.VerifyFinish)}, nil
		}
		return graph.Update[state.Verify]{state.VerifyEvidence.Add(found...), state.VerifyAdded.Set(added)}, nil
	}
}

// label names the n-th passage that a round adds: it counts on from the labels
// there are.
func label(s state.Verify, n int) string {
	prefix := "Source "
	if s.Prefix != "" {
		prefix = s.Prefix + " Source "
	}
	last := 0
	for _, e := range s.Evidence {
		if digits, ok := strings.CutPrefix(e.Label, prefix); ok {
			if k, err := strconv.Atoi(digits); err == nil {
				last = max(last, k)
			}
		}
	}
	return prefix + strconv.Itoa(last+n+1)
}
