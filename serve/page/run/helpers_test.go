package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/memory"
	"example.com/assay/llm"
	"example.com/assay/serve/view"
	"example.com/assay/state"
	"example.com/assay/state/event"
)

// hostile is a text that runs where a page does not escape it.
const hostile = `"'><img src=x onerror=alert(1)><svg onload=alert(2)>{{.}}`

// tested is the state of a graph that does all that a page shows.
type tested struct {
	Seen  []string `json:"seen"`
	N     int      `json:"n"`
	Reply string   `json:"<b>reply"`
}

var (
	seenChannel  = graph.Append(hostile, func(s *tested) *[]string { return &s.Seen })
	nChannel     = graph.LastValue("n", func(s *tested) *int { return &s.N })
	replyChannel = graph.LastValue("<b>reply", func(s *tested) *string { return &s.Reply })
)

// testGraph has a loop, a fan-out inside a graph, a node that asks, one that fails unless the
// reply is "yes", and one behind it. Its names are hostile.
func testGraph(t testing.TB) *graph.Compiled[tested] {
	t.Helper()
	inner := graph.NewStateGraph(seenChannel, nChannel, replyChannel)
	inner.AddNode("split", func(context.Context, tested) (graph.Update[tested], error) {
		var sends []graph.Send[tested]
		for i := range 4 {
			sends = append(sends, graph.Send[tested]{Node: "judge", State: tested{N: i}})
		}
		return graph.Update[tested]{graph.Goto[tested]().Sends(sends...)}, nil
	}, graph.NodeOptions[tested]{Goto: []string{"judge"}})
	inner.AddNode("judge", func(ctx context.Context, _ tested) (graph.Update[tested], error) {
		call := event.Call{Skill: hostile, SkillHash: hostile, Model: hostile, Error: hostile, Fallback: hostile, Usage: state.ModelUsage{Calls: 1, InputTokens: 3}}
		call.Said = &event.Said{Messages: []llm.Message{{Role: "user", Text: hostile, Images: make([]llm.Image, 2)}}, Answer: hostile, Calls: []llm.ToolCall{{Name: hostile, Arguments: json.RawMessage(`{"a":1}`)}}}
		found := event.Search{Queries: []string{hostile}, Reranker: hostile, Candidates: 3, Hits: []event.Hit{
			{Passage: hostile, Scores: []state.Score{{Ranker: "fused", Value: 3}, {Ranker: "bm25", Value: 2}, {Ranker: hostile, Value: 1}}}, {Passage: "p", Scores: []state.Score{{Ranker: "fused", Value: 2}, {Ranker: "bm25", Value: 2}}}}}
		err := errors.Join(graph.Emit(ctx, event.ModelCall, call), graph.Emit(ctx, event.Retrieval, found), graph.Emit(ctx, hostile, hostile))
		return graph.Update[tested]{seenChannel.Add(hostile)}, err
	})
	inner.AddEdge(graph.Start, "split")
	sub, err := inner.Compile(&graph.CompileOptions{Name: "check"})
	if err != nil {
		t.Fatal(err)
	}
	g := graph.NewStateGraph(seenChannel, nChannel, replyChannel)
	g.AddNode(hostile, func(_ context.Context, s tested) (graph.Update[tested], error) {
		return graph.Update[tested]{nChannel.Set(s.N + 1), seenChannel.Add(strings.Repeat(hostile, 40))}, nil
	})
	g.AddSubgraph("check", sub)
	g.AddNode("ask", func(ctx context.Context, _ tested) (graph.Update[tested], error) {
		text, err := graph.Interrupt[string](ctx, hostile, map[string]string{"question": hostile})
		if err != nil {
			return nil, err
		}
		return graph.Update[tested]{replyChannel.Set(text)}, nil
	})
	g.AddNode("last", func(_ context.Context, s tested) (graph.Update[tested], error) {
		if s.Reply != "yes" {
			return nil, errors.New(hostile)
		}
		return nil, nil
	})
	g.AddNode("never", func(context.Context, tested) (graph.Update[tested], error) { return nil, nil })
	g.AddEdge(graph.Start, hostile)
	g.AddConditionalEdges(hostile, func(_ context.Context, s tested) (graph.Route, error) {
		if s.N < 3 {
			return graph.To(hostile), nil
		}
		return graph.To("check"), nil
	}, hostile, "check")
	g.AddEdge("check", "ask")
	g.AddEdge("ask", "last")
	g.AddConditionalEdges("last", func(context.Context, tested) (graph.Route, error) { return graph.To(graph.End), nil }, "never", graph.End)
	c, err := g.Compile(&graph.CompileOptions{Name: hostile, Checkpointer: memory.New()})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// play runs the graph until it ends or asks. Without a reply it begins.
func play(t testing.TB, c *graph.Compiled[tested], replies ...string) []graph.EventRecord {
	t.Helper()
	opts := &graph.RunOptions{Thread: "t", Modes: graph.Debug | graph.Checkpoints}
	stream := c.Stream(context.Background(), graph.Update[tested]{}, opts)
	if len(replies) > 0 {
		opts.Resume = []graph.Answer{graph.Reply(replies[0])}
		stream = c.StreamResume(context.Background(), nil, opts)
	}
	var out []graph.EventRecord
	for ev, err := range stream {
		if err != nil {
			break
		}
		rec, err := ev.Record()
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, rec)
	}
	return out
}

// runOf is the view of events, with their graph.
func runOf(t testing.TB, c *graph.Compiled[tested], events []graph.EventRecord) *Run {
	t.Helper()
	r := &Run{View: viewOf(t, events, nil)}
	if c != nil {
		app := c.App()
		r.App = &app
	}
	return r
}

func viewOf(t testing.TB, events []graph.EventRecord, opts *view.Options) view.View {
	t.Helper()
	var with view.Options
	if opts != nil {
		with = *opts
	}
	states := map[int]json.RawMessage{}
	for _, ev := range events {
		if ev.Kind == graph.StateValue.String() && ev.Namespace == "" {
			states[ev.Step] = ev.State
		}
	}
	with.State = func(step int) (json.RawMessage, bool) {
		s, ok := states[step]
		return s, ok
	}
	b := view.NewBuilder(&with)
	for _, ev := range events {
		if err := b.Event(ev); err != nil {
			t.Fatal(err)
		}
	}
	return b.View()
}

// long are the events of a run of so many supersteps, five for each.
func long(steps int) []graph.EventRecord {
	began := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	var out []graph.EventRecord
	add := func(ev graph.EventRecord) {
		ev.Time = began.Add(time.Duration(len(out)) * time.Millisecond)
		out = append(out, ev)
	}
	add(graph.EventRecord{Kind: "run_start", Graph: "long", Fingerprint: "0123456789abcdef", Places: []graph.Place{{Step: -1, Task: -1}}, Step: -1})
	add(graph.EventRecord{Kind: "values", Places: []graph.Place{{Step: -1, Task: 0}}, Step: -1, State: json.RawMessage(`{"n":0}`)})
	for k := 1; k <= steps; k++ {
		node, at := fmt.Sprint("node", k%7), []graph.Place{{Step: k}}
		add(graph.EventRecord{Kind: "node_start", Places: at, Step: k, Node: node})
		add(graph.EventRecord{Kind: "custom", Name: "model_call", Places: at, Step: k, Node: node, Data: json.RawMessage(`{"skill":"s","skill_hash":"0123456789abcdef","ok":true,"usage":{"calls":1,"input_tokens":7,"output_tokens":2}}`)})
		add(graph.EventRecord{Kind: "node_update", Places: at, Step: k, Node: node, Elapsed: 2 * time.Millisecond, Update: json.RawMessage(fmt.Sprintf(`[{"channel":"n","op":"set","value":%d}]`, k))})
		add(graph.EventRecord{Kind: "values", Places: []graph.Place{{Step: k, Task: 1}}, Step: k, State: json.RawMessage(fmt.Sprintf(`{"n":%d}`, k))})
	}
	add(graph.EventRecord{Kind: "run_end", Places: []graph.Place{{Step: steps + 1, Task: -1}}, Step: steps + 1, Elapsed: time.Duration(len(out)) * time.Millisecond})
	return out
}

var (
	idOf   = regexp.MustCompile(` id="([^"]*)"`)
	hrefOf = regexp.MustCompile(` href="#([^"]*)"`)
)

// sound reports IDs that stand twice, and links to places that are not there.
func sound(t *testing.T, page string) {
	t.Helper()
	ids := map[string]bool{}
	for _, m := range idOf.FindAllStringSubmatch(page, -1) {
		if ids[m[1]] {
			t.Errorf("the ID %q stands twice", m[1])
		}
		ids[m[1]] = true
	}
	for _, m := range hrefOf.FindAllStringSubmatch(page, -1) {
		if !ids[m[1]] {
			t.Errorf("nothing has the ID %q, and a link leads to it", m[1])
		}
	}
	for _, not := range []string{"<img", "<svg onload", "<script", "javascript:", "ZgotmplZ", " style=", "<b>reply"} {
		if strings.Contains(page, not) {
			t.Errorf("the page has %q", not)
		}
	}
}
