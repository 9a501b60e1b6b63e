package research

import (
	"context"

	"example.com/assay/graph"
	"example.com/assay/state"
)

// writeMemory keeps the research part of a good answer, without a choice. It does not keep an
// answer that verification found unsupported, that lacks a part of the question, or that lost
// something to a failed call. The key is the question without its choices: the same facts with
// other options are answered from memory and choose again. An answer from memory is not written
// again. A failing memory is a warning, since the answer is valid without it; a nil memory keeps
// nothing.
func writeMemory(memory Memory) graph.Node[state.Agent] {
	return func(ctx context.Context, s state.Agent) (graph.Update[state.Agent], error) {
		worth := s.Count(state.StepCompleted) > 0 && s.MeanConfidence() >= rememberFrom && s.Research != "" && len(s.Losses) == 0 && len(s.Whole.Missing) == 0 && (s.Check == nil || s.Check.IsGrounded)
		if memory == nil || s.Memory.Hit || !worth {
			return nil, nil
		}
		var steps []state.Step
		for _, step := range s.Plan {
			if citable(step) {
				steps = append(steps, step)
			}
		}
		stem, _ := splitChoices(s.Objective)
		if err := memory.Store(ctx, stem, Recall{Question: stem, Similarity: 1, Answer: s.Research, Steps: steps, Check: s.Check}, s.MeanConfidence()); err != nil {
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			return graph.Update[state.Agent]{warningsChannel.Add("the answer was not remembered: " + err.Error())}, nil
		}
		return graph.Update[state.Agent]{storedChannel.Set(true)}, nil
	}
}
