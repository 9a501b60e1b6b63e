package follow_test

import (
	"bytes"
	"context"
	"testing"

	"example.com/assay/graph"
	"example.com/assay/graph/trace"
	"example.com/assay/llm"
	"example.com/assay/nodes/follow"
	"example.com/assay/state"
)

// TestUsageOfAReplay: calls of an earlier run that are told again are not counted
// again.
func TestUsageOfAReplay(t *testing.T) {
	type said struct{ Text string }
	text := graph.LastValue("text", func(s *said) *string { return &s.Text })
	g := graph.NewStateGraph[said](text)
	for _, name := range []string{"a", "b"} {
		g.AddNode(name, func(ctx context.Context, _ said) (graph.Update[said], error) {
			err := graph.Emit(ctx, llm.EventModelCall, llm.CallEvent{Skill: "s", Usage: state.ModelUsage{Calls: 1}, OK: true})
			return graph.Update[said]{text.Set(name)}, err
		})
	}
	g.AddEdge(graph.Start, "a")
	g.AddEdge("a", "b")
	app, err := g.Compile(nil)
	if err != nil {
		t.Fatal(err)
	}
	var lines bytes.Buffer
	_, took, err := follow.Run(t.Context(), app, graph.Update[said]{}, &follow.Options[said]{Trace: trace.NewWriter(&lines, trace.Header{})})
	if err != nil || took.Usage["a"].Calls != 1 || took.Usage["b"].Calls != 1 {
		t.Fatalf("usage %v, error %v", took.Usage, err)
	}
	records, err := trace.Read(&lines)
	if err != nil {
		t.Fatal(err)
	}
	rec, err := trace.NewRecording(records, &trace.RecordingOptions{From: "b"})
	if err != nil {
		t.Fatal(err)
	}
	final, took, err := follow.Run(t.Context(), app, graph.Update[said]{}, &follow.Options[said]{Run: graph.RunOptions{Replay: rec}})
	if err != nil || final.Text != "b" || took.Usage["a"].Calls != 0 || took.Usage["b"].Calls != 1 {
		t.Errorf("usage %v, state %v, error %v", took.Usage, final, err)
	}
}
