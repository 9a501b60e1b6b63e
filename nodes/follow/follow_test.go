package follow_test

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"example.com/assay/graph"
	"example.com/assay/graph/trace"
	"example.com/assay/nodes/follow"
	"example.com/assay/state"
	"example.com/assay/state/event"
)

// TestUsageOfAReplay: calls of an earlier run that are told again are not counted
// again.
func TestUsageOfAReplay(t *testing.T) {
	type said struct{ Text string }
	text := graph.LastValue("text", func(s *said) *string { return &s.Text })
	g := graph.NewStateGraph[said](text)
	for _, name := range []string{"a", "b"} {
		g.AddNode(name, func(ctx context.Context, _ said) (graph.Update[said], error) {
			err := graph.Emit(ctx, event.ModelCall, event.Call{Skill: "s", Usage: state.ModelUsage{Calls: 1}, OK: true})
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

// TestEndInTheTrace: the last line of a trace says how the run ended, also of one
// that failed or was stopped.
func TestEndInTheTrace(t *testing.T) {
	type said struct{ Text string }
	text := graph.LastValue("text", func(s *said) *string { return &s.Text })
	for name, tc := range map[string]struct {
		fails error
		stops bool
		want  string
	}{
		"whole":   {want: `{"status":"answered"}`},
		"failed":  {fails: errors.New("out of order"), want: `{"status":"failed","error":"running node \"a\" in step 1: out of order"}`},
		"stopped": {stops: true, want: `{"status":"cancelled","error":"context canceled"}`},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			g := graph.NewStateGraph[said](text)
			g.AddNode("a", func(ctx context.Context, _ said) (graph.Update[said], error) {
				if tc.stops {
					stop()
					return nil, context.Cause(ctx)
				}
				return graph.Update[said]{text.Set("x")}, tc.fails
			})
			g.AddEdge(graph.Start, "a")
			app, err := g.Compile(nil)
			if err != nil {
				t.Fatal(err)
			}
			var lines bytes.Buffer
			_, _, err = follow.Run(ctx, app, graph.Update[said]{}, &follow.Options[said]{
				Trace: trace.NewWriter(&lines, trace.Header{}),
				End: func(final said, err error) state.End {
					return state.Outcome{Err: err, Answered: final.Text != "", Grounded: true}.End()
				},
			})
			if (err != nil) != (name != "whole") {
				t.Fatal(err)
			}
			records, err := trace.Read(&lines)
			if err != nil {
				t.Fatal(err)
			}
			last := records[len(records)-1]
			if last.Kind != "run_end" || string(last.End) != tc.want {
				t.Errorf("the trace ends with %s and %s, want %s", last.Kind, last.End, tc.want)
			}
		})
	}
}
