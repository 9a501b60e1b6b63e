package graph_test

import (
	"context"
	"testing"
	"time"

	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/memory"
)

// fourTimes compares the cost of n with that of 4n: it is 4 times as much when it
// is linear, and 16 times when it is quadratic. The least of several counts, and
// a measure that is out of line is taken again, since the machine has others to
// serve.
func fourTimes(t *testing.T, what string, n int, prepare func(n int) (run func())) {
	t.Helper()
	least := func(run func()) time.Duration {
		best := time.Hour
		for range 4 {
			began := time.Now()
			run()
			best = min(best, time.Since(began))
		}
		return best
	}
	one, four := prepare(n), prepare(4*n)
	var small, large time.Duration
	for range 4 {
		if small, large = least(one), least(four); large < 8*small {
			return
		}
	}
	t.Errorf("%s: %v for %d and %v for %d", what, small, n, large, 4*n)
}

// Reading and resuming a thread costs as much per task however many there are.
func TestFindingE8ManyTasks(t *testing.T) {
	sends := func(n int, run node) (*graph.Compiled[board], error) {
		g := newBoard()
		g.AddNode("w", run)
		var list []graph.Send[board]
		for i := range n {
			list = append(list, graph.Send[board]{Node: "w", State: board{X: i}})
		}
		g.AddConditionalEdges(graph.Start, always(graph.Sends(list...)), "w")
		app := compileOn(t, memory.New(), g)
		_, err := app.Invoke(t.Context(), update{}, on("1"))
		return app, err
	}
	fourTimes(t, "State with open questions", 250, func(n int) func() {
		app, err := sends(n, asks("w", "q?"))
		if err == nil {
			t.Fatal("nothing is asked")
		}
		return func() {
			if s := stateOf(t, app, graph.Key{Thread: "1"}); len(s.Interrupts) != n {
				t.Errorf("%d questions", len(s.Interrupts))
			}
		}
	})
	fourTimes(t, "State with finished Sends", 1000, func(n int) func() {
		app, err := sends(n, func(_ context.Context, s board) (update, error) {
			if s.X == n-1 {
				return nil, errBoom
			}
			return update{x.Add(1)}, nil
		})
		if err == nil {
			t.Fatal("nothing fails")
		}
		return func() {
			if s := stateOf(t, app, graph.Key{Thread: "1"}); len(s.Tasks) != n {
				t.Errorf("%d tasks", len(s.Tasks))
			}
			if _, err := app.Resume(t.Context(), nil, on("1")); err == nil {
				t.Error("nothing fails")
			}
		}
	})
	fourTimes(t, "refusing answers", 500, func(n int) func() {
		app, _ := sends(n, asks("w", "q?"))
		opts := on("1")
		for _, p := range stateOf(t, app, graph.Key{Thread: "1"}).Interrupts {
			opts.Resume = append(opts.Resume, graph.ReplyTo(p.ID, "yes"))
		}
		opts.Resume = append(opts.Resume, graph.ReplyTo("nobody", "yes"))
		return func() {
			if _, err := app.Resume(t.Context(), nil, opts); err == nil {
				t.Error("an answer to nothing is taken")
			}
		}
	})
}

// A loader counts what a saver is asked to load.
type loader struct {
	graph.Checkpointer
	loads, rows int
}

func (l *loader) Load(ctx context.Context, key graph.Key) ([]graph.Checkpoint, []graph.Record, error) {
	lineage, records, err := l.Checkpointer.Load(ctx, key)
	l.loads++
	l.rows += len(lineage)
	return lineage, records, err
}

func (l *loader) Records(ctx context.Context, thread string) ([]graph.Record, error) {
	return l.Checkpointer.(graph.RecordReader).Records(ctx, thread)
}

// Maintaining a thread reads each of its checkpoints a bounded number of times.
func TestFindingE10Maintenance(t *testing.T) {
	// Each round of the loop runs a graph inside a node, which leaves a namespace.
	loop := func(rounds int) *loader {
		saver := &loader{Checkpointer: memory.New()}
		g := newBoard()
		g.AddSubgraph("sub", mustCompile(t, wire("START -> s", map[string]node{"s": writes(x.Add(1))})))
		g.AddEdge(graph.Start, "sub")
		g.AddConditionalEdges("sub", func(_ context.Context, s board) (graph.Route, error) {
			if s.X < rounds {
				return graph.To("sub"), nil
			}
			return graph.To(graph.End), nil
		}, "sub", graph.End)
		app := compileOn(t, saver, g)
		runs(t, app, update{}, &graph.RunOptions{Thread: "1", RecursionLimit: rounds})
		saver.loads, saver.rows = 0, 0
		return saver
	}
	asked := func(rounds int) (loads int) {
		saver := loop(rounds)
		removed, err := graph.Prune(t.Context(), saver, "1", &graph.PruneOptions{KeepLast: 10 * rounds})
		if err != nil || removed > 0 {
			t.Fatalf("%d removed, error %v", removed, err)
		}
		return saver.loads
	}
	if small, large := asked(25), asked(100); large > 5*small {
		t.Errorf("pruning nothing loads %d for 25 rounds and %d for 100", small, large)
	}
	asked = func(rounds int) (loads int) {
		saver := loop(rounds)
		removed, err := graph.Prune(t.Context(), saver, "1", &graph.PruneOptions{KeepLast: rounds / 2})
		if err != nil || removed == 0 {
			t.Fatalf("%d removed, error %v", removed, err)
		}
		return saver.loads
	}
	if small, large := asked(24), asked(96); large > 5*small {
		t.Errorf("pruning half loads %d for 24 rounds and %d for 96", small, large)
	}
	fourTimes(t, "pruning nothing", 50, func(n int) func() {
		saver := loop(n)
		return func() {
			if _, err := graph.Prune(t.Context(), saver, "1", &graph.PruneOptions{KeepLast: 10 * n}); err != nil {
				t.Error(err)
			}
		}
	})
	copied := func(rounds int) int {
		saver := loop(rounds)
		if err := graph.CopyThread(t.Context(), saver, "1", "2"); err != nil {
			t.Fatal(err)
		}
		return saver.rows
	}
	if small, large := copied(100), copied(400); large > 5*small {
		t.Errorf("copying reads %d rows of lineages for 100 rounds, and %d for 400", small, large)
	}
	saver := loop(3)
	if err := graph.CopyThread(t.Context(), struct{ graph.Checkpointer }{saver}, "1", "3"); err != nil {
		t.Error(err) // a saver that lists no records
	}
}
