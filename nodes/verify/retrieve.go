package verify

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"example.com/assay/graph"
	"example.com/assay/llm"
	"example.com/assay/memory/retrieval"
	"example.com/assay/nodes/publish"
	"example.com/assay/state"
	"example.com/assay/state/event"
)

// retrieve searches for each query of the round and adds the best new passages to the evidence.
// Without a new passage the correction ends: the known evidence was judged already. A failed search
// also ends it. It reports passages with prompt injection.
func retrieve(corpus retrieval.Retriever, passages int, inspect retrieval.Inspect) graph.Node[State] {
	return func(ctx context.Context, s State) (graph.Update[State], error) {
		var read []string
		for _, e := range s.Evidence {
			read = append(read, e.Passage.ID)
		}
		var fresh []state.Evidence
		var added, warnings []string
		metered, asked := llm.Open(ctx) // a reranker may ask a model
		for _, q := range s.Queries {
			r, err := retrieval.AsOf(corpus, s.AsOf).Search(metered, retrieval.Query{Primary: q.Query, K: passages, Exclude: read})
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			if err != nil {
				return stop(fmt.Errorf("searching for claim %d: %w", q.Claim, err)), nil
			}
			if err := publish.Search(ctx, event.Search{Claim: q.Claim, Queries: []string{q.Query}, Excluded: len(read)}, r); err != nil {
				return nil, err
			}
			orders, err := publish.Orders(ctx, inspect, 0, r.Hits)
			if err != nil {
				return nil, err
			}
			warnings = append(warnings, orders...)
			warnings = append(warnings, retrieval.Warnings(r)...)
			for _, h := range r.Hits {
				read, added = append(read, h.Passage.ID), append(added, h.Passage.ID)
				fresh = append(fresh, state.Evidence{Label: label(s, len(fresh)), Passage: h.Passage})
			}
		}
		update := graph.Update[State]{warningsChannel.Add(warnings...)}
		if usage := asked.Close().ModelUsage; usage != (state.ModelUsage{}) {
			update = append(update, usageChannel.Add(usage))
		}
		if len(fresh) == 0 {
			return append(update, decisionChannel.Set(decideFinish)), nil
		}
		return append(update, evidenceChannel.Add(fresh...), addedChannel.Set(added)), nil
	}
}

// foundLabel begins the labels of passages that were found for a standalone response. They are not
// called sources: what a response cites as [Source 1] is not the first found passage.
const foundLabel = "P-"

// label returns the label of the n-th passage that a round finds, after the existing labels.
func label(s State, n int) string {
	prefix := foundLabel
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
