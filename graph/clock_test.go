package graph_test

import (
	"testing"
	"time"

	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/memory"
)

// TestCheckpointsAreStampedByOneClock: the clock of the thread's own graph also
// stamps its subgraphs and its updates by hand.
func TestCheckpointsAreStampedByOneClock(t *testing.T) {
	saver := memory.New()
	now := time.Date(2031, 5, 6, 7, 8, 9, 123456789, time.FixedZone("east", 3600))
	g := newBoard()
	g.AddSubgraph("sub", mustCompile(t, wire("START -> s", nil)))
	g.AddEdge(graph.Start, "sub")
	app, err := g.Compile(&graph.CompileOptions{Checkpointer: saver, Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	runs(t, app, update{}, on("1"))
	key, err := app.UpdateState(t.Context(), graph.Key{Thread: "1"}, graph.StateUpdate[board]{As: "sub", Update: update{log.Add("by hand")}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := app.Fork(t.Context(), key); err != nil {
		t.Fatal(err)
	}
	list := checkpointsOf(t, saver, "1")
	if len(list) != 8 {
		t.Errorf("%d checkpoints", len(list))
	}
	for _, c := range list {
		if want := now.UTC().Truncate(time.Microsecond); c.Time != want {
			t.Errorf("checkpoint %s of %q is stamped %v, want %v", c.ID, c.Namespace, c.Time, want)
		}
	}
}
