package research

import (
	"context"

	"example.com/assay/graph"
	"example.com/assay/state"
)

// Observe sums up the run. The time of each node is in the trace.
func Observe() graph.Node[state.Agent] {
	return func(_ context.Context, s state.Agent) (graph.Update[state.Agent], error) {
		return graph.Update[state.Agent]{state.AgentMetrics.Set(state.Metrics{
			ModelUsage:     s.Usage,
			Iterations:     s.Iterations,
			StepsCompleted: s.Count(state.StepCompleted),
			StepsFailed:    s.Count(state.StepFailed),
			StepsPending:   s.Count(state.StepPending),
			QueryType:      s.QueryType,
			MemoryHit:      s.Memory.Hit,
			HasAnswer:      s.Count(state.StepCompleted) > 0,
			InjectionSafe:  s.Injection.Safe,
		})}, nil
	}
}
