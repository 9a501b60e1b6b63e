package graph_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/assay/graph"
)

// Group B: loops and limits.

// loopTo goes round a until x is most.
func loopTo(most int) func() *graph.StateGraph[board] {
	return func() *graph.StateGraph[board] {
		g := wire("START -> a", map[string]node{"a": writes(x.Add(1))})
		g.AddConditionalEdges("a", func(_ context.Context, s board) (graph.Route, error) {
			if s.X < most {
				return graph.To("a"), nil
			}
			return graph.To(graph.End), nil
		}, "a", graph.End)
		return g
	}
}

func rowsB() []row {
	return []row{{
		id: "B1", steps: "a | a | a | a | a", want: board{X: 6}, build: loopTo(6), in: update{x.Add(1)},
		check: func(t *testing.T, p played) {
			want := []string{`values {"x":1}`}
			for n := 2; n <= 6; n++ {
				want = append(want, `node_update a [{"channel":"x","op":"add","value":1}]`, fmt.Sprintf(`values {"x":%d}`, n))
			}
			sameLines(t, p.pick(graph.NodeUpdate, graph.StateValue), want...)
			var at []int
			for _, ev := range p.events {
				if ev.Kind == graph.StateValue {
					at = append(at, ev.Step)
				}
			}
			if !slices.Equal(at, []int{-1, 1, 2, 3, 4, 5}) {
				t.Errorf("states stand at steps %v", at)
			}
		},
	}}
}

func chain(n int) *graph.StateGraph[board] {
	names := []string{"START"}
	for i := range n {
		names = append(names, fmt.Sprintf("n%02d", i))
	}
	return wire(strings.Join(names, " -> "), nil)
}

// overLimit asserts a recursion error with this limit and these nodes to go.
func overLimit(t *testing.T, err error, limit int, next ...string) {
	t.Helper()
	var over *graph.RecursionError
	if !errors.As(err, &over) || over.Limit != limit || !slices.Equal(over.Next, next) {
		t.Errorf("error %v, want a recursion limit of %d with %q to run", err, limit, next)
	}
}

var factsB = []fact{
	{"B2", func(t *testing.T) {
		app := mustCompile(t, wire("START -> a -> a", map[string]node{"a": writes(x.Add(1))}))
		p := play(t.Context(), app, update{}, graph.RunOptions{RecursionLimit: 5})
		overLimit(t, p.err, 5, "a")
		if p.steps() != "a | a | a | a | a" || p.final.X != 5 || !slices.Equal(p.end(t).Nodes, []string{"a"}) {
			t.Errorf("steps %s, x %d, still to run %q", p.steps(), p.final.X, p.end(t).Nodes)
		}
		for _, part := range []string{"5 supersteps", "a still to run", "RecursionLimit"} {
			if !strings.Contains(p.err.Error(), part) {
				t.Errorf("%q does not say %q", p.err, part)
			}
		}
	}},
	{"B3", func(t *testing.T) {
		for _, limit := range []int{1, 2, 5} {
			opts := &graph.RunOptions{RecursionLimit: limit}
			if out, err := mustCompile(t, chain(limit)).Invoke(t.Context(), update{}, opts); err != nil || len(out.Log) != limit {
				t.Errorf("%d nodes with a limit of %d: %v", limit, limit, err)
			}
			out, err := mustCompile(t, chain(limit+1)).Invoke(t.Context(), update{}, opts)
			overLimit(t, err, limit, fmt.Sprintf("n%02d", limit))
			if len(out.Log) != limit {
				t.Errorf("state after the error has %d of %d writes", len(out.Log), limit)
			}
		}
	}},
	{"B3/compiled_limit", func(t *testing.T) {
		app, err := chain(3).Compile(&graph.CompileOptions{RecursionLimit: 2})
		if err != nil {
			t.Fatal(err)
		}
		_, err = app.Invoke(t.Context(), update{}, nil)
		overLimit(t, err, 2, "n02")
		if _, err = app.Invoke(t.Context(), update{}, &graph.RunOptions{RecursionLimit: 3}); err != nil {
			t.Errorf("a run's own limit must count: %v", err)
		}
		_, err = mustCompile(t, wire("START -> a -> a", map[string]node{"a": writes()})).Invoke(t.Context(), update{}, nil)
		overLimit(t, err, graph.DefaultRecursionLimit, "a")
	}},
	{"B4", func(t *testing.T) {
		runs := 0
		app := mustCompile(t, wire("START -> a", map[string]node{"a": func(context.Context, board) (update, error) { runs++; return nil, nil }}))
		for _, opts := range []graph.RunOptions{{RecursionLimit: -1}, {Concurrency: -1}} {
			if _, err := app.Invoke(t.Context(), update{}, &opts); err == nil || runs > 0 {
				t.Errorf("%+v: %d runs, error %v", opts, runs, err)
			}
		}
		var invalid *graph.CompileError
		if _, err := chain(1).Compile(&graph.CompileOptions{RecursionLimit: -1}); !errors.As(err, &invalid) || invalid.Problems[0].Code != graph.InvalidOptions {
			t.Errorf("compiling with a negative limit: %v", err)
		}
	}},
	{"B5", func(t *testing.T) {
		child := mustCompile(t, loopTo(8)())
		asNode := newBoard()
		asNode.AddSubgraph("sub", child)
		called := newBoard()
		called.AddNode("sub", func(ctx context.Context, s board) (update, error) {
			out, err := child.Invoke(ctx, update{x.Add(s.X)}, nil)
			return update{x.Add(out.X - s.X)}, err
		})
		for name, g := range map[string]*graph.StateGraph[board]{"node": asNode, "called": called} {
			g.AddNode("before", say("before"))
			g.AddEdge(graph.Start, "before")
			g.AddEdge("before", "sub")
			app := mustCompile(t, g)
			if out, err := app.Invoke(t.Context(), update{}, &graph.RunOptions{RecursionLimit: 8}); err != nil || out.X != 8 {
				t.Errorf("%s, limit 8: x %d, error %v", name, out.X, err)
			}
			_, err := app.Invoke(t.Context(), update{}, &graph.RunOptions{RecursionLimit: 5})
			overLimit(t, err, 5, "a")
			var failed *graph.NodeError
			if !errors.As(err, &failed) || failed.Node != "sub" || failed.Step != 2 {
				t.Errorf("%s: error %v does not name the parent's node", name, err)
			}
		}
	}},
	{"B6", func(t *testing.T) {
		const limit = 4
		var got []graph.Info
		app := mustCompile(t, wire("START -> a -> a", map[string]node{"a": func(ctx context.Context, _ board) (update, error) {
			info, ok := graph.CurrentTask(ctx)
			if !ok {
				t.Error("no task inside a node")
			}
			got = append(got, info)
			return nil, nil
		}}))
		_, err := app.Invoke(t.Context(), update{}, &graph.RunOptions{RecursionLimit: limit})
		overLimit(t, err, limit, "a")
		for i, info := range got {
			step := i + 1
			if info.Step != step || info.RemainingSteps() != limit-step || info.IsLastStep() != (step == limit-1) || info.Node != "a" {
				t.Errorf("step %d: %+v, %d remaining, last %t", step, info, info.RemainingSteps(), info.IsLastStep())
			}
		}
		if _, ok := graph.CurrentTask(t.Context()); ok || len(got) != limit {
			t.Errorf("%d steps; a task outside a run: %t", len(got), ok)
		}
	}},
}
