package temporal_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"example.com/assay/graph"
	"example.com/assay/graph/temporal"
)

// board is the state of the graphs of these tests.
type board struct {
	Log  []string `json:"log"`
	Item int      `json:"item"`
	Sum  int      `json:"sum"`
	Who  []string `json:"who"`
}

var (
	logged = graph.Append("log", func(s *board) *[]string { return &s.Log })
	item   = graph.LastValue("item", func(s *board) *int { return &s.Item })
	sum    = graph.Reduce("sum", func(s *board) *int { return &s.Sum }, func(a, b int) int { return a + b })
	who    = graph.Append("who", func(s *board) *[]string { return &s.Who })
)

func newBoard() *graph.StateGraph[board] { return graph.NewStateGraph(logged, item, sum, who) }

type update = graph.Update[board]

func say(name string) graph.Node[board] {
	return func(context.Context, board) (update, error) { return update{logged.Add(name)}, nil }
}

func asks(key string) graph.Node[board] {
	return func(ctx context.Context, s board) (update, error) {
		name, err := graph.Interrupt[string](ctx, key, len(s.Log))
		return update{who.Add(name), logged.Add(key)}, err
	}
}

// chain is a graph of n nodes, one after the other.
func chain(n int) *graph.StateGraph[board] {
	g, from := newBoard(), graph.Start
	for i := range n {
		name := fmt.Sprintf("n%02d", i)
		g.AddNode(name, say(name))
		g.AddEdge(from, name)
		from = name
	}
	return g
}

// fanOut sends n items to a node, which a join follows. Remote is the queue of the node.
func fanOut(n int, remote string) *graph.StateGraph[board] {
	g := newBoard()
	g.AddNode("split", say("split"))
	g.AddNode("work", func(_ context.Context, s board) (update, error) {
		return update{sum.Add(s.Item), logged.Add(fmt.Sprintf("work %d", s.Item))}, nil
	}, graph.NodeOptions[board]{Remote: remote})
	g.AddNode("end", say("end"), graph.NodeOptions[board]{Defer: true})
	g.AddEdge(graph.Start, "split")
	g.AddConditionalEdges("split", func(context.Context, board) (graph.Route, error) {
		sends := make([]graph.Send[board], n)
		for i := range sends {
			sends[i] = graph.Send[board]{Node: "work", State: board{Item: i + 1}}
		}
		return graph.Sends(sends...), nil
	}, "work")
	g.AddEdge("work", "end")
	return g
}

// graphs are the kinds of graphs that must run the same everywhere.
var graphs = map[string]func(t *testing.T) *graph.StateGraph[board]{
	"chain":     func(*testing.T) *graph.StateGraph[board] { return chain(10) },
	"fan-out":   func(*testing.T) *graph.StateGraph[board] { return fanOut(20, "") },
	"interrupt": func(*testing.T) *graph.StateGraph[board] { return asking() },
	"two interrupts at once": func(*testing.T) *graph.StateGraph[board] {
		g := newBoard()
		for _, name := range []string{"left", "right"} {
			g.AddNode(name, asks(name))
			g.AddEdge(graph.Start, name)
		}
		g.AddNode("end", say("end"))
		g.AddJoin([]string{"left", "right"}, "end")
		return g
	},
	"subgraph that asks twice": func(t *testing.T) *graph.StateGraph[board] {
		inner := newBoard()
		inner.AddNode("first", asks("first"))
		inner.AddNode("second", asks("second"))
		inner.AddEdge(graph.Start, "first")
		inner.AddEdge("first", "second")
		child, err := inner.Compile(nil)
		if err != nil {
			t.Fatal(err)
		}
		g := newBoard()
		g.AddNode("before", say("before"))
		g.AddSubgraph("inner", child)
		g.AddNode("after", say("after"))
		g.AddEdge(graph.Start, "before")
		g.AddEdge("before", "inner")
		g.AddEdge("inner", "after")
		return g
	},
	"once and retry": func(*testing.T) *graph.StateGraph[board] {
		g := newBoard()
		made, tries := 0, 0
		g.AddNode("effect", func(ctx context.Context, s board) (update, error) {
			n, err := graph.Once(ctx, "made", func(context.Context) (int, error) { made++; return made, nil })
			if err != nil {
				return nil, err
			}
			name, err := graph.Interrupt[string](ctx, "sure", n)
			return update{sum.Add(n), who.Add(name)}, err
		})
		g.AddNode("flaky", func(context.Context, board) (update, error) {
			if tries++; tries%3 != 0 {
				return nil, errors.New("not yet")
			}
			made = 0
			return update{logged.Add("flaky")}, nil
		}, graph.NodeOptions[board]{Retry: []graph.RetryPolicy{{MaxAttempts: 3, InitialInterval: time.Millisecond}}})
		g.AddEdge(graph.Start, "effect")
		g.AddEdge("effect", "flaky")
		return g
	},
}

// asking is a graph that asks between two nodes.
func asking() *graph.StateGraph[board] {
	g := newBoard()
	g.AddNode("before", say("before"))
	g.AddNode("ask", asks("name"))
	g.AddNode("after", say("after"))
	g.AddEdge(graph.Start, "before")
	g.AddEdge("before", "ask")
	g.AddEdge("ask", "after")
	return g
}

func compile(t testing.TB, g *graph.StateGraph[board], opts graph.CompileOptions) *graph.Compiled[board] {
	t.Helper()
	app, err := g.Compile(&opts)
	if err != nil {
		t.Fatal(err)
	}
	return app
}

// line is an event as both drivers must report it.
func line(ev graph.Event[json.RawMessage]) string {
	data, err := ev.UpdateJSON()
	return fmt.Sprintf("%s %s/%s %d %s %v", ev.Kind, ev.Namespace, ev.Node, ev.Step, data, err)
}

// encoded is an update as an input of an App.
func encoded(t testing.TB, u update) json.RawMessage {
	t.Helper()
	data, err := json.Marshal(u)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// updates is an Observe that writes a line for each update.
func updates(mu *sync.Mutex, lines *[]string) func(temporal.Run, string) (func(graph.Event[json.RawMessage]), func(context.Context) error) {
	return func(temporal.Run, string) (func(graph.Event[json.RawMessage]), func(context.Context) error) {
		return func(ev graph.Event[json.RawMessage]) {
			mu.Lock()
			defer mu.Unlock()
			if ev.Kind == graph.NodeUpdate {
				*lines = append(*lines, line(ev))
			}
		}, func(context.Context) error { return nil }
	}
}
