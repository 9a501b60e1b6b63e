package graph_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/assay/graph"
)

// timedOut asserts a timeout of this node and kind after so much time, and that
// the run took no longer, or as long as held says.
func timedOut(t *testing.T, err error, began time.Time, node string, kind graph.TimeoutKind, after time.Duration, held ...time.Duration) {
	t.Helper()
	var late *graph.NodeTimeout
	if !errors.As(err, &late) || late.Node != node || late.Kind != kind || late.Elapsed != after || !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		t.Errorf("error %v (%+v), want a %s timeout of %q after %v", err, late, kind, node, after)
	}
	if got, want := time.Since(began), max(after, slices.Max(append(held, 0))); got != want {
		t.Errorf("the run took %v, want %v", got, want)
	}
}

// deaf takes its time and ignores its context.
func deaf(d time.Duration, n node) node {
	return func(ctx context.Context, s board) (update, error) { time.Sleep(d); return n(ctx, s) }
}

// limited is a graph of nodes with options, side by side.
func limited(opts graph.NodeOptions[board], nodes map[string]node) *graph.StateGraph[board] {
	g := newBoard()
	for name, n := range nodes {
		g.AddNode(name, n, opts)
		g.AddEdge(graph.Start, name)
	}
	return g
}

var factsTimeout = []fact{
	{"E11", func(t *testing.T) {
		opts := graph.NodeOptions[board]{Timeout: graph.Timeout{Run: 50 * ms}}
		for _, beside := range []bool{false, true} {
			nodes := map[string]node{"z": func(ctx context.Context, s board) (update, error) {
				if at, ok := ctx.Deadline(); !ok || time.Until(at) != 50*ms {
					t.Error("the node does not see its deadline")
				}
				return waits(ctx, s)
			}}
			if beside {
				nodes["b"] = say("b")
			}
			began := time.Now()
			p := play(t.Context(), mustCompile(t, limited(opts, nodes)), update{}, graph.RunOptions{})
			timedOut(t, p.err, began, "z", graph.TimeoutRun, 50*ms)
			if want := `running node "z" in step 1: timed out: took more than 50ms`; p.err == nil || p.err.Error() != want {
				t.Errorf("error %v, want %s", p.err, want)
			}
			if p.final.Log != nil || len(p.pick(graph.NodeFailed)) != 1 {
				t.Errorf("log %q, failures %q", p.final.Log, p.pick(graph.NodeFailed))
			}
		}
	}},
	{"E11/retried", func(t *testing.T) {
		for _, first := range []node{waits, deaf(50*ms, say("late"))} {
			f := &flaky{}
			g := limited(graph.NodeOptions[board]{Timeout: graph.Timeout{Run: 20 * ms}, Retry: []graph.RetryPolicy{{InitialInterval: ms}}}, map[string]node{
				"a": func(ctx context.Context, s board) (update, error) {
					u, err := f.run(ctx, s)
					if len(f.at) == 1 {
						return first(ctx, s)
					}
					return u, err
				}})
			routed := false
			g.AddConditionalEdges("a", func(ctx context.Context, _ board) (graph.Route, error) {
				routed = ctx.Err() == nil // the attempt's time is not the router's
				return graph.Nowhere(), nil
			}, graph.End)
			p := play(t.Context(), mustCompile(t, g), update{}, graph.RunOptions{})
			if p.err != nil || !slices.Equal(p.final.Log, []string{"ok"}) || len(f.at) != 2 || !routed {
				t.Errorf("log %q after %d attempts, routed %t, error %v", p.final.Log, len(f.at), routed, p.err)
			}
			if got := strings.Join(p.pick(graph.NodeRetry), ""); !strings.Contains(got, "timed out: took more than 20ms") {
				t.Errorf("retries %q", got)
			}
		}
	}},
	{"E11/late_writes", func(t *testing.T) {
		// A late success is a failure: the node delays the run, and its writes are
		// dropped.
		p := play(t.Context(), mustCompile(t, limited(graph.NodeOptions[board]{Timeout: graph.Timeout{Run: 20 * ms}}, map[string]node{
			"a": deaf(70*ms, say("late")), "b": say("b")})), update{}, graph.RunOptions{})
		var late *graph.NodeTimeout
		if !errors.As(p.err, &late) || late.Node != "a" || p.final.Log != nil || strings.Contains(strings.Join(p.pick(graph.NodeUpdate), ""), "late") {
			t.Errorf("error %v, log %q, updates %q", p.err, p.final.Log, p.pick(graph.NodeUpdate))
		}
	}},
	{"E11/in_time", func(t *testing.T) {
		began := time.Now()
		out, err := mustCompile(t, limited(graph.NodeOptions[board]{Timeout: graph.Timeout{Run: 20 * ms, Idle: 15 * ms}}, map[string]node{"a": slowly(10*ms, say("a"))})).Invoke(t.Context(), update{}, nil)
		if err != nil || !slices.Equal(out.Log, []string{"a"}) || time.Since(began) != 10*ms {
			t.Errorf("log %q, error %v", out.Log, err)
		}
	}},
	{"E11/idle", func(t *testing.T) {
		signs := map[string]func(context.Context) error{
			"heartbeat": func(ctx context.Context) error { graph.Heartbeat(ctx); return nil },
			"token":     func(ctx context.Context) error { graph.EmitToken(ctx, "t"); return nil },
			"emit":      func(ctx context.Context) error { return graph.Emit(ctx, "tick", 1) },
		}
		for name, sign := range signs {
			for _, modes := range []graph.Mode{graph.Updates, graph.Debug} {
				g := limited(graph.NodeOptions[board]{Timeout: graph.Timeout{Idle: 20 * ms}}, map[string]node{"a": func(ctx context.Context, s board) (update, error) {
					for range 5 {
						time.Sleep(15 * ms)
						if err := sign(ctx); err != nil {
							return nil, err
						}
					}
					if s.X == 0 {
						return update{log.Add("done")}, nil
					}
					return waits(ctx, s)
				}})
				app := mustCompile(t, g)
				if p := play(t.Context(), app, update{}, graph.RunOptions{Modes: modes}); p.err != nil {
					t.Errorf("%s: error %v", name, p.err)
				}
				began := time.Now()
				p := play(t.Context(), app, update{x.Add(1)}, graph.RunOptions{Modes: modes})
				timedOut(t, p.err, began, "a", graph.TimeoutIdle, 95*ms)
			}
		}
		graph.Heartbeat(t.Context()) // outside a run
	}},
	{"E11/idle_below", func(t *testing.T) {
		// A graph inside the node gives signs of life for the node: its supersteps,
		// and its nodes' own signs.
		for name, child := range map[string]*graph.StateGraph[board]{
			"steps": wire("START -> i1 -> i2 -> i3", map[string]node{"i1": slowly(15*ms, say("i1")), "i2": slowly(15*ms, say("i2")), "i3": slowly(15*ms, say("i3"))}),
			"signs": wire("START -> i1", map[string]node{"i1": func(ctx context.Context, _ board) (update, error) {
				for range 3 {
					time.Sleep(15 * ms)
					graph.Heartbeat(ctx)
				}
				return nil, nil
			}}),
		} {
			g := newBoard()
			g.AddSubgraph("sub", mustCompile(t, child), graph.NodeOptions[board]{Timeout: graph.Timeout{Idle: 20 * ms}})
			g.AddEdge(graph.Start, "sub")
			if _, err := mustCompile(t, g).Invoke(t.Context(), update{}, nil); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		g := newBoard()
		g.AddSubgraph("sub", mustCompile(t, wire("START -> i1 -> i2", map[string]node{"i2": waits})), graph.NodeOptions[board]{Timeout: graph.Timeout{Idle: 20 * ms}})
		g.AddEdge(graph.Start, "sub")
		began := time.Now()
		_, err := mustCompile(t, g).Invoke(t.Context(), update{}, nil)
		timedOut(t, err, began, "sub", graph.TimeoutIdle, 20*ms)
	}},
	{"E11/send", func(t *testing.T) {
		for _, c := range []struct {
			own   graph.Timeout
			kind  graph.TimeoutKind
			after time.Duration
		}{
			{graph.Timeout{}, graph.TimeoutRun, 50 * ms},
			{graph.Timeout{Run: 10 * ms}, graph.TimeoutRun, 10 * ms},
			{graph.Timeout{Idle: 10 * ms}, graph.TimeoutIdle, 10 * ms},
			{graph.Timeout{Run: -1, Idle: 70 * ms}, graph.TimeoutIdle, 70 * ms},
		} {
			for _, by := range []string{"route", "command"} {
				one := send{Node: "w", Timeout: c.own}
				g := wire("START -> a", nil)
				if by == "command" {
					g = newBoard()
					g.AddNode("a", writes(goTo().Sends(one)), graph.NodeOptions[board]{Goto: []string{"w"}})
					g.AddEdge(graph.Start, "a")
				} else {
					g.AddConditionalEdges("a", always(graph.Sends(one)), "w")
				}
				g.AddNode("w", waits, graph.NodeOptions[board]{Timeout: graph.Timeout{Run: 50 * ms}})
				began := time.Now()
				_, err := mustCompile(t, g).Invoke(t.Context(), update{}, nil)
				timedOut(t, err, began, "w", c.kind, c.after)
			}
		}
	}},
	{"E11/step", func(t *testing.T) {
		app := mustCompile(t, wire("START -> a b c -> d", map[string]node{"b": waits, "c": deaf(40*ms, say("c"))}))
		began := time.Now()
		p := play(t.Context(), app, update{}, graph.RunOptions{StepTimeout: 30 * ms})
		timedOut(t, p.err, began, "b", graph.TimeoutStep, 30*ms, 40*ms)
		if got := p.pick(graph.NodeUpdate); len(got) != 1 || !strings.Contains(got[0], "node_update a") || p.final.Log != nil {
			t.Errorf("updates %q, log %q", got, p.final.Log)
		}
		// Alone, and with a policy that would try anything again.
		for held, n := range map[time.Duration]node{30 * ms: waits, 40 * ms: deaf(40*ms, say("late"))} {
			g := limited(graph.NodeOptions[board]{Retry: []graph.RetryPolicy{{RetryOn: func(error) bool { return true }, InitialInterval: ms}}}, map[string]node{"a": n})
			began = time.Now()
			out, err := mustCompile(t, g).Invoke(t.Context(), update{}, &graph.RunOptions{StepTimeout: 30 * ms})
			timedOut(t, err, began, "a", graph.TimeoutStep, 30*ms, held)
			if out.Log != nil {
				t.Errorf("log %q", out.Log)
			}
		}
		slow := slowly(20*ms, say("slow"))
		if out, err := mustCompile(t, wire("START -> a -> b -> c", map[string]node{"a": slow, "b": slow, "c": slow})).Invoke(t.Context(), update{}, &graph.RunOptions{StepTimeout: 30 * ms}); err != nil || len(out.Log) != 3 {
			t.Errorf("log %q, error %v", out.Log, err)
		}
	}},
	{"E11/total", func(t *testing.T) {
		slow := slowly(20*ms, say("slow"))
		chain := mustCompile(t, wire("START -> a -> b -> c", map[string]node{"a": slow, "b": slow, "c": slow}))
		began := time.Now()
		out, err := chain.Invoke(t.Context(), update{}, &graph.RunOptions{Timeout: 50 * ms})
		timedOut(t, err, began, "c", graph.TimeoutTotal, 50*ms)
		if len(out.Log) != 2 {
			t.Errorf("log %q", out.Log)
		}
		if out, err = chain.Invoke(t.Context(), update{}, &graph.RunOptions{Timeout: time.Second}); err != nil || len(out.Log) != 3 {
			t.Errorf("log %q, error %v", out.Log, err)
		}
		// Between supersteps no node is to blame.
		g := wire("START -> a", nil)
		g.AddConditionalEdges("a", func(context.Context, board) (graph.Route, error) { time.Sleep(60 * ms); return graph.To("a"), nil }, "a")
		began = time.Now()
		_, err = mustCompile(t, g).Invoke(t.Context(), update{}, &graph.RunOptions{Timeout: 50 * ms})
		timedOut(t, err, began, "", graph.TimeoutTotal, 50*ms, 60*ms)
		if want := "timed out: the run took more than 50ms"; err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}},
	{"E11/first_in_order", func(t *testing.T) {
		for _, n := range []int{0, 1, 2} {
			_, err := mustCompile(t, wire("START -> a b c", map[string]node{"b": waits, "c": waits})).Invoke(t.Context(), update{}, &graph.RunOptions{StepTimeout: 30 * ms, Concurrency: n})
			var late *graph.NodeTimeout
			if !errors.As(err, &late) || late.Node != "b" {
				t.Errorf("concurrency %d: %v", n, err)
			}
		}
	}},
	{"E11/negative", func(t *testing.T) {
		app := mustCompile(t, wire("START -> a", nil))
		for _, opts := range []graph.RunOptions{{StepTimeout: -1}, {Timeout: -1}} {
			if _, err := app.Invoke(t.Context(), update{}, &opts); err == nil || !strings.Contains(err.Error(), "must not be negative") {
				t.Errorf("error %v", err)
			}
		}
	}},
}
