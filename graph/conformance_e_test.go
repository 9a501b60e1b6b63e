package graph_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/checkpointtest"
	"example.com/assay/graph/checkpoint/memory"
)

// Group E with threads: the records of a failed run, and their use by a resumed
// run.

// oneAndTwo runs one and two concurrently; two fails until it is fixed.
func oneAndTwo(c *calls, broken *bool) *graph.StateGraph[board] {
	g := newBoard()
	g.AddNode("one", c.of("one", writes(x.Add(2))))
	g.AddNode("two", c.of("two", slowly(5*ms, func(context.Context, board) (update, error) {
		if *broken {
			return nil, errors.New("not good")
		}
		return update{x.Add(3)}, nil
	})), options{Retry: twice})
	g.AddEdge(graph.Start, "one")
	g.AddEdge(graph.Start, "two")
	return g
}

var durableE = []durable{
	{"E1", func(t *testing.T, open func() graph.Checkpointer) { pendingWrites(t, open(), graph.DurabilitySync, 3) }},
	{"E1/async", func(t *testing.T, open func() graph.Checkpointer) { pendingWrites(t, open(), graph.DurabilityAsync, 3) }},
	{"E2", func(t *testing.T, open func() graph.Checkpointer) { pendingWrites(t, open(), graph.DurabilityExit, 2) }},
	{"E4", func(t *testing.T, open func() graph.Checkpointer) {
		saver := open()
		app := compileOn(t, saver, wire("START -> node1 -> node2", map[string]node{"node1": func(_ context.Context, s board) (update, error) {
			if s.Hello == "1" {
				return nil, errBoom
			}
			return update{log.Add("node1")}, nil
		}}))
		if _, err := app.Invoke(t.Context(), update{hello.Set("1"), log.Add("start")}, on("1")); !errors.Is(err, errBoom) {
			t.Fatal(err)
		}
		out, err := app.Invoke(t.Context(), update{hello.Set("2")}, on("1"))
		logged(t, out, err, "start", "node1", "node2")
		if rows := rowsOf(t, app, "1"); len(rows) != 6 {
			t.Errorf("history %q", rows)
		}
		var failures []string
		for s, err := range app.History(t.Context(), "1", nil) {
			if err != nil {
				t.Fatal(err)
			}
			for _, task := range s.Tasks {
				if task.Failure != "" {
					failures = append(failures, fmt.Sprintf("%s %d %s: %s", s.Source, s.Step, task.Node, task.Failure))
				}
			}
		}
		sameLines(t, failures, "loop 0 node1: boom")
		if err := saver.Commit(t.Context(), "1", graph.Change{Clear: true}); err != nil {
			t.Fatal(err)
		}
		if exists(t, app, "1") || len(rowsOf(t, app, "1")) > 0 {
			t.Error("a deleted thread is there")
		}
	}},
	{"E4/input_not_begun", func(t *testing.T, open func() graph.Checkpointer) {
		// The input of a run that failed before its first node is not lost.
		broken := true
		for _, durability := range []graph.Durability{graph.DurabilitySync, graph.DurabilityAsync, graph.DurabilityExit} {
			g := wire("a -> END", nil)
			g.AddConditionalEdges(graph.Start, func(context.Context, board) (graph.Route, error) {
				if broken {
					return graph.Route{}, errBoom
				}
				return graph.To("a"), nil
			}, "a")
			app := compileOn(t, open(), g)
			opts := &graph.RunOptions{Thread: "1", Durability: durability}
			for i, in := range []update{{log.Add("first"), x.Add(1)}, {log.Add("second"), x.Add(10)}} {
				broken = i == 0
				if _, err := app.Invoke(t.Context(), in, opts); errors.Is(err, errBoom) != broken {
					t.Fatal(err)
				}
			}
			if s := nextOf(t, app, "1"); s.State.X != 11 || !slices.Equal(s.State.Log, []string{"first", "second", "a"}) {
				t.Errorf("durability %d: %+v", durability, s.State)
			}
		}
	}},
	{"E7", func(t *testing.T, open func() graph.Checkpointer) {
		// The parent's node is retried: the graph in it continues.
		for _, called := range []bool{false, true} {
			var c calls
			app := compileOn(t, open(), retriedAround(t, &c, called))
			if !called {
				c.count = map[string]int{"p": 3}
			}
			for _, durability := range []graph.Durability{graph.DurabilitySync, graph.DurabilityAsync, graph.DurabilityExit} {
				if durability > 0 {
					c.count = map[string]int{"p": 3 - 3*map[bool]int{true: 1}[called]}
				}
				out, err := app.Invoke(t.Context(), update{log.Add("in")}, &graph.RunOptions{Thread: fmt.Sprint(durability), Durability: durability})
				logged(t, out, err, "in", "s1", "s2")
				c.were(t, "p3 s11 s23")
			}
		}
	}},
	{"E8/interrupt", func(t *testing.T, open func() graph.Checkpointer) {
		// An answer in one thread is not used in another, and a failure is not
		// cached.
		var c calls
		saver := open()
		g := newBoard()
		g.AddNode("ask", c.of("ask", func(ctx context.Context, s board) (update, error) {
			if s.X == 2 && c.times("ask") < 5 {
				return nil, errBoom
			}
			if s.X == 2 {
				return update{log.Add("well")}, nil
			}
			return asks("h", "q?")(ctx, s)
		}), options{Cache: &graph.CachePolicy[board]{}})
		g.AddEdge(graph.Start, "ask")
		app := compileOn(t, saver, g)
		for i, thread := range []string{"1", "2"} {
			_, err := app.Invoke(t.Context(), update{x.Add(1)}, on(thread))
			pendingIn(t, err, "ask: q?")
			out, err := app.Resume(t.Context(), nil, on(thread, graph.Reply(thread)))
			logged(t, out, err, "h:"+thread)
			c.were(t, fmt.Sprintf("ask%d", 2*(i+1)))
		}
		if c.count["ask"] = 3; true {
			if _, err := app.Invoke(t.Context(), update{x.Add(2)}, on("3")); !errors.Is(err, errBoom) {
				t.Fatal(err)
			}
		}
		for _, thread := range []string{"3", "4"} {
			in := update(nil)
			if thread == "4" {
				in = update{x.Add(2)}
			}
			out, err := goOn(t.Context(), app, in, on(thread))
			logged(t, out, err, "well")
		}
		c.were(t, "ask5")
	}},
	{"E9/state", func(t *testing.T, open func() graph.Checkpointer) {
		for _, hears := range []bool{true, false} {
			var c calls
			bad := true
			begun := make(chan struct{})
			slow := func(ctx context.Context, s board) (update, error) {
				if bad {
					close(begun)
					<-ctx.Done()
					if hears {
						return nil, ctx.Err()
					}
				}
				return say("slow")(ctx, s)
			}
			app := compileOn(t, open(), wire("START -> bad slow", c.counting(map[string]node{"slow": slow, "bad": func(ctx context.Context, s board) (update, error) {
				if bad {
					<-begun
					return nil, errBoom
				}
				return say("bad")(ctx, s)
			}})))
			p := play(t.Context(), app, update{}, graph.RunOptions{Thread: "1"})
			if !errors.Is(p.err, errBoom) || len(p.pick(graph.NodeUpdate)) > 0 {
				t.Errorf("error %v, updates %q", p.err, p.pick(graph.NodeUpdate))
			}
			if s := nextOf(t, app, "1", "bad", "slow"); len(s.State.Log) > 0 || s.Tasks[0].Failure != "boom" || s.Tasks[1].Failure != "" {
				t.Errorf("state %+v", s)
			}
			bad = false
			out, err := app.Resume(t.Context(), nil, on("1"))
			logged(t, out, err, "bad", "slow")
			c.were(t, "bad2 slow2")
		}
	}},
	{"E11/state", func(t *testing.T, open func() graph.Checkpointer) {
		// A late node has written nothing, its sibling has. A result that Once
		// recorded in time stays.
		var c calls
		late := true
		g := newBoard()
		g.AddNode("late", func(ctx context.Context, _ board) (update, error) {
			if _, err := graph.Once(ctx, "paid", func(context.Context) (int, error) { return c.note("paid"), nil }); err != nil {
				return nil, err
			}
			if late {
				time.Sleep(40 * ms)
			}
			return update{log.Add("late")}, nil
		}, options{Timeout: graph.Timeout{Run: 20 * ms}})
		g.AddNode("quick", c.of("quick", say("quick")))
		g.AddEdge(graph.Start, "late")
		g.AddEdge(graph.Start, "quick")
		app := compileOn(t, open(), g)
		_, err := app.Invoke(t.Context(), update{}, on("1"))
		var over *graph.NodeTimeout
		if !errors.As(err, &over) || over.Node != "late" || over.Kind != graph.TimeoutRun {
			t.Errorf("error %v", err)
		}
		s := nextOf(t, app, "1", "late")
		if !slices.Equal(s.State.Log, []string{"quick"}) || !strings.Contains(s.Tasks[0].Failure, "timed out") {
			t.Errorf("state %+v", s)
		}
		late = false
		out, err := app.Resume(t.Context(), nil, on("1"))
		logged(t, out, err, "late", "quick")
		c.were(t, "paid1 quick1")
	}},
	{"E11/step", func(t *testing.T, open func() graph.Checkpointer) {
		var c calls
		app := compileOn(t, open(), wire("START -> quick slow", c.counting(map[string]node{"quick": nil, "slow": func(ctx context.Context, s board) (update, error) {
			if c.times("slow") > 1 {
				return say("slow")(ctx, s)
			}
			<-ctx.Done()
			return nil, ctx.Err()
		}})))
		p := play(t.Context(), app, update{}, graph.RunOptions{Thread: "1", StepTimeout: 20 * ms})
		var over *graph.NodeTimeout
		if !errors.As(p.err, &over) || over.Kind != graph.TimeoutStep || len(p.pick(graph.NodeUpdate)) != 1 {
			t.Errorf("error %v, updates %q", p.err, p.pick(graph.NodeUpdate))
		}
		if s := nextOf(t, app, "1", "slow"); !slices.Equal(s.State.Log, []string{"quick"}) {
			t.Errorf("state %+v", s)
		}
		out, err := app.Resume(t.Context(), nil, on("1"))
		logged(t, out, err, "quick", "slow")
		c.were(t, "quick1 slow2")
	}},
	{"E12/resume", func(t *testing.T, open func() graph.Checkpointer) {
		for _, durability := range []graph.Durability{graph.DurabilitySync, graph.DurabilityExit} {
			var c calls
			broken := true
			g := wire("after -> END", nil)
			g.AddNode("bad", func(ctx context.Context, _ board) (update, error) {
				c.note("node")
				_, err := graph.Once(ctx, "k", func(context.Context) (string, error) { return "node's", nil })
				return nil, errors.Join(errBoom, err)
			}, options{Goto: []string{"after"}, OnError: func(ctx context.Context, s board, failure error) (update, error) {
				c.note("handler")
				own, err := graph.Once(ctx, "k", func(context.Context) (string, error) { return "handler's", nil })
				if broken || err != nil {
					return nil, errors.Join(errOther, err)
				}
				return update{log.Add(own, failure.Error()), goTo("after")}, nil
			}})
			g.AddEdge(graph.Start, "bad")
			app := compileOn(t, open(), g)
			opts := &graph.RunOptions{Thread: "1", Durability: durability}
			if _, err := app.Invoke(t.Context(), update{}, opts); !errors.Is(err, errOther) {
				t.Errorf("error %v", err)
			}
			if s := nextOf(t, app, "1", "bad"); s.Tasks[0].Failure != "boom" {
				t.Errorf("tasks %+v", s.Tasks)
			}
			broken = false
			out, err := app.Resume(t.Context(), nil, opts)
			logged(t, out, err, "handler's", `running node "bad" in step 1: boom`, "after")
			c.were(t, "handler2 node1")
		}
	}},
	{"E12/declines", func(t *testing.T, open func() graph.Checkpointer) {
		// A handler that declines leaves the task to the node, after a resume too.
		var c calls
		g := newBoard()
		g.AddNode("bad", func(context.Context, board) (update, error) {
			if c.note("node") == 1 {
				return nil, errBoom
			}
			return update{log.Add("well")}, nil
		}, options{OnError: func(_ context.Context, _ board, failure error) (update, error) {
			if c.note("handler") == 1 {
				panic("handler")
			}
			return nil, failure
		}})
		g.AddEdge(graph.Start, "bad")
		app := compileOn(t, open(), g)
		_, err := app.Invoke(t.Context(), update{}, on("1"))
		var panicked *graph.PanicError
		if !errors.As(err, &panicked) {
			t.Errorf("error %v", err)
		}
		var failed *graph.NodeError
		if _, err = app.Resume(t.Context(), nil, on("1")); !errors.As(err, &failed) || failed.Err.Error() != "boom" {
			t.Errorf("error %v", err)
		}
		c.were(t, "handler2 node1")
		out, err := app.Resume(t.Context(), nil, on("1"))
		logged(t, out, err, "well")
		c.were(t, "handler2 node2")
	}},
	{"E13/state", func(t *testing.T, open func() graph.Checkpointer) {
		for _, durability := range []graph.Durability{graph.DurabilitySync, graph.DurabilityAsync, graph.DurabilityExit} {
			app := compileOn(t, open(), wire("START -> a -> b", map[string]node{"a": drains("a", "sigterm")}))
			opts := &graph.RunOptions{Thread: "1", Durability: durability}
			_, err := app.Invoke(t.Context(), update{}, opts)
			isDrained(t, err, "sigterm", "b")
			if s := nextOf(t, app, "1", "b"); s.Step != 1 {
				t.Errorf("step %d", s.Step)
			}
			out, err := app.Resume(t.Context(), nil, opts)
			logged(t, out, err, "a", "b")
			// In the last step there is nothing to stop.
			app = compileOn(t, open(), wire("START -> a", map[string]node{"a": drains("a", "sigterm")}))
			out, err = app.Invoke(t.Context(), update{}, opts)
			logged(t, out, err, "a")
		}
	}},
	{"E13/stateful_subgraph", func(t *testing.T, open func() graph.Checkpointer) {
		child, err := wire("START -> i1 -> i2", map[string]node{"i1": drains("i1", "sigterm")}).Compile(&graph.CompileOptions{Persistence: graph.PersistAlways})
		if err != nil {
			t.Fatal(err)
		}
		app := compileOn(t, open(), wire("START -> p -> o", map[string]node{"p": func(ctx context.Context, s board) (update, error) {
			return called(child)(ctx, board{Log: []string{"in"}})
		}}))
		var want []string
		for range 2 {
			_, err := app.Invoke(t.Context(), update{}, on("1"))
			isDrained(t, err, "sigterm", "o")
			nextOf(t, app, "1", "o")
			want = append(want, "in", "i1", "i2")
			out, err := app.Resume(t.Context(), nil, on("1"))
			logged(t, out, err, append(slices.Clone(want), "o")...)
		}
	}},
	{"E14", func(t *testing.T, open func() graph.Checkpointer) {
		// Every call of the saver fails once: the caller gets the error, and a
		// thread that is resumed until its end reaches the same state.
		for _, durability := range []graph.Durability{graph.DurabilitySync, graph.DurabilityAsync, graph.DurabilityExit} {
			crashes(t, open, func(saver graph.Checkpointer, lossy bool) {
				surfaces(t, saver.(*checkpointtest.FaultySaver), durability)
			})
		}
	}},
	{"E15", func(t *testing.T, open func() graph.Checkpointer) {
		type cargo struct {
			Items []box `json:"items"`
		}
		items := graph.Append("items", func(s *cargo) *[]box { return &s.Items })
		for _, beside := range []bool{false, true} {
			bad := true
			g := graph.NewStateGraph[cargo](items)
			g.AddNode("load", func(context.Context, cargo) (graph.Update[cargo], error) {
				b := box{Weight: 2}
				if bad {
					b.Weight = nan()
				}
				return graph.Update[cargo]{items.Add(box{Weight: 1}, b)}, nil
			})
			g.AddEdge(graph.Start, "load")
			if beside {
				g.AddNode("z", func(context.Context, cargo) (graph.Update[cargo], error) { return nil, nil })
				g.AddEdge(graph.Start, "z")
			}
			app := compileOn(t, open(), g)
			for _, durability := range []graph.Durability{graph.DurabilitySync, graph.DurabilityAsync} {
				bad = true
				opts := &graph.RunOptions{Thread: fmt.Sprint(durability), Durability: durability}
				_, err := app.Invoke(t.Context(), graph.Update[cargo]{}, opts)
				for _, part := range []string{`"load"`, `"items"`, "[1].Weight", "NaN"} {
					if err == nil || !strings.Contains(err.Error(), part) {
						t.Errorf("error %v does not say %s", err, part)
					}
				}
				s := stateOf(t, app, graph.Key{Thread: opts.Thread})
				if len(s.State.Items) > 0 || s.Next[0] != "load" {
					t.Errorf("state %+v", s)
				}
				bad = false
				if out, err := app.Resume(t.Context(), nil, opts); err != nil || len(out.Items) != 2 {
					t.Errorf("%+v, error %v", out, err)
				}
			}
			opts := &graph.RunOptions{Thread: "exit", Durability: graph.DurabilityExit}
			bad = true
			if _, err := app.Invoke(t.Context(), graph.Update[cargo]{}, opts); err == nil || !strings.Contains(err.Error(), "[1].Weight") {
				t.Errorf("error %v", err)
			}
		}
	}},
}

type box struct{ Weight float64 }

// JSON has no nan.
func nan() float64 {
	zero := 0.0
	return zero / zero
}

// called is a node that gives its state to a graph, and takes its log.
func called(child *graph.Compiled[board]) node {
	return func(ctx context.Context, s board) (update, error) {
		out, err := child.Invoke(ctx, update{log.Add(s.Log...)}, nil)
		return update{log.Overwrite(out.Log)}, err
	}
}

// pendingWrites is E1: a finished task's writes outlive its sibling's failure.
func pendingWrites(t *testing.T, saver graph.Checkpointer, durability graph.Durability, rows int) {
	var c calls
	broken := true
	app := compileOn(t, saver, oneAndTwo(&c, &broken))
	opts := &graph.RunOptions{Thread: "1", Durability: durability}
	if _, err := app.Invoke(t.Context(), update{x.Add(1)}, opts); err == nil || !strings.Contains(err.Error(), "not good") {
		t.Fatal(err)
	}
	c.were(t, "one1 two2")
	s := nextOf(t, app, "1", "two")
	if s.State.X != 3 || len(s.Tasks) != 2 || !s.Tasks[0].Done || len(s.Tasks[0].Update) != 1 || s.Tasks[1].Failure != "not good" {
		t.Errorf("state %+v", s)
	}
	before := rowsOf(t, app, "1")
	at := stateOf(t, app, graph.Key{Thread: "1", ID: s.Key.ID})
	if at.State.X != 1 || !slices.Equal(at.Next, []string{"one", "two"}) {
		t.Errorf("by its ID: %+v", at)
	}
	if _, err := app.Resume(t.Context(), nil, opts); err == nil {
		t.Error("it did not fail again")
	}
	c.were(t, "one1 two4")
	sameLines(t, rowsOf(t, app, "1"), before...)
	broken = false
	if out, err := app.Resume(t.Context(), nil, opts); err != nil || out.X != 6 {
		t.Errorf("x is %d, error %v", out.X, err)
	}
	c.were(t, "one1 two5")
	history := rowsOf(t, app, "1")
	if len(history) != rows {
		t.Errorf("history %q", history)
	}
	middle := stateOf(t, app, graph.Key{Thread: "1", ID: s.Key.ID})
	if len(middle.Tasks) != 2 || len(middle.Tasks[0].Update) != 1 || middle.Tasks[1].Failure != "not good" {
		t.Errorf("middle row %+v", middle)
	}
}

// surfaces runs a thread of two turns, with an interrupt, a failure beside it
// and a graph in a node, on a saver one of whose calls fails.
func surfaces(t *testing.T, saver *checkpointtest.FaultySaver, durability graph.Durability) {
	child := mustCompile(t, wire("START -> s1 -> s2", map[string]node{"s2": func(ctx context.Context, _ board) (update, error) {
		v, err := graph.Once(ctx, "k", func(context.Context) (string, error) { return "once", nil })
		return update{log.Add(v)}, err
	}}))
	g := wire("START -> a -> ask sub -> b", map[string]node{"ask": asks("h", "q?"), "sub": called(child)})
	app := compileOn(t, saver, g)
	faults := 0
	for turn := range 2 {
		in := update{log.Add(fmt.Sprint("in", turn))}
		opts := &graph.RunOptions{Thread: "1", Durability: durability}
		for attempt := 0; ; attempt++ {
			if attempt == 9 {
				t.Error("the thread does not end")
				return
			}
			calls := saver.Calls()
			out, err := goOn(t.Context(), app, in, opts)
			var stopped *graph.InterruptedError
			switch {
			case errors.Is(err, checkpointtest.ErrFault):
				faults++
				// The caller reads the thread to find out how far it came.
				if s, err := app.State(t.Context(), graph.Key{Thread: "1"}); err == nil && begun(s, turn) {
					in = nil
				}
				opts.Resume = nil
				continue
			case errors.As(err, &stopped) && len(stopped.Pending) == 1:
				in, opts.Resume = nil, []graph.Answer{graph.Reply("yes")}
				continue
			case err != nil:
				t.Errorf("calls %d to %d: %v", calls, saver.Calls(), err)
				return
			}
			want := 1 + turn // of what each turn logs
			if n := count(out.Log, "b"); n != want || count(out.Log, fmt.Sprint("in", turn)) == 0 {
				t.Errorf("log %q", out.Log)
			}
			break
		}
	}
	if faults > 1 {
		t.Errorf("%d calls failed, and one did", faults)
	}
}

func begun(s *graph.StateSnapshot[board], turn int) bool {
	if len(s.Next) > 0 && s.Next[0] == graph.Start {
		return count(s.State.Log, "b") == turn
	}
	return count(s.State.Log, fmt.Sprint("in", turn)) > 0
}

func count(list []string, s string) (n int) {
	for _, v := range list {
		if v == s {
			n++
		}
	}
	return n
}

// TestOrphansOfARun leaves goroutines behind that record and run graphs after
// the run's end: the program survives.
func TestOrphansOfARun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		child := mustCompile(t, wire("START -> s", nil))
		done := make(chan struct{})
		app := compileOn(t, memory.New(), wire("START -> a", map[string]node{"a": func(ctx context.Context, _ board) (update, error) {
			go func() {
				defer close(done)
				time.Sleep(time.Second)
				if _, err := graph.Once(ctx, "k", func(context.Context) (int, error) { return 1, nil }); err == nil {
					t.Error("recorded after the run")
				}
				if _, err := child.Invoke(ctx, update{}, nil); err == nil {
					t.Error("saved after the run")
				}
			}()
			return nil, nil
		}}))
		if _, err := app.Invoke(t.Context(), update{}, &graph.RunOptions{Thread: "1", Durability: graph.DurabilityAsync}); err != nil {
			t.Error(err)
		}
		<-done
	})
}
