package react_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/memory"
	"example.com/assay/llm"
	"example.com/assay/llm/llmtest"
	"example.com/assay/nodes/react"
)

// desk is a graph of a caller around an agent.
type desk struct {
	Said   string   `json:"said"`
	Heard  string   `json:"heard"`
	Papers []string `json:"papers"`
}

var (
	deskSaid   = graph.LastValue("said", func(d *desk) *string { return &d.Said })
	deskHeard  = graph.LastValue("heard", func(d *desk) *string { return &d.Heard })
	deskPapers = graph.Append("papers", func(d *desk) *[]string { return &d.Papers })
)

// counts answers with the number of messages that it was asked with.
var counts = modelFunc(func(req llm.Request) string { return fmt.Sprint(len(req.Messages)) })

func inner(t *testing.T, opts *react.Options) *graph.Compiled[react.State] {
	t.Helper()
	g, err := react.New(counts, nil, opts)
	if err != nil {
		t.Fatal(err)
	}
	app, err := g.Compile(nil)
	if err != nil {
		t.Fatal(err)
	}
	return app
}

// asking calls an agent inside a node.
func asking(agent *graph.Compiled[react.State]) graph.Node[desk] {
	return func(ctx context.Context, d desk) (graph.Update[desk], error) {
		s, err := agent.Invoke(ctx, react.Say(d.Said), nil)
		return graph.Update[desk]{deskHeard.Set(react.Answer(s))}, err
	}
}

func around(t *testing.T, saver graph.Checkpointer, add func(*graph.StateGraph[desk])) *graph.Compiled[desk] {
	t.Helper()
	g := graph.NewStateGraph[desk](deskSaid, deskHeard, deskPapers)
	add(g)
	app, err := g.Compile(&graph.CompileOptions{Checkpointer: saver})
	if err != nil {
		t.Fatal(err)
	}
	return app
}

// An agent inside a graph remembers the earlier turns of the graph's thread, unless it begins anew.
func TestAnAgentInsideAGraphRemembers(t *testing.T) {
	agent, anew := inner(t, nil), inner(t, &react.Options{Anew: true})
	for name, c := range map[string]struct {
		add  func(*graph.StateGraph[desk])
		want string
	}{
		"in a node": {func(g *graph.StateGraph[desk]) { g.AddNode("ask", asking(agent)) }, "1 3 5"},
		"as a mapped node": {func(g *graph.StateGraph[desk]) {
			graph.AddMappedSubgraph(g, "ask", agent, func(d desk) graph.Update[react.State] { return react.Say(d.Said) },
				func(s react.State) graph.Update[desk] { return graph.Update[desk]{deskHeard.Set(react.Answer(s))} })
		}, "1 3 5"},
		"anew": {func(g *graph.StateGraph[desk]) { g.AddNode("ask", asking(anew)) }, "1 1 1"},
	} {
		app := around(t, memory.New(), func(g *graph.StateGraph[desk]) { c.add(g); g.AddEdge(graph.Start, "ask") })
		for thread := range 2 {
			var got []string
			for range 3 {
				d, err := app.Invoke(t.Context(), graph.Update[desk]{deskSaid.Set("Hi")}, &graph.RunOptions{Thread: fmt.Sprint(thread)})
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, d.Heard)
			}
			if strings.Join(got, " ") != c.want {
				t.Errorf("%s: asked with %v messages; want %s", name, got, c.want)
			}
		}
	}
}

// Where nothing is saved, nothing is remembered, and that is no error.
func TestAnAgentInsideAGraphThatIsNotSaved(t *testing.T) {
	app := around(t, nil, func(g *graph.StateGraph[desk]) {
		g.AddNode("ask", asking(inner(t, nil)))
		g.AddEdge(graph.Start, "ask")
	})
	for range 2 {
		if d, err := app.Invoke(t.Context(), graph.Update[desk]{deskSaid.Set("Hi")}, nil); err != nil || d.Heard != "1" {
			t.Errorf("%v: asked with %s messages", err, d.Heard)
		}
	}
}

// Tasks of one superstep may run the same agent: Sends, each of which begins anew, and two nodes.
func TestTasksShareAnAgent(t *testing.T) {
	agent := inner(t, nil)
	paper := func(ctx context.Context, d desk) (graph.Update[desk], error) {
		s, err := agent.Invoke(ctx, react.Say(d.Said), nil)
		return graph.Update[desk]{deskPapers.Add(react.Answer(s))}, err
	}
	app := around(t, memory.New(), func(g *graph.StateGraph[desk]) {
		g.AddNode("sent", paper)
		g.AddNode("one", paper)
		g.AddNode("two", paper)
		g.AddEdge(graph.Start, "one")
		g.AddEdge(graph.Start, "two")
		g.AddConditionalEdges(graph.Start, func(context.Context, desk) (graph.Route, error) {
			return graph.Sends(graph.Send[desk]{Node: "sent", State: desk{Said: "a"}}, graph.Send[desk]{Node: "sent", State: desk{Said: "b"}}), nil
		}, "sent")
	})
	for turn, want := range []string{"1 1 1 1", "1 1 1 1 3 3 1 1"} {
		if d, err := app.Invoke(t.Context(), graph.Update[desk]{deskSaid.Set("Hi")}, onThread); err != nil || strings.Join(d.Papers, " ") != want {
			t.Errorf("turn %d: %v: asked with %v messages; want %s", turn, err, d.Papers, want)
		}
	}
}

// A turn that failed is as if it had not been said; one that asked a person goes on.
func TestAnAgentInsideAGraphAfterAFailure(t *testing.T) {
	asks := tool(t, "look", func(ctx context.Context, in town) (string, error) { return graph.Interrupt[string](ctx, "which", in) })
	m := says(text("One."), llmtest.Answer{Err: errors.New("down")}, calls(`look {"town":"a"}`), text("Three."))
	g, err := react.New(m, []react.Tool{asks}, nil)
	if err != nil {
		t.Fatal(err)
	}
	agent, err := g.Compile(nil)
	if err != nil {
		t.Fatal(err)
	}
	app := around(t, memory.New(), func(g *graph.StateGraph[desk]) {
		g.AddNode("ask", asking(agent))
		g.AddEdge(graph.Start, "ask")
	})
	say := func(said string) error {
		_, err := app.Invoke(t.Context(), graph.Update[desk]{deskSaid.Set(said)}, onThread)
		return err
	}
	if err := say("First"); err != nil {
		t.Fatal(err)
	}
	if say("Second") == nil {
		t.Fatal("no failure")
	}
	if err := say("Third"); !isInterrupted(err) {
		t.Fatal(err)
	}
	d, err := app.Resume(t.Context(), nil, &graph.RunOptions{Thread: "t", Resume: []graph.Answer{graph.Reply("here")}})
	if got := seen(m.Requests()[3]); err != nil || d.Heard != "Three." || got != "user First\nassistant One.\nuser Third\nassistant  look\ntool  =here\n" {
		t.Errorf("%v, %q: asked with\n%s", err, d.Heard, got)
	}
}
