package graph_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"testing"

	"example.com/assay/graph"
)

// greedy appends to its own copy of the log, which nobody else may see.
func greedy(name string) node {
	return func(_ context.Context, s board) (update, error) {
		mine := s.Log
		for range 20 {
			mine = append(mine, "private to "+name)
		}
		return update{log.Add(name, name), seen.Add(fmt.Sprint(len(mine)))}, nil
	}
}

// TestNodesCannotReachTheState: the race detector watches the nodes, and the
// result tells whether one of them wrote into the others' list.
func TestNodesCannotReachTheState(t *testing.T) {
	nodes := map[string]node{"a": greedy("a"), "b": greedy("b"), "c": greedy("c"), "d": greedy("d")}
	g := wire("START -> a b c d", nodes)
	g.AddNode("again", writes())
	for _, name := range []string{"a", "b", "c", "d"} {
		g.AddConditionalEdges(name, func(_ context.Context, s board) (graph.Route, error) {
			if n := len(s.Log); n < 2 || s.Log[n-2] != name || s.Log[n-1] != name {
				t.Errorf("the router of %s sees a log that ends with %q", name, s.Log[max(0, n-2):])
			}
			return graph.To("again"), nil
		}, "again")
	}
	g.AddConditionalEdges("again", func(_ context.Context, s board) (graph.Route, error) {
		s.Log = append(s.Log, "private to the router")
		if len(s.Log) < 80 {
			return graph.To("a", "b", "c", "d"), nil
		}
		return graph.Nowhere(), nil
	}, "a", "b", "c", "d")
	app := mustCompile(t, g)
	var states []board
	var then []string
	for ev, err := range app.Stream(t.Context(), update{log.Add("in")}, &graph.RunOptions{Modes: graph.Values}) {
		if err != nil {
			t.Fatal(err)
		}
		data, err := json.Marshal(ev.State)
		if err != nil {
			t.Fatal(err)
		}
		if len(states) > 0 { // a reader may append as well
			_ = append(states[len(states)-1].Log, "private to the reader")
		}
		states, then = append(states, ev.State), append(then, string(data))
	}
	for i, s := range states {
		if now, _ := json.Marshal(s); string(now) != then[i] {
			t.Errorf("state %d changed after it was reported:\n was %s\n is  %s", i, then[i], now)
		}
	}
	want := []string{"in"}
	for len(want) < 80 {
		want = append(want, "a", "a", "b", "b", "c", "c", "d", "d")
	}
	if got := states[len(states)-1].Log; !slices.Equal(got, want) {
		t.Errorf("log %q", got)
	}
}

// TestWritesAreValues: one write may be committed many times, in one run and in
// several at once.
func TestWritesAreValues(t *testing.T) {
	start := make([]string, 17, 64) // a plain copy of 17 strings has room for one more
	over := log.Overwrite(start)
	start[0] = "changed afterwards"
	g := wire("START -> reset -> a -> b", map[string]node{"reset": writes(over), "a": func(_ context.Context, s board) (update, error) {
		return update{log.Add(fmt.Sprintf("a%d", len(s.Seen)))}, nil
	}})
	g.AddConditionalEdges("b", func(_ context.Context, s board) (graph.Route, error) {
		if len(s.Seen) < 3 {
			return graph.To("count"), nil
		}
		return graph.Nowhere(), nil
	}, "count")
	g.AddNode("count", writes(seen.Add("once more")))
	g.AddEdge("count", "reset")
	app := mustCompile(t, g)
	var runs sync.WaitGroup
	for range 4 {
		runs.Go(func() {
			var states []board
			for ev, err := range app.Stream(t.Context(), update{over}, &graph.RunOptions{Modes: graph.Values}) {
				if err != nil {
					t.Error(err)
				}
				states = append(states, ev.State)
			}
			for i, s := range states {
				want := append(make([]string, 17), fmt.Sprintf("a%d", (i-1)/4), "b")
				switch i % 4 { // input, then reset, a, b, count, again and again
				case 1:
					want = want[:17]
				case 2:
					want = want[:18]
				}
				if i > 0 && !slices.Equal(s.Log, want) {
					t.Errorf("state %d: log %q, want %q", i, s.Log, want)
				}
			}
		})
	}
	runs.Wait()
}

// TestCompiledDoesNotChange: the graph that it was made from may.
func TestCompiledDoesNotChange(t *testing.T) {
	channels := []graph.Channel[board]{log, x}
	outputs := []graph.Channel[board]{log}
	g := graph.NewStateGraph(channels...)
	g.Output(outputs...)
	g.AddNode("a", writes(log.Add("a"), x.Add(1)))
	g.AddEdge(graph.Start, "a")
	app := mustCompile(t, g)
	before := app.Drawing().Text()
	channels[0], outputs[0] = hello, x
	g.AddNode("b", say("b"))
	g.AddEdge("a", "b")
	out, err := app.Invoke(t.Context(), update{}, nil)
	if diff := differ(board{Log: []string{"a"}}, out); diff != "" || err != nil {
		t.Errorf("error %v, state:\n%s", err, diff)
	}
	if app.Drawing().Text() != before {
		t.Error("the drawing changed")
	}
	if later := mustCompile(t, g); later.Fingerprint() == app.Fingerprint() {
		t.Error("graphs with different nodes have one fingerprint")
	}
}
