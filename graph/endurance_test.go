package graph_test

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"testing"

	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/memory"
	"example.com/assay/graph/checkpoint/sqlite"
)

// TestMemoryIsConstant runs 100,000 supersteps in one run. What is in use at
// the end is what was in use early, with a checkpointer and without.
func TestMemoryIsConstant(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long, and -short was asked for")
	}
	if testing.Short() {
		t.Skip("-short")
	}
	const steps, early, allowed = 100_000, 20_000, 256 << 10
	for name, saver := range map[string]graph.Checkpointer{
		"unsaved": nil,
		"sqlite":  openSQLite(t, filepath.Join(t.TempDir(), "x.db"), sqlite.Normal),
	} {
		t.Run(name, func(t *testing.T) {
			var used []uint64
			g := newJobGraph()
			g.AddNode("a", func(_ context.Context, s job) (graph.Update[job], error) {
				if s.Count == early || s.Count == steps-1 {
					used = append(used, inUse())
				}
				return graph.Update[job]{jobCount.Set(s.Count + 1), jobSum.Add(1)}, nil
			})
			g.AddEdge(graph.Start, "a")
			g.AddConditionalEdges("a", func(_ context.Context, s job) (graph.Route, error) {
				if s.Count < steps {
					return graph.To("a"), nil
				}
				return graph.Nowhere(), nil
			}, "a", graph.End)
			app, opts := mustCompile(t, g), &graph.RunOptions{RecursionLimit: steps}
			if saver != nil {
				app, opts.Thread, opts.Durability = app.With(saver), "t", graph.DurabilityAsync
			}
			out, err := app.Invoke(t.Context(), graph.Update[job]{jobCount.Set(0)}, opts)
			if err != nil || out.Sum != steps {
				t.Fatal(out, err)
			}
			t.Logf("in use: %d kB after %d supersteps, %d kB after %d", used[0]>>10, early, used[1]>>10, steps)
			if used[1] > used[0]+allowed {
				t.Errorf("memory grows: by %d kB in %d supersteps", (used[1]-used[0])>>10, steps-early)
			}
		})
	}
}

// inUse returns the reachable memory.
func inUse() uint64 {
	runtime.GC()
	runtime.GC() // the second call empties pools
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestCostOfASavedStepIsConstant is TestCostOfAStepIsConstant with a
// checkpointer, for Sends and for concurrent nodes.
func TestCostOfASavedStepIsConstant(t *testing.T) {
	shapes := map[string]struct {
		few, many int
		graph     func(n int) (app *graph.Compiled[job], supersteps int)
	}{
		"steps": {100, 10_000, func(n int) (*graph.Compiled[job], int) { return growing(t, n), n }},
		"tasks": {100, 10_000, func(n int) (*graph.Compiled[job], int) { return sending(t, n), 1 }},
		"nodes": {10, 1000, func(n int) (*graph.Compiled[job], int) { return parallel(t, n), 1 }},
	}
	for name, s := range shapes {
		t.Run(name, func(t *testing.T) {
			cost := func(n int) (allocs, bytes float64) {
				app, steps := s.graph(n)
				// One at a time, since those beside each other may share a commit.
				opts := &graph.RunOptions{Thread: "t", RecursionLimit: steps, Concurrency: 1}
				runs := max(1, 20_000/n)
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				for range runs {
					if _, err := app.With(memory.New()).Invoke(t.Context(), graph.Update[job]{jobCount.Set(0)}, opts); err != nil {
						t.Fatal(err)
					}
				}
				runtime.ReadMemStats(&after)
				total := float64(runs * n)
				return float64(after.Mallocs-before.Mallocs) / total, float64(after.TotalAlloc-before.TotalAlloc) / total
			}
			fewAllocs, fewBytes := cost(s.few)
			manyAllocs, manyBytes := cost(s.many)
			t.Logf("%d: %.2f allocs and %.0f bytes each; %d: %.2f and %.0f", s.few, fewAllocs, fewBytes, s.many, manyAllocs, manyBytes)
			// Snapshots come at doubling distances, and slices grow by doubling: how
			// far the last one reaches beyond what is needed differs with the number.
			if manyAllocs > fewAllocs*1.1 || manyBytes > fewBytes*2 {
				t.Errorf("each costs more when there are many")
			}
		})
	}
}

// sending sends n inputs to one node.
func sending(t testing.TB, n int) *graph.Compiled[job] {
	g := newJobGraph()
	g.AddNode("n", func(_ context.Context, s job) (graph.Update[job], error) {
		return graph.Update[job]{jobLog.Add(s.Count)}, nil
	})
	g.AddConditionalEdges(graph.Start, func(context.Context, job) (graph.Route, error) {
		sends := make([]graph.Send[job], n)
		for i := range sends {
			sends[i] = graph.Send[job]{Node: "n", State: job{Count: i}}
		}
		return graph.Sends(sends...), nil
	}, "n")
	return mustCompile(t, g)
}

// parallel is n nodes in one superstep.
func parallel(t testing.TB, n int) *graph.Compiled[job] {
	g := newJobGraph()
	for i := range n {
		name := fmt.Sprintf("n%05d", i)
		g.AddNode(name, func(context.Context, job) (graph.Update[job], error) {
			return graph.Update[job]{jobSum.Add(1)}, nil
		})
		g.AddEdge(graph.Start, name)
	}
	return mustCompile(t, g)
}
