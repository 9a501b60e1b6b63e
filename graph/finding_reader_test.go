package graph_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"example.com/assay/graph"
)

// Waiting for a slow reader of the stream does not count as the node's time. The
// node's own time is still limited.
func TestFindingE13WaitingForTheReaderIsNotTheNodes(t *testing.T) {
	const events = 200 // more than the stream holds
	talks := func(pause time.Duration) node {
		return func(ctx context.Context, _ board) (update, error) {
			for i := range events {
				if err := graph.Emit(ctx, "said", i); err != nil {
					return nil, err
				}
				select {
				case <-time.After(pause):
				case <-ctx.Done():
					return nil, context.Cause(ctx)
				}
			}
			return update{log.Add("done")}, nil
		}
	}
	build := func(run node, limit graph.Timeout, nested bool) *graph.Compiled[board] {
		g := newBoard()
		if nested {
			g.AddSubgraph("n", mustCompile(t, wire("START -> n", map[string]node{"n": run})), graph.NodeOptions[board]{Timeout: limit})
		} else {
			g.AddNode("n", run, graph.NodeOptions[board]{Timeout: limit})
		}
		g.AddEdge(graph.Start, "n")
		return mustCompile(t, g)
	}
	read := func(app *graph.Compiled[board], slow time.Duration) (err error) {
		for ev, failure := range app.Stream(context.Background(), update{}, &graph.RunOptions{Modes: graph.Custom}) {
			if err = failure; ev.Kind == graph.NodeCustom {
				time.Sleep(slow)
			}
		}
		return err
	}
	for _, nested := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			app := build(talks(0), graph.Timeout{Run: time.Second}, nested)
			if err := read(app, time.Second); err != nil {
				t.Errorf("a run limit, nested %t: %v", nested, err)
			}
			app = build(talks(0), graph.Timeout{Idle: time.Second}, nested)
			if err := read(app, time.Minute); err != nil {
				t.Errorf("an idle limit, nested %t: %v", nested, err)
			}
			patient := build(func(ctx context.Context, _ board) (update, error) {
				at, ok := ctx.Deadline()
				_ = graph.Emit(ctx, "said", 0)
				<-ctx.Done()
				if left := time.Until(at); !ok || left != 0 {
					t.Errorf("at its end the node has %v left, and a deadline: %t", left, ok)
				}
				return nil, ctx.Err()
			}, graph.Timeout{Run: time.Second}, false)
			if err := read(patient, 0); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("a deadline: %v", err)
			}
			// The node takes two seconds of its own, of which it may have one.
			var late *graph.NodeTimeout
			began := time.Now()
			app = build(talks(10*time.Millisecond), graph.Timeout{Run: time.Second}, nested)
			err := read(app, 100*time.Millisecond)
			if !errors.As(err, &late) || late.Kind != graph.TimeoutRun || !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("a node that takes too long, nested %t: %v", nested, err)
			}
			// It talked for a second of its own: 100 events, the last of which the reader still takes.
			if took := time.Since(began); took < 9*time.Second || took > 12*time.Second {
				t.Errorf("the limit was reached after %v", took)
			}
			silent := build(func(ctx context.Context, _ board) (update, error) { <-ctx.Done(); return nil, ctx.Err() }, graph.Timeout{Idle: time.Second}, nested)
			if err := read(silent, 0); !errors.As(err, &late) || late.Kind != graph.TimeoutIdle {
				t.Errorf("a silent node, nested %t: %v", nested, err)
			}
		})
	}
}
