package research

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/assay/graph"
	"example.com/assay/state"
)

// merge runs two updates of the planning table through the engine.
func merge(t *testing.T, first, second []state.Step) []state.Step {
	t.Helper()
	g := graph.NewStateGraph(channels()...)
	g.AddNode("n", func(context.Context, state.Agent) (graph.Update[state.Agent], error) {
		return graph.Update[state.Agent]{planChannel.Add(second)}, nil
	})
	g.AddEdge(graph.Start, "n")
	app, err := g.Compile(nil)
	if err != nil {
		t.Fatal(err)
	}
	out, err := app.Invoke(context.Background(), graph.Update[state.Agent]{planChannel.Add(first)}, nil)
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
