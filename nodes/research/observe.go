package research

import (
	"context"
	"slices"

	"example.com/assay/graph"
	"example.com/assay/memory/retrieval"
	"example.com/assay/state"
)

// observe sums up the run; the trace has the time of each node. It warns of prompt injection in the
// passages that concern the answer; a nil inspect finds none.
func observe(inspect retrieval.Inspect) graph.Node[state.Agent] {
	return func(_ context.Context, s state.Agent) (graph.Update[state.Agent], error) {
		var update graph.Update[state.Agent]
		for _, w := range inspect.Warnings(concerned(s)) {
			update = append(update, warningsChannel.Add(w))
		}
		return append(update, metricsChannel.Set(s.Sums())), nil
	}
}

// concerned are the passages that an answer cites, each once. Without an answer they are
// the best of each step, which might have been cited without the injection.
func concerned(s state.Agent) []state.Hit {
	var hits []state.Hit
	add := func(h state.Hit) {
		if !slices.ContainsFunc(hits, func(o state.Hit) bool { return o.Passage.ID == h.Passage.ID }) {
			hits = append(hits, h)
		}
	}
	for _, c := range Cited(s) {
		add(c.Hit)
	}
	if len(hits) > 0 {
		return hits
	}
	for _, step := range s.Plan {
		if len(step.Hits) > 0 {
			add(step.Hits[0])
		}
	}
	return hits
}
