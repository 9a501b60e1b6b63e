package view_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/memory"
	"example.com/assay/graph/trace"
	"example.com/assay/serve/view"
	"example.com/assay/state"
	"example.com/assay/state/event"
)

// tested is the state of a graph that does all that a view shows.
type tested struct {
	Seen  []string `json:"seen"`
	N     int      `json:"n"`
	Reply string   `json:"reply"`
}

var (
	seen  = graph.Append("seen", func(s *tested) *[]string { return &s.Seen })
	n     = graph.LastValue("n", func(s *tested) *int { return &s.N })
	reply = graph.LastValue("reply", func(s *tested) *string { return &s.Reply })
)

// build makes the graph: a loop of three, a fan-out of four inside a subgraph, a node that
// asks, and one that fails unless the reply is "yes".
func build(t testing.TB) *graph.Compiled[tested] {
	t.Helper()
	says := func(text string) graph.Node[tested] {
		return func(ctx context.Context, _ tested) (graph.Update[tested], error) {
			err := graph.Emit(ctx, event.ModelCall, event.Call{Skill: "s", SkillHash: "h", OK: true, Usage: state.ModelUsage{Calls: 1, InputTokens: 3}})
			return graph.Update[tested]{seen.Add(text)}, err
		}
	}
	inner := graph.NewStateGraph(seen, n, reply)
	inner.AddNode("split", func(context.Context, tested) (graph.Update[tested], error) {
		var sends []graph.Send[tested]
		for i := range 4 {
			sends = append(sends, graph.Send[tested]{Node: "judge", State: tested{N: i}})
		}
		return graph.Update[tested]{graph.Goto[tested]().Sends(sends...)}, nil
	}, graph.NodeOptions[tested]{Goto: []string{"judge"}})
	inner.AddNode("judge", says("judged"))
	inner.AddEdge(graph.Start, "split")
	sub, err := inner.Compile(&graph.CompileOptions{Name: "check"})
	if err != nil {
		t.Fatal(err)
	}
	g := graph.NewStateGraph(seen, n, reply)
	g.AddNode("count", func(_ context.Context, s tested) (graph.Update[tested], error) {
		return graph.Update[tested]{n.Set(s.N + 1), seen.Add("counted")}, nil
	})
	g.AddSubgraph("check", sub)
	g.AddNode("ask", func(ctx context.Context, _ tested) (graph.Update[tested], error) {
		text, err := graph.Interrupt[string](ctx, "agree", map[string]string{"question": "yes or no?"})
		if err != nil {
			return nil, err
		}
		return graph.Update[tested]{reply.Set(text)}, nil
	})
	g.AddNode("last", func(_ context.Context, s tested) (graph.Update[tested], error) {
		if s.Reply != "yes" {
			return nil, errors.New("the reply is " + s.Reply)
		}
		return graph.Update[tested]{seen.Add("last")}, nil
	})
	g.AddEdge(graph.Start, "count")
	g.AddConditionalEdges("count", func(_ context.Context, s tested) (graph.Route, error) {
		if s.N < 3 {
			return graph.To("count"), nil
		}
		return graph.To("check"), nil
	}, "count", "check")
	g.AddEdge("check", "ask")
	g.AddEdge("ask", "last")
	c, err := g.Compile(&graph.CompileOptions{Name: "tested", Checkpointer: memory.New()})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// recorded is a run as a trace and as the events of a server.
type recorded struct {
	trace  []trace.Record
	events []graph.EventRecord
}

func (r recorded) views(t testing.TB, opts *view.Options) (fromTrace, fromEvents view.View) {
	t.Helper()
	var withStates view.Options
	if opts != nil {
		withStates = *opts
	}
	if withStates.State == nil {
		withStates.State = states(r.events)
	}
	a, b := view.NewBuilder(opts), view.NewBuilder(&withStates)
	for _, rec := range r.trace {
		if err := a.Trace(rec); err != nil {
			t.Fatal(err)
		}
	}
	for _, rec := range r.events {
		if err := b.Event(rec); err != nil {
			t.Fatal(err)
		}
	}
	return a.View(), b.View()
}

// play runs the graph until it ends or asks. Without a reply it begins.
func play(t testing.TB, c *graph.Compiled[tested], answers ...string) recorded {
	t.Helper()
	opts := &graph.RunOptions{Thread: "t", Modes: graph.Debug | graph.Checkpoints}
	stream := c.Stream(context.Background(), graph.Update[tested]{}, opts)
	if len(answers) > 0 {
		opts.Resume = []graph.Answer{graph.Reply(answers[0])}
		stream = c.StreamResume(context.Background(), nil, opts)
	}
	var out recorded
	var b bytes.Buffer
	w := trace.NewWriter(&b, trace.Header{RunID: "r"})
	for ev, err := range stream {
		if err != nil {
			break
		}
		if err := trace.Add(w, ev); err != nil {
			t.Fatal(err)
		}
		rec, err := ev.Record()
		if err != nil {
			t.Fatal(err)
		}
		out.events = append(out.events, rec)
	}
	var err error
	if out.trace, err = trace.Read(strings.NewReader(b.String())); err != nil {
		t.Fatal(err)
	}
	return out
}

// states are those in the events of a run, by their supersteps.
func states(events []graph.EventRecord) func(int) (json.RawMessage, bool) {
	all := map[int]json.RawMessage{}
	for _, ev := range events {
		if ev.Kind == graph.StateValue.String() && ev.Namespace == "" {
			all[ev.Step] = ev.State
		}
	}
	return func(step int) (json.RawMessage, bool) {
		s, ok := all[step]
		return s, ok
	}
}
