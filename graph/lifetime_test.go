package graph_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"example.com/assay/graph"
)

// In these tests synctest finds goroutines that outlive a run: a bubble does not
// end before they do.

// waits blocks until its context ends.
func waits(ctx context.Context, _ board) (update, error) {
	<-ctx.Done()
	return nil, fmt.Errorf("waiting: %w", ctx.Err())
}

func bubbles(t *testing.T, cases map[string]func(t *testing.T)) {
	for name, run := range cases {
		t.Run(name, func(t *testing.T) { synctest.Test(t, run) })
	}
}

func TestNothingOutlivesAStream(t *testing.T) {
	shapes := map[string]*graph.StateGraph[board]{
		"alone":  wire("START -> a -> w", map[string]node{"w": waits}),
		"beside": wire("START -> a -> v w", map[string]node{"v": waits, "w": waits}),
	}
	sent := wire("START -> a", nil)
	sent.AddNode("w", waits, options{Timeout: graph.Timeout{Run: time.Hour, Idle: time.Hour}})
	sent.AddConditionalEdges("a", always(graph.Sends(to("w", "1", "2", "3")...)), "w")
	shapes["sent"] = sent
	inner := newBoard()
	inner.AddSubgraph("sub", mustCompile(t, shapes["beside"]))
	inner.AddEdge(graph.Start, "sub")
	shapes["nested"] = inner
	for name, g := range shapes {
		app := mustCompile(t, g)
		opts := &graph.RunOptions{Modes: graph.Debug}
		bubbles(t, map[string]func(t *testing.T){
			name + "/break": func(t *testing.T) {
				for ev := range app.Stream(t.Context(), update{}, opts) {
					if ev.Node == "w" {
						break
					}
				}
			},
			name + "/break_at_once": func(t *testing.T) {
				for range app.Stream(t.Context(), update{}, opts) {
					break
				}
			},
			name + "/reader_panics": func(t *testing.T) {
				defer func() {
					if v := recover(); v != "reader" {
						t.Errorf("recovered %v", v)
					}
				}()
				for ev := range app.Stream(t.Context(), update{}, opts) {
					if ev.Node == "w" {
						panic("reader")
					}
				}
			},
			name + "/cancel": func(t *testing.T) {
				why := errors.New("the user left")
				ctx, cancel := context.WithCancelCause(t.Context())
				time.AfterFunc(time.Second, func() { cancel(why) })
				p := play(ctx, app, update{}, *opts)
				if !errors.Is(p.err, context.Canceled) || !errors.Is(p.err, why) {
					t.Errorf("error %v, want a cancellation with its cause", p.err)
				}
			},
			name + "/deadline": func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				began := time.Now()
				_, err := app.Invoke(ctx, update{}, nil)
				if !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != time.Second {
					t.Errorf("after %v: %v", time.Since(began), err)
				}
			},
			name + "/cancelled_before": func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				cancel()
				if p := play(ctx, app, update{}, *opts); !errors.Is(p.err, context.Canceled) || strings.Contains(p.steps(), "a") {
					t.Errorf("steps %q, error %v", p.steps(), p.err)
				}
			},
		})
	}
}

// TestLeavingAStreamWaits: when the loop is left, the nodes have returned.
func TestLeavingAStreamWaits(t *testing.T) {
	for _, shape := range []string{"START -> a -> w", "START -> a -> v w"} {
		synctest.Test(t, func(t *testing.T) {
			returned := false
			app := mustCompile(t, wire(shape, map[string]node{"v": waits, "w": func(ctx context.Context, s board) (update, error) {
				_, err := waits(ctx, s)
				time.Sleep(7 * ms)
				returned = true
				return nil, err
			}}))
			for ev := range app.Stream(t.Context(), update{}, &graph.RunOptions{Modes: graph.Tasks}) {
				if ev.Node == "w" {
					break
				}
			}
			if !returned {
				t.Errorf("%s: the node still runs", shape)
			}
		})
	}
}

func TestConcurrencyIsALimit(t *testing.T) {
	for limit, want := range map[int]int{0: 9, 1: 1, 4: 4, 99: 9} {
		synctest.Test(t, func(t *testing.T) {
			var now, most atomic.Int64
			g := newBoard()
			for i := range 9 {
				name := fmt.Sprintf("n%d", i)
				g.AddNode(name, func(context.Context, board) (update, error) {
					if n := now.Add(1); n > most.Load() {
						most.Store(n)
					}
					time.Sleep(ms)
					now.Add(-1)
					return update{log.Add(name)}, nil
				})
				g.AddEdge(graph.Start, name)
			}
			out, err := mustCompile(t, g).Invoke(t.Context(), update{}, &graph.RunOptions{Concurrency: limit})
			if err != nil || len(out.Log) != 9 || int(most.Load()) != want {
				t.Errorf("concurrency %d: %d at once, want %d; %d writes, error %v", limit, most.Load(), want, len(out.Log), err)
			}
		})
	}
}

// TestCancelStopsBetweenSteps: nodes that never look at their context do not
// keep a run going.
func TestCancelStopsBetweenSteps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, shape := range []string{"START -> a -> a", "START -> a -> b c -> a"} {
			busy := func(add int) node {
				return func(context.Context, board) (update, error) { time.Sleep(ms); return update{x.Add(add)}, nil }
			}
			app := mustCompile(t, wire(shape, map[string]node{"a": busy(0), "b": busy(1), "c": busy(-1)}))
			ctx, cancel := context.WithTimeout(t.Context(), 19*ms+ms/2)
			began := time.Now()
			out, err := app.Invoke(ctx, update{}, &graph.RunOptions{RecursionLimit: 1 << 30, Concurrency: 1})
			cancel()
			if !errors.Is(err, context.DeadlineExceeded) || time.Since(began) > 20*ms {
				t.Errorf("%s: after %v: %v", shape, time.Since(began), err)
			}
			if out.X != 0 {
				t.Errorf("%s: x is %d: half a superstep was committed", shape, out.X)
			}
		}
	})
}

func TestSlowReaderLosesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 500 // more than the stream holds back
		app := mustCompile(t, wire("START -> a", map[string]node{"a": func(ctx context.Context, _ board) (update, error) {
			for i := range n {
				if err := graph.Emit(ctx, "tick", i); err != nil {
					return nil, err
				}
			}
			return nil, nil
		}}))
		count := 0
		for ev, err := range app.Stream(t.Context(), update{}, &graph.RunOptions{Modes: graph.Custom}) {
			if err != nil || string(ev.Data) != fmt.Sprint(count) {
				t.Fatalf("event %d: %s, %v", count, ev.Data, err)
			}
			count++
			time.Sleep(time.Minute)
		}
		if count != n {
			t.Errorf("%d of %d events arrived", count, n)
		}
		for range app.Stream(t.Context(), update{}, &graph.RunOptions{Modes: graph.Custom}) {
			time.Sleep(time.Minute) // the node is blocked on a full stream by now
			break
		}
	})
}

func TestNodeTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		quick := func(ctx context.Context, s board) (update, error) {
			ctx, cancel := context.WithTimeout(ctx, 50*ms)
			defer cancel()
			if info, _ := graph.CurrentTask(ctx); info.Attempt == 2 {
				return update{log.Add("second")}, nil
			}
			return waits(ctx, s)
		}
		for _, shape := range []string{"START -> z", "START -> y z"} {
			g := wire(shape, map[string]node{"z": quick})
			if _, err := mustCompile(t, g).Invoke(t.Context(), update{}, nil); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), `"z"`) {
				t.Errorf("%s: error %v", shape, err)
			}
			g = wire("START -> y", nil)
			g.AddNode("z", quick, graph.NodeOptions[board]{Retry: []graph.RetryPolicy{{}}})
			g.AddEdge(graph.Start, "z")
			if out, err := mustCompile(t, g).Invoke(t.Context(), update{}, nil); err != nil || len(out.Log) != 2 {
				t.Errorf("%s with a retry: %v, %v", shape, out, err)
			}
		}
	})
}

// TestPanics: a panic in a node, a router or a reducer is an error that names the
// node and keeps the stack, for a lone task and for one of several.
func TestPanics(t *testing.T) {
	panics := func(context.Context, board) (update, error) { panic("ouch") }
	badRouter := func(context.Context, board) (graph.Route, error) { panic("ouch") }
	touchy := graph.Reduce("touchy", func(s *board) *int { return &s.X }, func(cur, upd int) int {
		if upd == 13 {
			panic("ouch")
		}
		return cur + upd
	})
	with := func(a node, route graph.Router[board], beside bool) *graph.StateGraph[board] {
		g := graph.NewStateGraph[board](log, touchy)
		g.AddNode("a", a)
		g.AddEdge(graph.Start, "a")
		if beside {
			g.AddNode("b", writes(touchy.Add(1)))
			g.AddNode("c", waits)
			g.AddEdge(graph.Start, "b")
			g.AddEdge(graph.Start, "c")
		}
		if route != nil {
			g.AddConditionalEdges("a", route, graph.End)
		}
		return g
	}
	unlucky := writes(log.Add("half"), touchy.Add(13))
	for name, g := range map[string]*graph.StateGraph[board]{
		"node":    with(panics, nil, false),
		"router":  with(say("a"), badRouter, false),
		"reducer": with(unlucky, nil, false),

		"node beside":           with(panics, nil, true),
		"router beside":         with(say("a"), badRouter, true),
		"reducer before router": with(unlucky, always(graph.Nowhere()), true),
		"reducer beside":        wireTouchy(touchy, unlucky),
	} {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := play(t.Context(), mustCompile(t, g), update{}, graph.RunOptions{})
				var failed *graph.NodeError
				var panicked *graph.PanicError
				if !errors.As(p.err, &failed) || !errors.As(failed, &panicked) {
					t.Fatalf("error %v, want a NodeError with a PanicError", p.err)
				}
				if failed.Node != "a" || failed.Step != 1 || failed.Attempts != 1 || panicked.Value != "ouch" || !strings.Contains(panicked.Stack, "lifetime_test.go") {
					t.Errorf("%+v, stack:\n%s", failed, panicked.Stack)
				}
				if strings.Contains(p.err.Error(), "goroutine") {
					t.Errorf("the message has the stack in it: %v", p.err)
				}
				if strings.HasPrefix(name, "reducer") && !strings.Contains(p.err.Error(), `"touchy"`) {
					t.Errorf("%q does not name the channel", p.err)
				}
				if diff := differ(board{}, p.final); diff != "" {
					t.Errorf("the failed step left:\n%s", diff)
				}
			})
		})
	}
	var panicked *graph.PanicError
	app := mustCompile(t, with(say("a"), nil, false))
	if out, err := app.Invoke(t.Context(), update{log.Add("x"), touchy.Add(13)}, nil); !errors.As(err, &panicked) || out.Log != nil {
		t.Errorf("in the input: %v, error %v", out, err)
	}
	entry := wire("a -> END", nil)
	entry.AddConditionalEdges(graph.Start, badRouter, "a")
	if _, err := mustCompile(t, entry).Invoke(t.Context(), update{}, nil); !errors.As(err, &panicked) || !strings.Contains(err.Error(), graph.Start) {
		t.Errorf("at the entry: error %v", err)
	}
}

// wireTouchy is a beside b, both of which succeed; a's write cannot be merged.
func wireTouchy(touchy *graph.ReduceChannel[board, int], a node) *graph.StateGraph[board] {
	g := graph.NewStateGraph[board](log, touchy)
	g.AddNode("a", a)
	g.AddNode("b", writes(touchy.Add(1)))
	g.AddEdge(graph.Start, "a")
	g.AddEdge(graph.Start, "b")
	return g
}

// TestGoexit: a node that ends its goroutine, as testing's FailNow does, must
// not make a run look finished.
func TestGoexit(t *testing.T) {
	goexit := func(context.Context, board) (update, error) { runtime.Goexit(); return nil, nil }
	beside := mustCompile(t, wire("START -> a b c", map[string]node{"a": waits, "b": goexit}))
	alone := mustCompile(t, wire("START -> a -> b", map[string]node{"b": goexit}))
	for _, n := range []int{0, 2} {
		synctest.Test(t, func(t *testing.T) {
			p := play(t.Context(), beside, update{}, graph.RunOptions{Concurrency: n})
			var failed *graph.NodeError
			if !errors.As(p.err, &failed) || failed.Node != "b" || !strings.Contains(p.err.Error(), "without returning") {
				t.Errorf("concurrency %d: error %v", n, p.err)
			}
			if got := strings.Join(p.pick(graph.NodeFailed), "\n"); !strings.Contains(got, "node_error b") {
				t.Errorf("failures: %s", got)
			}
		})
	}
	one := mustCompile(t, wire("START -> a b c", map[string]node{"b": goexit}))
	if _, err := one.Invoke(t.Context(), update{}, &graph.RunOptions{Concurrency: 1}); err == nil {
		t.Error("concurrency 1: no error")
	}
	synctest.Test(t, func(t *testing.T) {
		if p := play(t.Context(), alone, update{}, graph.RunOptions{}); p.err == nil {
			t.Error("a stream whose only node went away ended as if all were well")
		}
	})
}

// TestEmitAfterTheRun: a goroutine that a node left behind finds the stream
// closed, whichever way the run ended.
func TestEmitAfterTheRun(t *testing.T) {
	for _, leave := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			app := mustCompile(t, wire("START -> a", map[string]node{"a": func(ctx context.Context, _ board) (update, error) {
				time.AfterFunc(time.Hour, func() {
					if err := graph.Emit(ctx, "late", 1); err != nil {
						t.Error(err)
					}
				})
				return nil, nil
			}}))
			for range app.Stream(t.Context(), update{}, &graph.RunOptions{Modes: graph.Debug}) {
				if leave {
					break
				}
			}
			time.Sleep(2 * time.Hour)
		})
	}
}

// TestStreamIsRestartable: ranging twice over one stream runs the graph twice.
func TestStreamIsRestartable(t *testing.T) {
	stream := mustCompile(t, wire("START -> a", nil)).Stream(t.Context(), update{}, nil)
	for range 2 {
		n := 0
		for ev, err := range stream {
			if err != nil || ev.Kind != graph.NodeUpdate { // Updates is the default
				t.Errorf("%v, %v", ev.Kind, err)
			}
			n++
		}
		if n != 1 {
			t.Errorf("%d events", n)
		}
	}
}
