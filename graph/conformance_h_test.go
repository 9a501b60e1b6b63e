package graph_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/assay/graph"
)

// Group H with threads: subgraphs, the functional style, separate threads, and
// unsaved values.

// keeping compiles a graph to be run in a node.
func keeping(t testing.TB, g *graph.StateGraph[board], persist graph.Persistence) *graph.Compiled[board] {
	t.Helper()
	app, err := g.Compile(&graph.CompileOptions{Persistence: persist, Name: "child"})
	if err != nil {
		t.Fatal(err)
	}
	return app
}

// turns is a node that gives a graph "in" and takes its log.
func turns(child *graph.Compiled[board]) node {
	return func(ctx context.Context, _ board) (update, error) {
		return called(child)(ctx, board{Log: []string{"in"}})
	}
}

// askBelow is s1 -> s2, which asks.
func askBelow(c *calls) *graph.StateGraph[board] {
	return wire("START -> s1 -> s2", c.counting(map[string]node{"s1": nil, "s2": asks("s2", "q?")}))
}

var durableH = []durable{
	{"H1", func(t *testing.T, open func() graph.Checkpointer) {
		for persist, want := range map[graph.Persistence][]string{
			graph.PersistPerRun: {"in", "s"}, graph.PersistNever: {"in", "s"}, graph.PersistAlways: {"in", "s", "in", "s"}, graph.PersistTurns: {"in", "s", "in", "s"},
		} {
			for _, durability := range []graph.Durability{graph.DurabilitySync, graph.DurabilityAsync, graph.DurabilityExit} {
				child := keeping(t, wire("START -> s", nil), persist)
				mapped := newBoard()
				graph.AddMappedSubgraph(mapped, "p", child, func(board) update { return update{log.Add("in")} }, func(s board) update { return update{log.Overwrite(s.Log)} })
				mapped.AddEdge(graph.Start, "p")
				for _, g := range []*graph.StateGraph[board]{wire("START -> p", map[string]node{"p": turns(child)}), mapped} {
					app := compileOn(t, open(), g)
					opts := &graph.RunOptions{Thread: "1", Durability: durability}
					out, err := app.Invoke(t.Context(), update{}, opts)
					logged(t, out, err, "in", "s")
					out, err = app.Invoke(t.Context(), update{}, opts)
					logged(t, out, err, want...)
				}
			}
		}
	}},
	{"H1/turns", func(t *testing.T, open func() graph.Checkpointer) {
		// A run of a Send begins anew, as does one that nothing saves; so several tasks may run the graph.
		child := keeping(t, wire("START -> s", nil), graph.PersistTurns)
		fan := newBoard()
		fan.AddNode("p", func(ctx context.Context, _ board) (update, error) {
			s, err := child.Invoke(ctx, update{log.Add("in")}, nil)
			return update{log.Add(s.Log...)}, err
		})
		fan.AddConditionalEdges(graph.Start, func(context.Context, board) (graph.Route, error) {
			return graph.Sends(graph.Send[board]{Node: "p"}, graph.Send[board]{Node: "p"}), nil
		}, "p")
		app := compileOn(t, open(), fan)
		for range 2 {
			out, err := app.Invoke(t.Context(), update{log.Overwrite(nil)}, on("1"))
			logged(t, out, err, "in", "s", "in", "s")
		}
		for range 2 {
			out, err := mustCompile(t, wire("START -> p", map[string]node{"p": turns(child)})).Invoke(t.Context(), update{}, nil)
			logged(t, out, err, "in", "s")
		}
		// An interrupted run continues, and the next one knows of it.
		var c calls
		mapped := newBoard()
		graph.AddMappedSubgraph(mapped, "p", keeping(t, askBelow(&c), graph.PersistTurns), func(board) update { return update{log.Add("in")} }, func(s board) update { return update{log.Overwrite(s.Log)} })
		mapped.AddEdge(graph.Start, "p")
		app = compileOn(t, open(), mapped)
		var want []string
		for range 2 {
			_, err := app.Invoke(t.Context(), update{}, on("1"))
			pendingIn(t, err, "s2: q?")
			if s, err := app.State(t.Context(), graph.Key{Thread: "1"}); err != nil || s.Tasks[0].Child.Namespace != "p" {
				t.Errorf("%v: the child is in %q", err, s.Tasks[0].Child.Namespace)
			}
			out, err := app.Resume(t.Context(), nil, on("1", graph.Reply("a")))
			want = append(want, "in", "s1", "s2:a")
			logged(t, out, err, want...)
		}
	}},
	{"H1/stateful_interrupt", func(t *testing.T, open func() graph.Checkpointer) {
		// Two nodes with one graph: each has its own state, in turns that ask.
		var c calls
		child := keeping(t, askBelow(&c), graph.PersistAlways)
		app := compileOn(t, open(), wire("START -> p -> q", map[string]node{"p": turns(child), "q": turns(child)}))
		var want []string
		for turn := range 2 {
			_, err := app.Invoke(t.Context(), update{}, on("1"))
			pendingIn(t, err, "s2: q?")
			p, q := fmt.Sprint("p", turn), fmt.Sprint("q", turn)
			_, err = app.Resume(t.Context(), nil, on("1", graph.Reply(p)))
			pendingIn(t, err, "s2: q?")
			if s := nextOf(t, app, "1", "q"); !slices.Equal(s.State.Log, append(slices.Clone(want), "in", "s1", "s2:"+p)) && turn == 0 {
				t.Errorf("state %q", s.State.Log)
			}
			out, err := app.Resume(t.Context(), nil, on("1", graph.Reply(q)))
			want = append(want, "in", "s1", "s2:"+q)
			logged(t, out, err, want...)
		}
		c.were(t, "s14 s28")
	}},
	{"H1/replay", func(t *testing.T, open func() graph.Checkpointer) {
		// A run from an earlier checkpoint finds the graph in its node as it was then.
		child := keeping(t, wire("START -> s", nil), graph.PersistAlways)
		app := compileOn(t, open(), wire("START -> p -> o", map[string]node{"p": turns(child), "o": writes()}))
		var at string
		for turn := range 3 {
			out, err := app.Invoke(t.Context(), update{}, on("1"))
			logged(t, out, err, slices.Repeat([]string{"in", "s"}, turn+1)...)
			if turn == 1 {
				for s, err := range app.History(t.Context(), "1", nil) {
					if err != nil {
						t.Fatal(err)
					}
					if at == "" && slices.Equal(s.Next, []string{"p"}) {
						at = s.Key.ID
					}
				}
			}
		}
		out, err := app.Resume(t.Context(), nil, &graph.RunOptions{Thread: "1", Checkpoint: at})
		logged(t, out, err, "in", "s", "in", "s")
		out, err = app.Invoke(t.Context(), update{}, on("1"))
		logged(t, out, err, "in", "s", "in", "s", "in", "s")
	}},
	{"H1/given_up", func(t *testing.T, open func() graph.Checkpointer) {
		// The graph's state excludes a turn that was dropped. It includes a finished
		// task, also when the task's sibling failed and the thread was resumed or
		// got another input.
		for _, resumed := range []bool{false, true} {
			bad := true
			child := keeping(t, wire("START -> s", nil), graph.PersistAlways)
			var app *graph.Compiled[board]
			finished := func() bool { // p has returned, and that is on record
				s, err := app.State(t.Context(), graph.Key{Thread: "1"})
				return err == nil && len(s.Tasks) > 0 && s.Tasks[0].Done
			}
			app = compileOn(t, open(), wire("START -> p z", map[string]node{"p": turns(child), "z": func(ctx context.Context, _ board) (update, error) {
				for bad && ctx.Err() == nil && !finished() {
					time.Sleep(ms)
				}
				if bad {
					return nil, errBoom
				}
				return nil, nil
			}}))
			if _, err := app.Invoke(t.Context(), update{}, on("1")); !errors.Is(err, errBoom) {
				t.Fatal(err)
			}
			bad = false
			want := 1
			if resumed {
				out, err := app.Resume(t.Context(), nil, on("1"))
				logged(t, out, err, "in", "s")
			}
			out, err := app.Invoke(t.Context(), update{}, on("1"))
			logged(t, out, err, slices.Repeat([]string{"in", "s"}, want+1)...)
		}
		var c calls
		child := keeping(t, askBelow(&c), graph.PersistAlways)
		app := compileOn(t, open(), wire("START -> p", map[string]node{"p": turns(child)}))
		for range 2 {
			_, err := app.Invoke(t.Context(), update{}, on("1"))
			pendingIn(t, err, "s2: q?")
		}
		out, err := app.Resume(t.Context(), nil, on("1", graph.Reply("y")))
		logged(t, out, err, "in", "s1", "s2:y")
	}},
	{"H1/one_at_a_time", func(t *testing.T, open func() graph.Checkpointer) {
		for _, concurrency := range concurrencies {
			child := keeping(t, wire("START -> s", nil), graph.PersistAlways)
			g := wire("p -> END", map[string]node{"p": turns(child)})
			g.AddConditionalEdges(graph.Start, always(graph.Sends(to("p", "1", "2")...)), "p")
			_, err := compileOn(t, open(), g).Invoke(t.Context(), update{}, &graph.RunOptions{Thread: "1", Concurrency: concurrency})
			if !errors.Is(err, graph.ErrThreadBusy) || !strings.Contains(err.Error(), "another task of the superstep") {
				t.Errorf("error %v", err)
			}
		}
		if _, err := mustCompile(t, wire("START -> p", map[string]node{"p": turns(keeping(t, wire("START -> s", nil), graph.PersistAlways))})).Invoke(t.Context(), update{}, nil); !errors.Is(err, graph.ErrNoCheckpointer) {
			t.Errorf("a graph that keeps its state, without a checkpointer: %v", err)
		}
	}},
	{"H2", func(t *testing.T, open func() graph.Checkpointer) {
		for _, persist := range []graph.Persistence{graph.PersistPerRun, graph.PersistAlways, graph.PersistNever} {
			for _, durability := range []graph.Durability{graph.DurabilitySync, graph.DurabilityAsync, graph.DurabilityExit} {
				var c calls
				child := keeping(t, askBelow(&c), persist)
				app := compileOn(t, open(), wire("START -> p", c.counting(map[string]node{"p": turns(child)})))
				opts := &graph.RunOptions{Thread: "1", Durability: durability}
				_, err := app.Invoke(t.Context(), update{}, opts)
				pendingIn(t, err, "s2: q?")
				opts.Resume = []graph.Answer{graph.Reply("ok")}
				out, err := app.Resume(t.Context(), nil, opts)
				logged(t, out, err, "in", "s1", "s2:ok")
				if want := map[bool]string{true: "p2 s12 s22", false: "p2 s11 s22"}; true {
					c.were(t, want[persist == graph.PersistNever])
				}
			}
		}
	}},
	{"H2/node", func(t *testing.T, open func() graph.Checkpointer) {
		var c calls
		saver := open()
		g, child := askInSubgraph(t, &c)
		app := compileOn(t, saver, g)
		p := play(t.Context(), app, update{}, graph.RunOptions{Thread: "1", Modes: graph.Updates | graph.Values})
		ids := pendingIn(t, p.err, "s2: q?")
		shown := []graph.EventKind{graph.NodeUpdate, graph.StateValue, graph.RunInterrupt}
		sameLines(t, p.pick(shown...),
			`values {}`, `node_update pre [{"channel":"log","op":"add","value":["pre"]}]`, `values {"log":["pre"]}`,
			`values [sub] {"log":["pre"]}`, `node_update [sub] s1 [{"channel":"log","op":"add","value":["s1"]}]`,
			`values [sub] {"log":["pre","s1"]}`, `interrupt [sub]`, `interrupt`)
		for _, ev := range p.events[len(p.events)-2:] {
			if len(ev.Interrupts) != 1 || ev.Interrupts[0].ID != ids[0] || ev.Interrupts[0].Namespace != "sub" {
				t.Errorf("%s has %+v", line(ev), ev.Interrupts)
			}
		}
		s := nextOf(t, app, "1", "sub")
		below := stateOf(t, child.With(saver), s.Tasks[0].Child)
		if !slices.Equal(below.State.Log, []string{"pre", "s1"}) || !slices.Equal(below.Next, []string{"s2"}) || len(below.Interrupts) != 1 || below.Interrupts[0].ID != ids[0] {
			t.Errorf("below: %+v", below)
		}
		p = play(t.Context(), app, nil, graph.RunOptions{Thread: "1", Resume: []graph.Answer{graph.ReplyTo(ids[0], "ok")}, Modes: graph.Updates | graph.Values})
		sameLines(t, p.pick(shown...),
			`values {"log":["pre"]}`, `values [sub] {"log":["pre","s1"]}`,
			`node_update [sub] s2 [{"channel":"log","op":"add","value":["s2:ok"]}]`, `values [sub] {"log":["pre","s1","s2:ok"]}`,
			`node_update sub [{"channel":"log","op":"add","value":["s1"]},{"channel":"log","op":"add","value":["s2:ok"]}]`,
			`values {"log":["pre","s1","s2:ok"]}`)
		c.were(t, "pre1 s11 s22")
	}},
	{"H2/three_levels", func(t *testing.T, open func() graph.Checkpointer) {
		for _, durability := range []graph.Durability{graph.DurabilitySync, graph.DurabilityAsync, graph.DurabilityExit} {
			var c calls
			saver := open()
			g1, l2, l3 := askDeepBelow(t, &c)
			app := compileOn(t, saver, g1)
			_, err := app.Invoke(t.Context(), update{}, &graph.RunOptions{Thread: "1", Durability: durability})
			pendingIn(t, err, "c: q?")
			s1 := nextOf(t, app, "1", "l2")
			s2 := stateOf(t, l2.With(saver), s1.Tasks[0].Child)
			s3 := stateOf(t, l3.With(saver), s2.Tasks[0].Child)
			if !slices.Equal(s2.Next, []string{"l3"}) || !slices.Equal(s3.Next, []string{"c"}) || s1.Interrupts[0].Namespace != "l2/l3" {
				t.Errorf("next %q and %q, interrupts %+v", s2.Next, s3.Next, s1.Interrupts)
			}
			out, err := app.Resume(t.Context(), nil, &graph.RunOptions{Thread: "1", Durability: durability, Resume: []graph.Answer{graph.Reply("y")}})
			logged(t, out, err, "a", "b", "c:y")
			c.were(t, "a1 b1 c2")
		}
	}},
	{"H2/in_sends", func(t *testing.T, open func() graph.Checkpointer) {
		// A graph in each of several Sends asks; they are answered one by one.
		for _, persist := range []graph.Persistence{graph.PersistPerRun, graph.PersistNever} {
			for _, concurrency := range concurrencies {
				app := compileOn(t, open(), askInSubgraphSends(t, persist))
				_, err := app.Invoke(t.Context(), update{}, &graph.RunOptions{Thread: "1", Concurrency: concurrency})
				ids := pendingIn(t, err, "i1: 1x", "i2: 2x", "i1: 1y", "i2: 2y")
				_, err = app.Resume(t.Context(), nil, on("1", graph.ReplyTo(ids[2], "a")))
				pendingIn(t, err, "i1: 1x", "i2: 2x", "i2: 2y")
				_, err = app.Resume(t.Context(), nil, on("1", graph.ReplyTo(ids[0], "b"), graph.ReplyTo(ids[1], "c")))
				if left := pendingIn(t, err, "i2: 2y"); left[0] != ids[3] {
					t.Errorf("IDs %q, left %q", ids, left)
				}
				nextOf(t, app, "1", "sub")
				out, err := app.Resume(t.Context(), nil, on("1", graph.Reply("d")))
				logged(t, out, err, "i1x:b", "i2x:c", "i1y:a", "i2y:d")
			}
		}
	}},
	{"H2/breakpoints", func(t *testing.T, open func() graph.Checkpointer) {
		// Breakpoints on the node of a graph, and in the graph.
		var c calls
		child, err := wire("START -> s1 -> s2", c.counting(map[string]node{"s1": nil, "s2": nil})).Compile(&graph.CompileOptions{InterruptAfter: []string{"s1"}, InterruptBefore: []string{"s1"}})
		if err != nil {
			t.Fatal(err)
		}
		g := wire("START -> beside", c.counting(map[string]node{"beside": nil}))
		g.AddSubgraph("sub", child)
		g.AddNode("o", say("o"))
		g.AddEdge(graph.Start, "sub")
		g.AddEdge("sub", "o")
		app := compileOn(t, open(), g)
		opts := &graph.RunOptions{Thread: "1", InterruptBefore: []string{"sub"}, InterruptAfter: []string{"sub"}}
		in := update{}
		for i, next := range []string{"beside sub", "sub", "sub", "o"} {
			_, err := goOn(t.Context(), app, in, opts)
			pendingIn(t, err)
			nextOf(t, app, "1", strings.Fields(next)...)
			if in = nil; i == 2 {
				c.were(t, "beside1 s11")
			}
		}
		out, err := app.Resume(t.Context(), nil, opts)
		logged(t, out, err, "beside", "s1", "s2", "o")
		c.were(t, "beside1 s11 s21")
	}},
	{"H4", func(t *testing.T, open func() graph.Checkpointer) {
		var c calls
		app := compileOn(t, open(), onceAndAsk(&c))
		_, err := app.Invoke(t.Context(), update{}, on("1"))
		for i, answer := range []string{"a", "b", "c"} {
			pendingIn(t, err, fmt.Sprintf("flow: %d", 2*(i+1)))
			var out board
			if out, err = app.Resume(t.Context(), nil, on("1", graph.Reply(answer))); i == 2 {
				logged(t, out, err, "2", "a", "4", "b", "6", "c")
			}
		}
		c.were(t, "flow4 task3")
	}},
	{"H4/previous", func(t *testing.T, open func() graph.Checkpointer) {
		// A turn sees the state of the turn before.
		app := compileOn(t, open(), wire("START -> flow", map[string]node{"flow": func(_ context.Context, s board) (update, error) {
			return update{log.Add(fmt.Sprint(s.X)), x.Add(6)}, nil
		}}))
		for range 2 {
			if _, err := app.Invoke(t.Context(), update{}, on("1")); err != nil {
				t.Fatal(err)
			}
		}
		if s := nextOf(t, app, "1"); !slices.Equal(s.State.Log, []string{"0", "6"}) {
			t.Errorf("log %q", s.State.Log)
		}
	}},
	{"H4/parallel", func(t *testing.T, open func() graph.Checkpointer) {
		// Concurrent calls end in any order, and their events show it. Their results
		// keep their places, and no call is repeated.
		var c calls
		app := compileOn(t, open(), wire("START -> flow", map[string]node{"flow": func(ctx context.Context, s board) (update, error) {
			results := make([]string, 8)
			first := make(chan struct{})
			var wg sync.WaitGroup
			for i := range results {
				wg.Go(func() {
					v, err := graph.Once(ctx, fmt.Sprint("t", i), func(context.Context) (string, error) {
						if c.note("task"); i == 0 {
							<-first
						}
						return fmt.Sprint("r", i), nil
					})
					if results[i] = v; err != nil {
						t.Error(err)
					}
					if i == 1 {
						close(first)
					}
				})
			}
			wg.Wait()
			answer, err := graph.Interrupt[string](ctx, "q", "q?")
			if err != nil {
				return nil, err
			}
			return update{log.Add(append(results, answer)...)}, nil
		}}))
		p := play(t.Context(), app, update{}, graph.RunOptions{Thread: "1", Modes: graph.Updates})
		pendingIn(t, p.err, "flow: q?")
		var order []string
		for _, ev := range p.events {
			if ev.Kind == graph.NodeStep {
				order = append(order, ev.Name+"="+string(ev.Data))
			}
		}
		if len(order) != 8 || slices.Index(order, `t0="r0"`) < slices.Index(order, `t1="r1"`) {
			t.Errorf("steps %q", order)
		}
		out, err := app.Resume(t.Context(), nil, on("1", graph.Reply("y")))
		logged(t, out, err, "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "y")
		c.were(t, "task8")
	}},
	{"H4/caught", func(t *testing.T, open func() graph.Checkpointer) {
		// A call that failed and was caught is called again, and a retried node
		// finds what was recorded, in a graph that saves nothing as well.
		for _, persist := range []graph.Persistence{graph.PersistPerRun, graph.PersistNever} {
			var c calls
			g := newBoard()
			g.AddNode("flow", func(ctx context.Context, s board) (update, error) {
				paid, err := graph.Once(ctx, "pay", func(context.Context) (string, error) { c.note("pay"); return "paid", nil })
				if err != nil {
					return nil, err
				}
				word := "well"
				if _, err := graph.Once(ctx, "try", func(context.Context) (int, error) { c.note("try"); return 0, errOther }); errors.Is(err, errOther) {
					word = "caught"
				}
				if c.note("flow") < 3 {
					return nil, errBoom
				}
				return update{log.Add(paid, word)}, nil
			}, options{Retry: []graph.RetryPolicy{{InitialInterval: ms}}})
			g.AddEdge(graph.Start, "flow")
			child := keeping(t, g, persist)
			outer := newBoard()
			outer.AddSubgraph("sub", child)
			outer.AddEdge(graph.Start, "sub")
			out, err := compileOn(t, open(), outer).Invoke(t.Context(), update{}, on("1"))
			logged(t, out, err, "paid", "caught")
			c.were(t, "flow3 pay1 try3")
		}
	}},
	{"H4/keys", func(t *testing.T, open func() graph.Checkpointer) {
		// A key never equals another's numbered key.
		run := func(ctx context.Context, _ board) (update, error) {
			var out []string
			for _, key := range []string{"k", "k", "k#2", "#", "#", "", "##2"} {
				v, err := graph.Once(ctx, key, func(context.Context) (string, error) { return fmt.Sprint(key, len(out)), nil })
				if err != nil {
					return nil, err
				}
				out = append(out, v)
			}
			_, err := graph.Interrupt[string](ctx, "q", "q?")
			return update{log.Add(out...)}, err
		}
		app := compileOn(t, open(), wire("START -> flow", map[string]node{"flow": run}))
		_, err := app.Invoke(t.Context(), update{}, on("1"))
		pendingIn(t, err, "flow: q?")
		out, err := app.Resume(t.Context(), nil, on("1", graph.Reply("y")))
		logged(t, out, err, "k0", "k1", "k#22", "#3", "#4", "5", "##26")
	}},
	{"H4/outside", func(t *testing.T, open func() graph.Checkpointer) {
		if v, err := graph.Once(t.Context(), "k", func(context.Context) (int, error) { return 7, nil }); v != 7 || err != nil {
			t.Errorf("%d, %v", v, err)
		}
		app := compileOn(t, open(), wire("START -> flow", map[string]node{"flow": func(ctx context.Context, _ board) (update, error) {
			_, err := graph.Once(ctx, "k", func(context.Context) (func(), error) { return func() {}, nil })
			return nil, err
		}}))
		if _, err := app.Invoke(t.Context(), update{}, on("1")); err == nil || !strings.Contains(err.Error(), `recording what "k" returned`) {
			t.Errorf("error %v", err)
		}
	}},
	{"H9", func(t *testing.T, open func() graph.Checkpointer) {
		app := compileOn(t, open(), wire("START -> a", nil))
		for _, thread := range []string{"1", "2", "1"} {
			if _, err := app.Invoke(t.Context(), update{log.Add(thread)}, on(thread)); err != nil {
				t.Fatal(err)
			}
		}
		for thread, want := range map[string][]string{"1": {"1", "a", "1", "a"}, "2": {"2", "a"}} {
			if s := nextOf(t, app, thread); !slices.Equal(s.State.Log, want) {
				t.Errorf("thread %s: %q", thread, s.State.Log)
			}
		}
		if _, err := app.Invoke(t.Context(), update{}, nil); !errors.Is(err, graph.ErrNoThread) {
			t.Errorf("error %v", err)
		}
		if _, err := app.Resume(t.Context(), nil, on("3")); !errors.Is(err, graph.ErrEmptyInput) {
			t.Errorf("error %v", err)
		}
		if exists(t, app, "3") {
			t.Error("reading made a thread")
		}
	}},
	{"H10/saved", func(t *testing.T, open func() graph.Checkpointer) {
		type secretive struct {
			Log []string `json:"log,omitempty"`
			Key string   `json:"key,omitempty"`
		}
		said := graph.Append("log", func(s *secretive) *[]string { return &s.Log })
		key := graph.Untracked("key", func(s *secretive) *string { return &s.Key })
		for _, durability := range []graph.Durability{graph.DurabilitySync, graph.DurabilityAsync, graph.DurabilityExit} {
			saver := open()
			g := graph.NewStateGraph[secretive](said, key)
			tell := func(ctx context.Context, s secretive) (graph.Update[secretive], error) {
				return graph.Update[secretive]{said.Add("saw " + s.Key)}, nil
			}
			g.AddNode("a", func(context.Context, secretive) (graph.Update[secretive], error) {
				return graph.Update[secretive]{key.Set("hunter2")}, nil
			})
			g.AddNode("beside", tell)
			g.AddNode("b", tell)
			g.AddNode("c", tell)
			g.AddEdge(graph.Start, "a")
			g.AddEdge(graph.Start, "beside")
			g.AddEdge("a", "b")
			g.AddEdge("b", "c")
			app := compileOn(t, saver, g)
			opts := &graph.RunOptions{Thread: "1", Durability: durability, InterruptBefore: []string{"c"}}
			out, err := app.Invoke(t.Context(), graph.Update[secretive]{key.Set("first")}, opts)
			pendingIn(t, err)
			if !slices.Equal(out.Log, []string{"saw first", "saw hunter2"}) || out.Key != "hunter2" {
				t.Errorf("state %+v", out)
			}
			if s := stateOf(t, app, graph.Key{Thread: "1"}); s.State.Key != "" {
				t.Errorf("saved %q", s.State.Key)
			}
			rows := 0
			for row, err := range saver.List(t.Context(), graph.Query{Thread: "1", All: true}) {
				if rows++; err != nil || strings.Contains(strings.ReplaceAll(string(row.Data), "saw hunter2", ""), "hunter2") || strings.Contains(strings.ReplaceAll(string(row.Data), "saw first", ""), "first") {
					t.Errorf("checkpoint %s, error %v", row.Data, err)
				}
				_, records, err := saver.Load(t.Context(), graph.Key{Thread: "1", ID: row.ID})
				for _, r := range records {
					if strings.Contains(string(r.Data), "hunter2") {
						t.Errorf("record %s", r.Data)
					}
				}
				if err != nil {
					t.Error(err)
				}
			}
			if rows == 0 {
				t.Error("nothing was saved")
			}
			if out, err = app.Resume(t.Context(), nil, opts); err != nil || out.Log[2] != "saw " {
				t.Errorf("after a resume %+v, error %v", out, err)
			}
		}
	}},
}
