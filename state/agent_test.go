package state_test

import (
	"testing"

	"example.com/assay/state"

	"github.com/google/go-cmp/cmp"

	"context"
	"example.com/assay/graph"
)

// merge runs two updates of the planning table through the engine.
func merge(t *testing.T, first, second []state.Step) []state.Step {
	t.Helper()
	g := graph.NewStateGraph(state.AgentChannels()...)
	g.AddNode("n", func(context.Context, state.Agent) (graph.Update[state.Agent], error) {
		return graph.Update[state.Agent]{state.AgentPlan.Add(second)}, nil
	})
	g.AddEdge(graph.Start, "n")
	app, err := g.Compile(nil)
	if err != nil {
		t.Fatal(err)
	}
	out, err := app.Invoke(context.Background(), graph.Update[state.Agent]{state.AgentPlan.Add(first)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return out.Plan
}

func TestPlanRowsAreFilledIn(t *testing.T) {
	row := state.Step{ID: 1, Phase: "Rule", Question: "q?", Status: state.StepPending}
	for _, tc := range []struct {
		name   string
		update state.Step
		want   []state.Step
	}{
		{"queries only", state.Step{ID: 1, Queries: []string{"a"}}, []state.Step{{ID: 1, Phase: "Rule", Question: "q?", Status: state.StepPending, Queries: []string{"a"}}}},
		{"status and verdict", state.Step{ID: 1, Status: state.StepFailed, Verdict: "v"}, []state.Step{{ID: 1, Phase: "Rule", Question: "q?", Status: state.StepFailed, Verdict: "v"}}},
		{"another row", state.Step{ID: 2, Question: "r?"}, []state.Step{row, {ID: 2, Question: "r?"}}},
		{
			"every column", state.Step{ID: 1, Phase: "P", Question: "Q", Status: state.StepCompleted, Queries: []string{"x"}, Hits: []state.Hit{{Rank: 1}}, Confidence: .5, Answer: "A", Citations: []state.Citation{{N: 1}}, Verdict: "V", Error: "E"},
			[]state.Step{{ID: 1, Phase: "P", Question: "Q", Status: state.StepCompleted, Queries: []string{"x"}, Hits: []state.Hit{{Rank: 1}}, Confidence: .5, Answer: "A", Citations: []state.Citation{{N: 1}}, Verdict: "V", Error: "E"}},
		},
	} {
		if diff := cmp.Diff(tc.want, merge(t, []state.Step{row}, []state.Step{tc.update})); diff != "" {
			t.Errorf("%s (-want +got)\n%s", tc.name, diff)
		}
	}
}

func TestAgentCounts(t *testing.T) {
	s := state.Agent{Plan: []state.Step{
		{ID: 1, Status: state.StepCompleted, Confidence: .8, Hits: []state.Hit{{Passage: state.Passage{ID: "a"}}, {Passage: state.Passage{ID: "b"}}}},
		{ID: 2, Status: state.StepFailed, Confidence: .1, Hits: []state.Hit{{Passage: state.Passage{ID: "c"}}}},
		{ID: 3, Status: state.StepCompleted, Confidence: .9},
		{ID: 4, Status: state.StepPending},
	}}
	if got := s.Count(state.StepCompleted); got != 2 {
		t.Errorf("%d completed", got)
	}
	if got := s.MeanConfidence(); got < .85-1e-9 || got > .85+1e-9 {
		t.Errorf("mean confidence %v", got)
	}
	if diff := cmp.Diff([]string{"a", "b", "c"}, s.Read()); diff != "" {
		t.Errorf("read: %s", diff)
	}
	if step, ok := s.Pending(); !ok || step.ID != 4 {
		t.Errorf("pending: %+v, %v", step, ok)
	}
	if _, ok := s.Executed(); ok {
		t.Error("a step waits for evaluation")
	}
	if (state.Agent{}).MeanConfidence() != 0 {
		t.Error("mean of nothing")
	}
}
