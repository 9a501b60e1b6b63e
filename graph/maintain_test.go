package graph_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/memory"
)

// checkpointsOf are all checkpoints of a thread.
func checkpointsOf(t testing.TB, saver graph.Checkpointer, thread string) []graph.Checkpoint {
	t.Helper()
	var out []graph.Checkpoint
	for c, err := range saver.List(t.Context(), graph.Query{Thread: thread, All: true}) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, c)
	}
	return out
}

// locked holds a thread's lock while something is tried.
func locked(t *testing.T, saver graph.Checkpointer, thread string, try func() error) {
	t.Helper()
	unlock, err := saver.Lock(t.Context(), thread)
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	if err := try(); !errors.Is(err, graph.ErrThreadBusy) || !strings.Contains(err.Error(), fmt.Sprintf("%q", thread)) {
		t.Errorf("error %v, want that thread %s is busy", err, thread)
	}
}

func TestDeleteThread(t *testing.T) {
	onSavers(t, func(t *testing.T, open func() graph.Checkpointer) {
		saver := open()
		app := compileOn(t, saver, nestedGraph(t))
		runs(t, app, update{}, on("1"))
		runs(t, app, update{}, &graph.RunOptions{Thread: "2"})
		locked(t, saver, "1", func() error { return graph.DeleteThread(t.Context(), saver, "1") })
		for range 2 { // the second time there is nothing
			if err := graph.DeleteThread(t.Context(), saver, "1"); err != nil {
				t.Fatal(err)
			}
			if n := len(checkpointsOf(t, saver, "1")); n > 0 {
				t.Errorf("%d checkpoints are left", n)
			}
		}
		if len(checkpointsOf(t, saver, "2")) == 0 {
			t.Error("the other thread is gone too")
		}
		if _, err := app.State(t.Context(), graph.Key{Thread: "1"}); !errors.Is(err, graph.ErrNoCheckpoint) {
			t.Errorf("error %v", err)
		}
	})
}

// asking is a graph whose subgraph asks: a -> sub(s0 -> s1 -> ask -> s2) -> b.
func asking(t testing.TB) *graph.StateGraph[board] {
	g := wire("START -> a\nb -> END", nil)
	g.AddSubgraph("sub", mustCompile(t, wire("START -> s0 -> s1 -> ask -> s2", map[string]node{"ask": asks("q", "q?")})))
	g.AddEdge("a", "sub")
	g.AddEdge("sub", "b")
	return g
}

func TestCopyThread(t *testing.T) {
	onSavers(t, func(t *testing.T, open func() graph.Checkpointer) {
		saver := open()
		app := compileOn(t, saver, asking(t))
		var stopped *graph.InterruptedError
		if _, err := app.Invoke(t.Context(), update{}, on("1")); !errors.As(err, &stopped) {
			t.Fatalf("error %v", err)
		}
		locked(t, saver, "1", func() error { return graph.CopyThread(t.Context(), saver, "1", "2") })
		locked(t, saver, "2", func() error { return graph.CopyThread(t.Context(), saver, "1", "2") })
		if err := graph.CopyThread(t.Context(), saver, "1", "2"); err != nil {
			t.Fatal(err)
		}
		if diff := differ(checkpointsOf(t, saver, "1"), checkpointsOf(t, saver, "2")); diff != "" {
			t.Errorf("the copy differs:\n%s", diff)
		}
		answer := graph.RunOptions{Thread: "2", Resume: []graph.Answer{graph.ReplyTo(stopped.Pending[0].ID, "yes")}}
		if out := runs(t, app, nil, &answer); fmt.Sprint(out.Log) != "[a s0 s1 q:yes s2 b]" {
			t.Errorf("the copy goes on to %v", out.Log)
		}
		if s := stateOf(t, app, graph.Key{Thread: "1"}); len(s.Interrupts) != 1 {
			t.Errorf("the original waits for %d answers", len(s.Interrupts))
		}
		for _, to := range []string{"1", "2"} {
			if err := graph.CopyThread(t.Context(), saver, "1", to); !errors.Is(err, graph.ErrThreadExists) {
				t.Errorf("onto thread %s: %v", to, err)
			}
		}
		if err := graph.CopyThread(t.Context(), saver, "none", "3"); !errors.Is(err, graph.ErrNoCheckpoint) {
			t.Errorf("of nothing: %v", err)
		}
	})
}

func TestSweep(t *testing.T) {
	onSavers(t, func(t *testing.T, open func() graph.Checkpointer) {
		saver := open()
		day := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		app, err := abc(nil).Compile(&graph.CompileOptions{Checkpointer: saver, Now: func() time.Time { return day }})
		if err != nil {
			t.Fatal(err)
		}
		for _, thread := range []string{"old", "busy", "continued", "young"} {
			if thread == "young" {
				day = day.Add(48 * time.Hour)
				runs(t, app, update{}, &graph.RunOptions{Thread: "continued"})
			}
			runs(t, app, update{}, &graph.RunOptions{Thread: thread})
		}
		unlock, err := saver.Lock(t.Context(), "busy")
		if err != nil {
			t.Fatal(err)
		}
		n, err := graph.Sweep(t.Context(), saver, day)
		if n != 1 || !errors.Is(err, graph.ErrThreadBusy) || !strings.Contains(err.Error(), `"busy"`) {
			t.Errorf("%d swept, error %v", n, err)
		}
		unlock()
		if n, err := graph.Sweep(t.Context(), saver, day); n != 1 || err != nil {
			t.Errorf("then %d swept, error %v", n, err)
		}
		var left []string
		for thread, err := range saver.Threads(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			left = append(left, thread.ID)
		}
		if fmt.Sprint(left) != "[continued young]" {
			t.Errorf("left are %v", left)
		}
	})
}

// A late saver has a run take a thread up between the list of threads and the
// lock.
type late struct {
	graph.Checkpointer
	run func()
}

func (l late) Lock(ctx context.Context, thread string) (func(), error) {
	l.run()
	return l.Checkpointer.Lock(ctx, thread)
}

func TestSweepLooksAgain(t *testing.T) {
	saver := memory.New()
	day := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	app, err := abc(nil).Compile(&graph.CompileOptions{Checkpointer: saver, Now: func() time.Time { return day }})
	if err != nil {
		t.Fatal(err)
	}
	runs(t, app, update{}, on("1"))
	day = day.Add(time.Hour)
	n, err := graph.Sweep(t.Context(), late{saver, func() { runs(t, app, update{}, on("1")) }}, day)
	if n != 0 || err != nil || len(checkpointsOf(t, saver, "1")) == 0 {
		t.Errorf("%d swept, error %v", n, err)
	}
}
