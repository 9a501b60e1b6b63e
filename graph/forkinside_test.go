package graph_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.com/assay/graph"
)

// A thread that has ended goes on from each checkpoint inside its graphs, at any depth. What ran
// before it in that graph does not run again; what comes after it, also in the outer graphs, does.
// The end is that of the thread.
func TestForkInside(t *testing.T) {
	onSavers(t, func(t *testing.T, open func() graph.Checkpointer) {
		for _, persist := range []graph.Persistence{graph.PersistPerRun, graph.PersistAlways} {
			for _, mapped := range []bool{false, true} {
				saver := open()
				t.Run(fmt.Sprintf("persistence %d, mapped %t", persist, mapped), func(t *testing.T) { forkInside(t, saver, persist, mapped) })
			}
		}
	})
}

func forkInside(t *testing.T, saver graph.Checkpointer, persist graph.Persistence, mapped bool) {
	var mu sync.Mutex
	var ran []string
	step := func(name string) node {
		return func(_ context.Context, s board) (update, error) {
			mu.Lock()
			ran = append(ran, name)
			mu.Unlock()
			return update{log.Add(name), x.Add(1)}, nil
		}
	}
	graphOf := func(prefix, lines string, inner *graph.Compiled[board], opts *graph.CompileOptions) *graph.Compiled[board] {
		nodes := map[string]node{}
		for _, name := range strings.Fields(strings.NewReplacer("->", " ", "START", " ").Replace(lines)) {
			nodes[name] = step(prefix + name)
		}
		g := newBoard()
		switch {
		case inner == nil:
		case mapped:
			graph.AddMappedSubgraph(g, "sub", inner, func(board) update { return update{log.Overwrite(nil), x.Overwrite(0)} },
				func(b board) update { return update{log.Add(b.Log...), x.Add(b.X)} })
		default:
			g.AddSubgraph("sub", inner)
		}
		delete(nodes, "sub")
		for name, run := range nodes {
			g.AddNode(name, run)
		}
		for _, line := range strings.Split(lines, "\n") {
			parts := strings.Split(line, " -> ")
			for i := 1; i < len(parts); i++ {
				g.AddEdge(strings.Replace(parts[i-1], "START", graph.Start, 1), parts[i])
			}
		}
		app, err := g.Compile(opts)
		if err != nil {
			t.Fatal(err)
		}
		return app
	}
	inside := &graph.CompileOptions{Persistence: persist}
	low := graphOf("low.", "START -> a -> b -> c", nil, inside)
	mid := graphOf("mid.", "START -> a -> sub -> z", low, inside)
	app := graphOf("", "START -> a -> sub -> z\na -> beside", mid, &graph.CompileOptions{Checkpointer: saver})
	want, err := app.Invoke(t.Context(), update{log.Add("in")}, on("t"))
	if err != nil {
		t.Fatal(err)
	}
	whole := slices.Sorted(slices.Values(ran))
	forked := 0
	for depth, g := range []*graph.Compiled[board]{mid.With(saver), low.With(saver)} {
		for _, key := range keysInside(t, saver, depth+1) {
			before, err := g.State(t.Context(), key)
			if err != nil {
				t.Fatal(err)
			}
			if len(before.Next) == 0 || before.Next[0] == graph.Start {
				continue
			}
			inner := slices.DeleteFunc(slices.Clone(before.State.Log), func(name string) bool { // what that graph has run
				return !strings.HasPrefix(name, "low.") && (depth == 1 || !strings.HasPrefix(name, "mid."))
			})
			at, err := g.Fork(t.Context(), key)
			if err != nil {
				t.Fatalf("forking %v: %v", key, err)
			}
			if s, err := g.State(t.Context(), at); err != nil || !slices.Equal(s.Next, before.Next) || !slices.Equal(s.State.Log, before.State.Log) {
				t.Errorf("the copy of %v is %+v, %v", key, s, err)
			}
			ran = nil
			out, err := app.Resume(t.Context(), nil, on("t"))
			if err != nil || !slices.Equal(slices.Sorted(slices.Values(out.Log)), slices.Sorted(slices.Values(want.Log))) || out.X != want.X {
				t.Errorf("from %v: %v %v, want %v", key, out, err, want)
			}
			for _, name := range whole {
				again := slices.Contains(ran, name)
				first := slices.Contains(inner, name) || name == "a" || depth == 1 && name == "mid.a"
				if again == first {
					t.Errorf("from %v, next %v, %s ran again: %t", key, before.Next, name, again)
				}
			}
			forked++
		}
	}
	if forked < 5 {
		t.Errorf("only %d forks", forked)
	}
	if _, err := mid.With(saver).UpdateState(t.Context(), graph.Key{Thread: "t", Namespace: keysInside(t, saver, 1)[0].Namespace}, graph.StateUpdate[board]{}); !errors.Is(err, graph.ErrInvalidUpdate) {
		t.Errorf("an edit that no run would see: %v", err)
	}
}

// keysInside returns the keys of all checkpoints of graphs at a depth.
func keysInside(t *testing.T, saver graph.Checkpointer, depth int) (keys []graph.Key) {
	t.Helper()
	for c, err := range saver.List(t.Context(), graph.Query{Thread: "t", All: true}) {
		if err != nil {
			t.Fatal(err)
		}
		if c.Namespace != "" && strings.Count(c.Namespace, "/") == depth-1 {
			keys = append(keys, graph.Key{Thread: "t", Namespace: c.Namespace, ID: c.ID})
		}
	}
	return keys
}
