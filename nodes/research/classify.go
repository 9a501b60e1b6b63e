package research

import (
	"context"

	"example.com/assay/graph"
	"example.com/assay/llm"
	"example.com/assay/skills"
	"example.com/assay/state"
)

// classify decides whether one step can answer the question. In doubt, and
// when the answer cannot be parsed, it is multi-hop.
func classify(m llm.Model, skill skills.Skill) graph.Node[state.Agent] {
	return func(ctx context.Context, s state.Agent) (graph.Update[state.Agent], error) {
		out, usage, err := llm.Ask[skills.ClassifyOutput](ctx, m, skill, skills.ClassifyInput{Question: s.Objective})
		if err != nil && !llm.Misread(err) {
			return nil, err
		}
		kind := state.MultiHop
		if err == nil && out.QueryType == string(state.Simple) {
			kind = state.Simple
		}
		return graph.Update[state.Agent]{queryTypeChannel.Set(kind), usageChannel.Add(usage)}, nil
	}
}
