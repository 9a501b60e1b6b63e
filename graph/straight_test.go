package graph_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"example.com/assay/graph"
)

// bothWays runs a graph with nothing that sees its supersteps, three times, and with a limit of
// time, which is not straight. States and errors are equal.
func bothWays(t *testing.T, app *graph.Compiled[board], in update) (board, error) {
	t.Helper()
	want, wantErr := app.Invoke(t.Context(), in, &graph.RunOptions{Timeout: time.Hour})
	for range 3 {
		got, err := app.Invoke(t.Context(), in, nil)
		if diff := differ(want, got); diff != "" || fmt.Sprint(err) != fmt.Sprint(wantErr) {
			t.Errorf("with a limit of time: %v\nstraight: %v\n%s", wantErr, err, diff)
		}
	}
	return want, wantErr
}

// TestStraight checks that supersteps which nothing sees give what the others give.
func TestStraight(t *testing.T) {
	wrong := errors.New("wrong")
	third := func(do func() (update, error)) node {
		return func(_ context.Context, s board) (update, error) {
			if s.X == 3 {
				return do()
			}
			return update{log.Add("b"), x.Add(1), hello.Set(fmt.Sprint(s.X))}, nil
		}
	}
	loops := func(b node, opts ...graph.NodeOptions[board]) *graph.Compiled[board] {
		g := newBoard()
		g.AddNode("a", func(_ context.Context, s board) (update, error) {
			_ = append(s.Log, "in the spare room of the list")
			return update{log.Add("a")}, nil
		})
		g.AddNode("b", b, opts...)
		g.AddEdge(graph.Start, "a")
		g.AddEdge("a", "b")
		g.AddConditionalEdges("b", func(_ context.Context, s board) (graph.Route, error) {
			_ = append(s.Log, "likewise")
			if s.X < 6 {
				return graph.To("a"), nil
			}
			return graph.Nowhere(), nil
		}, "a")
		return mustCompile(t, g)
	}
	again := func() (update, error) { return update{x.Add(1)}, nil }
	for name, app := range map[string]*graph.Compiled[board]{
		"to its end": loops(third(again)),
		"failure":    loops(third(func() (update, error) { return nil, wrong })),
		"panic":      loops(third(func() (update, error) { panic("at the third") })),
		"nil write":  loops(third(func() (update, error) { return update{nil}, nil })),
		"two values": loops(third(func() (update, error) { return update{hello.Set("1"), hello.Set("2")}, nil })),
		"overwrite":  loops(third(func() (update, error) { return update{x.Add(1), log.Overwrite([]string{"new"}), log.Add("void")}, nil })),
		"unknown channel": loops(third(func() (update, error) {
			return update{graph.LastValue("strange", func(s *board) *string { return &s.Out }).Set("1")}, nil
		})),
		"parent":          loops(third(func() (update, error) { return update{graph.Parent[board](update{})}, nil })),
		"undeclared goto": loops(third(func() (update, error) { return update{graph.Goto[board]("a")}, nil })),
		"goto":            loops(third(func() (update, error) { return update{x.Add(1), graph.Goto[board]("a")}, nil }), graph.NodeOptions[board]{Goto: []string{"a"}}),
		"also":            loops(third(func() (update, error) { return update{x.Add(1), graph.Also[board]("b")}, nil }), graph.NodeOptions[board]{Goto: []string{"b"}}),
		"a Send": loops(third(func() (update, error) {
			return update{x.Add(1), graph.Goto[board]().Sends(graph.Send[board]{Node: "b", State: board{X: 9}})}, nil
		}), graph.NodeOptions[board]{Goto: []string{"b"}}),
		"a node that tries": loops(third(again), graph.NodeOptions[board]{Retry: []graph.RetryPolicy{{}}}),
	} {
		t.Run(name, func(t *testing.T) {
			out, err := bothWays(t, app, update{hello.Set("begin")})
			if len(out.Log) == 0 {
				t.Error("it did not run:", err)
			}
			outer := newBoard()
			outer.AddSubgraph("inner", app)
			outer.AddNode("after", say("after"))
			outer.AddEdge(graph.Start, "inner")
			outer.AddEdge("inner", "after")
			bothWays(t, mustCompile(t, outer), update{})
		})
	}
}

// A run that is over lends its memory to the next, and takes nothing of the last along. Nodes
// know their places, also those whose goroutines outlive them.
func TestStraightRunsShareNothing(t *testing.T) {
	var left sync.WaitGroup
	release := make(chan struct{})
	g := newBoard()
	g.AddNode("a", func(ctx context.Context, s board) (update, error) {
		if s.X%3 == 0 {
			left.Go(func() {
				<-release
				if at, in := graph.CurrentTask(ctx); in && at.Node != "a" && at.Node != "b" {
					t.Errorf("it is in %+v", at)
				}
				graph.Drain(ctx, "too late")
			})
		}
		return update{log.Add(fmt.Sprint("a", s.X))}, nil
	})
	g.AddNode("b", func(ctx context.Context, s board) (update, error) {
		if at, in := graph.CurrentTask(ctx); s.X%2 == 0 && (!in || at.Node != "b" || at.Step != 2) {
			t.Errorf("it is in %+v", at)
		}
		return update{log.Add("b")}, nil
	})
	g.AddEdge(graph.Start, "a")
	g.AddEdge("a", "b")
	app := mustCompile(t, g)
	var runs sync.WaitGroup
	for w := range 8 {
		runs.Go(func() {
			for i := range 200 {
				n := w*1000 + i
				out, err := app.Invoke(t.Context(), update{x.Add(n)}, nil)
				if want := []string{fmt.Sprint("a", n), "b"}; err != nil || differ(board{X: n, Log: want}, out) != "" {
					t.Errorf("run %d: %+v, %v", n, out, err)
				}
			}
		})
	}
	runs.Wait()
	close(release)
	left.Wait()
}
