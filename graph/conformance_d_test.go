package graph_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/checkpointtest"
)

// Group D: interrupts and breakpoints.

// askBetween is a -> ask -> b.
func askBetween(c *calls) *graph.StateGraph[board] {
	return wire("START -> a -> ask -> b", c.counting(map[string]node{"a": nil, "b": nil, "ask": asks("h", "q?")}))
}

// askBeside is h1 and h2, which both ask, and then j.
func askBeside(c *calls) *graph.StateGraph[board] {
	return wire("START -> h1 h2\nh1 h2 => j", c.counting(map[string]node{"h1": asks("h1", "1?"), "h2": asks("h2", "2?"), "j": nil}))
}

var durableD = []durable{
	{"D1", func(t *testing.T, open func() graph.Checkpointer) {
		var c calls
		app := compileOn(t, open(), askBetween(&c))
		modes := graph.Values | graph.Updates
		p := play(t.Context(), app, update{}, graph.RunOptions{Thread: "1", Modes: modes})
		pendingIn(t, p.err, "ask: q?")
		said := []graph.EventKind{graph.StateValue, graph.NodeUpdate, graph.RunInterrupt}
		sameLines(t, p.pick(said...),
			`values {}`, `node_update a [{"channel":"log","op":"add","value":["a"]}]`, `values {"log":["a"]}`, `interrupt`)
		last := p.events[len(p.events)-1]
		if len(last.Interrupts) != 1 || string(last.Interrupts[0].Payload) != `"q?"` || !slices.Equal(last.Nodes, []string{"ask"}) {
			t.Errorf("interrupt event %+v", last)
		}
		s := nextOf(t, app, "1", "ask")
		if s.Step != 1 || len(s.Tasks) != 1 || len(s.Tasks[0].Interrupts) != 1 || len(s.Interrupts) != 1 || s.Interrupts[0].ID != last.Interrupts[0].ID {
			t.Errorf("state %+v", s)
		}
		p = play(t.Context(), app, nil, graph.RunOptions{Thread: "1", Resume: []graph.Answer{graph.Reply("yes")}, Modes: modes})
		if p.err != nil {
			t.Fatal(p.err)
		}
		sameLines(t, p.pick(said...), `values {"log":["a"]}`,
			`node_update ask [{"channel":"log","op":"add","value":["h:yes"]}]`, `values {"log":["a","h:yes"]}`,
			`node_update b [{"channel":"log","op":"add","value":["b"]}]`, `values {"log":["a","h:yes","b"]}`)
		c.were(t, "a1 ask2 b1")
		sameLines(t, rowsOf(t, app, "1"), `(loop,3,[],{"log":["a","h:yes","b"]})`, `(loop,2,[b],{"log":["a","h:yes"]})`,
			`(loop,1,[ask],{"log":["a"]})`, `(loop,0,[a],{})`, `(input,-1,[__start__],{})`)
		// A second turn asks again.
		_, err := app.Invoke(t.Context(), update{}, on("1"))
		if ids := pendingIn(t, err, "ask: q?"); ids[0] == last.Interrupts[0].ID {
			t.Error("two questions have one ID")
		}
	}},
	{"D2", func(t *testing.T, open func() graph.Checkpointer) {
		var c calls
		app := compileOn(t, open(), askTwice(&c))
		_, err := app.Invoke(t.Context(), update{}, on("1"))
		first := pendingIn(t, err, "n: 1?")
		nextOf(t, app, "1", "n")
		out, err := app.Resume(t.Context(), nil, on("1", graph.Reply("x")))
		second := pendingIn(t, err, "n: 2?")
		if s := nextOf(t, app, "1", "n"); first[0] == second[0] || len(out.Log)+len(s.State.Log) > 0 || len(s.Interrupts) != 1 {
			t.Errorf("IDs %s %s, state %+v", first, second, s)
		}
		out, err = app.Resume(t.Context(), nil, on("1", graph.Reply("y")))
		logged(t, out, err, "x", "y")
		c.were(t, "n3")
	}},
	{"D3", func(t *testing.T, open func() graph.Checkpointer) {
		var c calls
		app := compileOn(t, open(), askUntilValid(&c))
		_, err := app.Invoke(t.Context(), update{}, on("1"))
		pendingIn(t, err, "n: How old are you?")
		for _, age := range []int{13, 15} {
			_, err = app.Resume(t.Context(), nil, on("1", graph.Reply(age)))
			pendingIn(t, err, "n: invalid")
		}
		out, err := app.Resume(t.Context(), nil, on("1", graph.Reply(19)))
		if err != nil || out.X != 19 {
			t.Errorf("age %d, error %v", out.X, err)
		}
		c.were(t, "n4")
	}},
	{"D4", func(t *testing.T, open func() graph.Checkpointer) {
		for _, concurrency := range concurrencies {
			var c calls
			app := compileOn(t, open(), askBeside(&c))
			_, err := app.Invoke(t.Context(), update{}, &graph.RunOptions{Thread: "1", Concurrency: concurrency})
			ids := pendingIn(t, err, "h1: 1?", "h2: 2?")
			if len(ids[0]) != 32 || strings.Trim(ids[0]+ids[1], "0123456789abcdef") != "" || ids[0] == ids[1] {
				t.Errorf("IDs %q", ids)
			}
			// A scalar names no interrupt, and changes nothing.
			if _, err = app.Resume(t.Context(), nil, on("1", graph.Reply("A"))); !errors.Is(err, graph.ErrAnswer) || !strings.Contains(err.Error(), ids[1]) {
				t.Errorf("a scalar for two questions: %v", err)
			}
			_, err = app.Resume(t.Context(), nil, on("1", graph.ReplyTo(ids[0], "A")))
			if left := pendingIn(t, err, "h2: 2?"); left[0] != ids[1] {
				t.Errorf("the second question was %s and is %s", ids[1], left[0])
			}
			if s := nextOf(t, app, "1", "h2"); !slices.Equal(s.State.Log, []string{"h1:A"}) {
				t.Errorf("state %+v", s.State)
			}
			out, err := app.Resume(t.Context(), nil, on("1", graph.ReplyTo(ids[1], "B")))
			logged(t, out, err, "h1:A", "h2:B", "j")
			c.were(t, "h12 h23 j1")
		}
	}},
	{"D4/at_once", func(t *testing.T, open func() graph.Checkpointer) {
		var c calls
		app := compileOn(t, open(), askBeside(&c))
		_, err := app.Invoke(t.Context(), update{}, on("1"))
		ids := pendingIn(t, err, "h1: 1?", "h2: 2?")
		out, err := app.Resume(t.Context(), nil, on("1", graph.ReplyTo(ids[1], "B"), graph.ReplyTo(ids[0], "A")))
		logged(t, out, err, "h1:A", "h2:B", "j")
		c.were(t, "h12 h22 j1")
	}},
	{"D4/sends", func(t *testing.T, open func() graph.Checkpointer) {
		// Three tasks of one node ask; they are answered one by one, the middle first.
		var c calls
		app := compileOn(t, open(), askInSends(&c))
		_, err := app.Invoke(t.Context(), update{}, on("1"))
		ids := pendingIn(t, err, "w: a?", "w: b?", "w: c?")
		_, err = app.Resume(t.Context(), nil, on("1", graph.ReplyTo(ids[1], "B")))
		if left := pendingIn(t, err, "w: a?", "w: c?"); left[0] != ids[0] || left[1] != ids[2] {
			t.Errorf("IDs %q have become %q", ids, left)
		}
		nextOf(t, app, "1", "w", "w")
		_, err = app.Resume(t.Context(), nil, on("1", graph.ReplyTo(ids[2], "C")))
		pendingIn(t, err, "w: a?")
		out, err := app.Resume(t.Context(), nil, on("1", graph.Reply("A")))
		logged(t, out, err, "a:A", "b:B", "c:C")
		c.were(t, "w9")
	}},
	{"D4/joined", func(t *testing.T, open func() graph.Checkpointer) {
		// One node asks for two things at once.
		var c calls
		app := compileOn(t, open(), askJoined(&c))
		_, err := app.Invoke(t.Context(), update{}, on("1"))
		ids := pendingIn(t, err, "n: name?", "n: age?")
		_, err = app.Resume(t.Context(), nil, on("1", graph.ReplyTo(ids[1], 7)))
		if left := pendingIn(t, err, "n: name?"); left[0] != ids[0] {
			t.Errorf("IDs %q have become %q", ids, left)
		}
		out, err := app.Resume(t.Context(), nil, on("1", graph.Reply("Ann")))
		if logged(t, out, err, "Ann"); out.X != 7 {
			t.Errorf("age %d", out.X)
		}
		c.were(t, "n3")
	}},
	{"D4/wrong_type", func(t *testing.T, open func() graph.Checkpointer) {
		app := compileOn(t, open(), wire("START -> n ok", map[string]node{"n": func(ctx context.Context, _ board) (update, error) {
			age, err := graph.Interrupt[int](ctx, "age", "age?")
			return update{x.Add(age)}, err
		}}))
		_, err := app.Invoke(t.Context(), update{}, on("1"))
		ids := pendingIn(t, err, "n: age?")
		for range 2 {
			_, err = app.Resume(t.Context(), nil, on("1", graph.Reply("seven")))
			if again := pendingIn(t, err, "n: age?"); again[0] != ids[0] {
				t.Errorf("ID %q has become %q", ids, again)
			}
			s := nextOf(t, app, "1", "n")
			if len(s.Interrupts) != 1 || !strings.Contains(s.Interrupts[0].Problem, "not of type int") {
				t.Errorf("interrupts %+v", s.Interrupts)
			}
		}
		// Without another answer it is asked again.
		_, err = app.Resume(t.Context(), nil, on("1"))
		pendingIn(t, err, "n: age?")
		out, err := app.Resume(t.Context(), nil, on("1", graph.Reply(7)))
		if err != nil || out.X != 7 {
			t.Errorf("age %d, error %v", out.X, err)
		}
	}},
	{"D4/misfits", func(t *testing.T, open func() graph.Checkpointer) {
		var c calls
		saver := open()
		app := compileOn(t, saver, askBetween(&c))
		misfit := func(err error, part string) {
			t.Helper()
			if !errors.Is(err, graph.ErrAnswer) || !strings.Contains(err.Error(), part) {
				t.Errorf("error %v, want %v with %q", err, graph.ErrAnswer, part)
			}
		}
		_, err := app.Resume(t.Context(), nil, on("nobody", graph.Reply("x")))
		misfit(err, `thread "nobody" does not exist`)
		_, err = app.Invoke(t.Context(), update{}, on("nobody", graph.Reply("x")))
		misfit(err, `call Resume to answer`)
		_, err = app.Invoke(t.Context(), update{}, on("1"))
		ids := pendingIn(t, err, "ask: q?")
		before := rowsOf(t, app, "1")
		_, err = app.Resume(t.Context(), nil, on("1", graph.ReplyTo("0123", "x")))
		misfit(err, `no interrupt "0123" is pending`)
		_, err = app.Resume(t.Context(), nil, on("1", graph.ReplyTo(ids[0], "x"), graph.ReplyTo("0123", "y")))
		misfit(err, `no interrupt "0123" is pending`)
		_, err = app.Resume(t.Context(), nil, on("1", graph.Reply("x"), graph.Reply("y")))
		misfit(err, "it does not name its interrupt")
		_, err = app.Resume(t.Context(), nil, on("1", graph.ReplyTo(ids[0], "x"), graph.ReplyTo(ids[0], "y")))
		misfit(err, "answered twice")
		if _, err = app.Resume(t.Context(), nil, on("1", graph.Reply(func() {}))); err == nil || !strings.Contains(err.Error(), "encoding an answer") {
			t.Errorf("an answer that is no JSON: %v", err)
		}
		old := nextOf(t, app, "1", "ask").Parent
		_, err = app.Resume(t.Context(), nil, &graph.RunOptions{Thread: "1", Checkpoint: old, Resume: []graph.Answer{graph.ReplyTo(ids[0], "x")}})
		misfit(err, "asks anew")
		sameLines(t, rowsOf(t, app, "1"), before...)
		out, err := app.Resume(t.Context(), nil, on("1", graph.ReplyTo(ids[0], "ok")))
		logged(t, out, err, "a", "h:ok", "b")
		_, err = app.Resume(t.Context(), nil, on("1", graph.ReplyTo(ids[0], "again")))
		misfit(err, "nothing is pending")
		if _, err = mustCompile(t, askBetween(&c)).Resume(t.Context(), nil, on("1", graph.Reply("x"))); !errors.Is(err, graph.ErrNoCheckpointer) {
			t.Errorf("resumed without a checkpointer: %v", err)
		}
		if _, err = mustCompile(t, askBetween(&c)).Resume(t.Context(), nil, &graph.RunOptions{Resume: []graph.Answer{graph.Reply("x")}}); !errors.Is(err, graph.ErrNoCheckpointer) {
			t.Errorf("resumed without a checkpointer: %v", err)
		}
	}},
	{"D6", func(t *testing.T, open func() graph.Checkpointer) {
		var c calls
		app := compileOn(t, open(), wire("START -> ok ask", c.counting(map[string]node{"ok": nil, "ask": asks("h", "q?")})))
		_, err := app.Invoke(t.Context(), update{}, on("1"))
		ids := pendingIn(t, err, "ask: q?")
		for range 2 {
			_, err = app.Resume(t.Context(), nil, on("1"))
			if again := pendingIn(t, err, "ask: q?"); again[0] != ids[0] {
				t.Errorf("ID %q has become %q", ids, again)
			}
		}
		c.were(t, "ask3 ok1")
		out, err := app.Resume(t.Context(), nil, on("1", graph.Reply("y")))
		logged(t, out, err, "h:y", "ok")
		c.were(t, "ask4 ok1")
	}},
	{"D8", func(t *testing.T, open func() graph.Checkpointer) {
		for name, breaks := range map[string]graph.RunOptions{"before": {InterruptBefore: []string{"b"}}, "after": {InterruptAfter: []string{"a"}}} {
			for _, compiled := range []bool{false, true} {
				options := &graph.CompileOptions{Checkpointer: open()}
				if compiled {
					options.InterruptBefore, options.InterruptAfter = breaks.InterruptBefore, breaks.InterruptAfter
					breaks = graph.RunOptions{}
				}
				breaks.Thread, breaks.Modes = "1", graph.Updates
				app, err := wire("START -> a -> b", nil).Compile(options)
				if err != nil {
					t.Fatal(err)
				}
				p := play(t.Context(), app, update{}, breaks)
				pendingIn(t, p.err)
				sameLines(t, p.pick(graph.NodeUpdate, graph.RunInterrupt), `node_update a [{"channel":"log","op":"add","value":["a"]}]`, `interrupt`)
				if s := nextOf(t, app, "1", "b"); s.Step != 1 || len(s.Interrupts) > 0 || len(p.events[1].Interrupts) > 0 || !slices.Equal(p.events[1].Nodes, []string{"b"}) {
					t.Errorf("%s: state %+v, event %+v", name, s, p.events[1])
				}
				p = play(t.Context(), app, nil, breaks)
				if p.err != nil {
					t.Errorf("%s: %v", name, p.err)
				}
				sameLines(t, p.pick(graph.NodeUpdate, graph.RunInterrupt), `node_update b [{"channel":"log","op":"add","value":["b"]}]`)
				// The next turn stops there again.
				pendingIn(t, play(t.Context(), app, update{}, breaks).err)
			}
		}
	}},
	{"D8/all", func(t *testing.T, open func() graph.Checkpointer) {
		for _, quiet := range []bool{false, true} {
			nodes := map[string]node{}
			if quiet {
				nodes = map[string]node{"s1": writes(), "s2": writes()}
			}
			app := compileOn(t, open(), wire("START -> s1 -> s2", nodes))
			all := &graph.RunOptions{Thread: "1", InterruptAfter: []string{"*"}}
			_, err := app.Invoke(t.Context(), update{}, all)
			pendingIn(t, err)
			nextOf(t, app, "1", "s2")
			if _, err = app.Resume(t.Context(), nil, all); err != nil {
				t.Error(err)
			}
			nextOf(t, app, "1")
			if rows := rowsOf(t, app, "1"); len(rows) != 4 {
				t.Errorf("history %q", rows)
			}
		}
		app := compileOn(t, open(), wire("START -> s1 -> s2", nil))
		every := &graph.RunOptions{Thread: "1", InterruptBefore: []string{"*"}, InterruptAfter: []string{"*"}}
		for i, next := range []string{"s1", "s2", ""} {
			in := update(nil)
			if i == 0 {
				in = update{}
			}
			_, err := goOn(t.Context(), app, in, every)
			if next == "" {
				if err != nil {
					t.Error(err)
				}
				continue
			}
			pendingIn(t, err)
			nextOf(t, app, "1", next)
		}
	}},
	{"D8/unknown", func(t *testing.T, open func() graph.Checkpointer) {
		app := compileOn(t, open(), wire("START -> a", nil))
		if _, err := app.Invoke(t.Context(), update{}, &graph.RunOptions{Thread: "1", InterruptBefore: []string{"ghost"}}); err == nil || !strings.Contains(err.Error(), "known nodes: a") {
			t.Errorf("error %v", err)
		}
		_, err := wire("START -> a", nil).Compile(&graph.CompileOptions{InterruptAfter: []string{"ghost"}})
		var bad *graph.CompileError
		if !errors.As(err, &bad) || bad.Problems[0].Code != graph.UnknownTarget {
			t.Errorf("error %v", err)
		}
		if _, err := mustCompile(t, wire("START -> a", nil)).Invoke(t.Context(), update{}, &graph.RunOptions{InterruptBefore: []string{"a"}}); !errors.Is(err, graph.ErrNoCheckpointer) {
			t.Errorf("error %v", err)
		}
	}},
	{"D8/updated", func(t *testing.T, open func() graph.Checkpointer) {
		// An update by hand at a breakpoint: the run continues after it.
		app := compileOn(t, open(), wire("START -> a -> b -> c", nil))
		breaks := &graph.RunOptions{Thread: "1", InterruptBefore: []string{"b"}}
		_, err := app.Invoke(t.Context(), update{}, breaks)
		pendingIn(t, err)
		if _, err := app.UpdateState(t.Context(), graph.Key{Thread: "1"}, graph.StateUpdate[board]{Update: update{log.Add("fixed")}}); err != nil {
			t.Fatal(err)
		}
		out, err := app.Resume(t.Context(), nil, breaks)
		logged(t, out, err, "a", "fixed", "b", "c")
	}},
	{"D8/replayed", func(t *testing.T, open func() graph.Checkpointer) {
		// A call that names the checkpoint of the stop passes the breakpoint.
		app := compileOn(t, open(), wire("START -> a -> b -> c", nil))
		breaks := graph.RunOptions{Thread: "1", InterruptBefore: []string{"b"}}
		_, err := app.Invoke(t.Context(), update{}, &breaks)
		pendingIn(t, err)
		at := nextOf(t, app, "1", "b").Key.ID
		for range 2 {
			breaks.Checkpoint = at
			out, err := app.Resume(t.Context(), nil, &breaks)
			logged(t, out, err, "a", "b", "c")
		}
	}},
	{"D8/crash", func(t *testing.T, open func() graph.Checkpointer) {
		// The process dies after any call of the saver: the run never passes the
		// breakpoint without a stop. A saver whose answer is lost has recorded the
		// stop.
		for _, breaks := range []graph.RunOptions{{InterruptBefore: []string{"b"}}, {InterruptAfter: []string{"a"}}} {
			breaks.Thread = "1"
			crashes(t, open, func(saver graph.Checkpointer, lossy bool) {
				var c calls
				app := compileOn(t, saver, wire("START -> a -> b", c.counting(map[string]node{"a": nil, "b": nil})))
				stopped := lossy
				for range 6 {
					in, began := update(nil), c.count["a"]
					if !exists(t, app, "1") {
						in = update{}
					}
					out, err := goOn(t.Context(), app, in, &breaks)
					var stop *graph.InterruptedError
					switch {
					case c.count["b"] > 0 && (!stopped || c.count["a"] > began):
						t.Errorf("breakpoints %v: b ran before the run stopped", breaks)
					case err == nil:
						logged(t, out, err, "a", "b")
						return
					case errors.As(err, &stop):
						stopped = true
					case !errors.Is(err, checkpointtest.ErrFault):
						t.Error(err)
					}
				}
				t.Error("the run does not end")
			})
		}
	}},
	{"D9", func(t *testing.T, open func() graph.Checkpointer) {
		g := wire("START -> a", nil)
		g.AddNode("w", sayFoo("w"))
		g.AddConditionalEdges("a", always(graph.Sends(to("w", "0", "1")...)), "w")
		app := compileOn(t, open(), g)
		breaks := &graph.RunOptions{Thread: "1", InterruptBefore: []string{"w"}}
		out, err := app.Invoke(t.Context(), update{}, breaks)
		pendingIn(t, err)
		if s := nextOf(t, app, "1", "w", "w"); !slices.Equal(out.Log, []string{"a"}) || !slices.Equal(s.State.Log, out.Log) {
			t.Errorf("log %q, state %q", out.Log, s.State.Log)
		}
		out, err = app.Resume(t.Context(), nil, breaks)
		logged(t, out, err, "a", "w|0", "w|1")
	}},
	{"D10", func(t *testing.T, open func() graph.Checkpointer) {
		app := compileOn(t, open(), wire("START -> n", map[string]node{"n": asks("n", "q?")}))
		_, err := app.Invoke(t.Context(), update{log.Add("0")}, on("1"))
		pendingIn(t, err, "n: q?")
		out, err := app.Resume(t.Context(), update{log.Add("u")}, on("1", graph.Reply("r")))
		logged(t, out, err, "0", "u", "n:r")
		sameLines(t, rowsOf(t, app, "1"), `(loop,1,[],{"log":["0","u","n:r"]})`, `(loop,0,[n],{"log":["0"]})`, `(input,-1,[__start__],{})`)
	}},
	{"D10/goto", func(t *testing.T, open func() graph.Checkpointer) {
		suffix := func(s string) node { return writes(foo.Add(s)) }
		app := compileOn(t, open(), wire("START -> node1 -> node2", map[string]node{"node1": suffix("|1"), "node2": suffix("|2")}))
		breaks := &graph.RunOptions{Thread: "1", InterruptBefore: []string{"node1"}}
		_, err := app.Invoke(t.Context(), update{foo.Add("abc")}, breaks)
		pendingIn(t, err)
		out, err := app.Resume(t.Context(), update{goTo("node2")}, on("1"))
		if err != nil || out.Foo != "abc|1|2|2" {
			t.Errorf("foo %q, error %v", out.Foo, err)
		}
	}},
	{"D10/refused", func(t *testing.T, open func() graph.Checkpointer) {
		// A wrong update given with an answer leaves the interrupt pending.
		app := compileOn(t, open(), wire("START -> n", map[string]node{"n": asks("n", "q?")}))
		_, err := app.Invoke(t.Context(), update{}, on("1"))
		pendingIn(t, err, "n: q?")
		var bad *graph.CommandError
		if _, err = app.Resume(t.Context(), update{goTo("ghost")}, on("1", graph.Reply("r"))); !errors.As(err, &bad) {
			t.Errorf("error %v", err)
		}
		if _, err = app.Resume(t.Context(), update{hello.Set("1"), hello.Set("2")}, on("1", graph.Reply("r"))); !errors.Is(err, graph.ErrInvalidUpdate) {
			t.Errorf("error %v", err)
		}
		if s := nextOf(t, app, "1", "n"); len(s.Interrupts) != 1 {
			t.Errorf("interrupts %+v", s.Interrupts)
		}
		out, err := app.Resume(t.Context(), nil, on("1", graph.Reply("r")))
		logged(t, out, err, "n:r")
	}},
	{"D10/update_survives", func(t *testing.T, open func() graph.Checkpointer) {
		// The update given with the first of two answers stays for the second.
		app := compileOn(t, open(), askBeside(&calls{}))
		_, err := app.Invoke(t.Context(), update{}, on("1"))
		ids := pendingIn(t, err, "h1: 1?", "h2: 2?")
		_, err = app.Resume(t.Context(), update{x.Add(1), log.Add("u1")}, on("1", graph.ReplyTo(ids[0], "A")))
		pendingIn(t, err, "h2: 2?")
		if s := nextOf(t, app, "1", "h2"); s.State.X != 1 || !slices.Equal(s.State.Log, []string{"u1", "h1:A"}) {
			t.Errorf("state %+v", s.State)
		}
		out, err := app.Resume(t.Context(), update{x.Add(10), log.Add("u2")}, on("1", graph.Reply("B")))
		if logged(t, out, err, "u1", "u2", "h1:A", "h2:B", "j"); out.X != 11 {
			t.Errorf("x is %d", out.X)
		}
		if s := stateOf(t, app, graph.Key{Thread: "1"}); !slices.Equal(s.State.Log, out.Log) || s.State.X != 11 {
			t.Errorf("saved %+v", s.State)
		}
	}},
	{"D12", func(t *testing.T, open func() graph.Checkpointer) {
		app := compileOn(t, open(), wire("START -> ok ask", map[string]node{"ask": asks("h", "q?")}))
		_, err := app.Invoke(t.Context(), update{}, on("1"))
		pendingIn(t, err, "ask: q?")
		if _, err := app.UpdateState(t.Context(), graph.Key{Thread: "1"}, graph.StateUpdate[board]{As: graph.End}); err != nil {
			t.Fatal(err)
		}
		s := nextOf(t, app, "1")
		if s.Source != graph.SourceUpdate || s.Step != 1 || len(s.Interrupts) > 0 || len(s.Tasks) > 0 || !slices.Equal(s.State.Log, []string{"ok"}) {
			t.Errorf("state %+v", s)
		}
		if _, err = app.Resume(t.Context(), nil, on("1", graph.Reply("late"))); !errors.Is(err, graph.ErrAnswer) {
			t.Errorf("error %v", err)
		}
	}},
	{"D12/new_input", func(t *testing.T, open func() graph.Checkpointer) {
		// A new input drops the interrupt, and keeps its sibling's writes.
		app := compileOn(t, open(), wire("START -> ok ask", map[string]node{"ask": asks("h", "q?")}))
		_, err := app.Invoke(t.Context(), update{}, on("1"))
		old := pendingIn(t, err, "ask: q?")
		out, err := app.Invoke(t.Context(), update{log.Add("in")}, on("1"))
		if ids := pendingIn(t, err, "ask: q?"); ids[0] == old[0] || !slices.Equal(out.Log, []string{"ok", "in", "ok"}) {
			t.Errorf("IDs %q and %q, log %q", old, ids, out.Log)
		}
		if _, err = app.Resume(t.Context(), nil, on("1", graph.ReplyTo(old[0], "late"))); !errors.Is(err, graph.ErrAnswer) {
			t.Errorf("error %v", err)
		}
		out, err = app.Resume(t.Context(), nil, on("1", graph.Reply("y")))
		logged(t, out, err, "ok", "in", "h:y", "ok")
	}},
	{"D13", func(t *testing.T, open func() graph.Checkpointer) {
		for _, beside := range []bool{false, true} {
			var c calls
			app := compileOn(t, open(), askWithPolicies(&c, beside))
			_, err := app.Invoke(t.Context(), update{}, on("1"))
			pendingIn(t, err, "ask: q?")
			c.were(t, "ask1")
			if s := nextOf(t, app, "1", "ask"); len(s.Interrupts) != 1 || s.Tasks[0].Failure != "" {
				t.Errorf("state %+v", s)
			}
			out, err := app.Resume(t.Context(), nil, on("1", graph.Reply("y")))
			logged(t, out, err, "h:y")
			c.were(t, "ask2")
		}
	}},
	{"D13/fails_behind_it", func(t *testing.T, open func() graph.Checkpointer) {
		// A node that fails after its answer is tried again with the answer, and its
		// handler may ask for itself: with the same key it means another question.
		var c calls
		g := newBoard()
		g.AddNode("n", func(ctx context.Context, _ board) (update, error) {
			answer, err := graph.Interrupt[string](ctx, "q", "go on?")
			if err != nil {
				return nil, err
			}
			c.note("n")
			return nil, fmt.Errorf("no luck with %q", answer)
		}, options{Retry: twice, OnError: func(ctx context.Context, _ board, failure error) (update, error) {
			c.note("handler")
			answer, err := graph.Interrupt[string](ctx, "q", "what now?")
			if err != nil {
				return nil, err
			}
			return update{log.Add("handled:" + answer)}, nil
		}})
		g.AddEdge(graph.Start, "n")
		app := compileOn(t, open(), g)
		_, err := app.Invoke(t.Context(), update{}, on("1"))
		pendingIn(t, err, "n: go on?")
		_, err = app.Resume(t.Context(), nil, on("1", graph.Reply("yes")))
		pendingIn(t, err, "n: what now?")
		c.were(t, "handler1 n2")
		out, err := app.Resume(t.Context(), nil, on("1", graph.Reply("nothing")))
		logged(t, out, err, "handled:nothing")
		c.were(t, "handler2 n2")
	}},
	{"D13/swallowed", func(t *testing.T, open func() graph.Checkpointer) {
		// A node that continues without the answer fails, and its update is dropped.
		for _, beside := range []bool{false, true} {
			var c calls
			g := newBoard()
			g.AddNode("n", func(ctx context.Context, _ board) (update, error) {
				c.note("n")
				answer, _ := graph.Interrupt[string](ctx, "q", "q?")
				return update{log.Add("answer:" + answer)}, nil
			}, options{Retry: twice, OnError: rescues()})
			g.AddEdge(graph.Start, "n")
			if beside {
				g.AddNode("z", writes())
				g.AddEdge(graph.Start, "z")
			}
			app := compileOn(t, open(), g)
			out, err := app.Invoke(t.Context(), update{}, on("1"))
			var failed *graph.NodeError
			if !errors.Is(err, graph.ErrInterruptIgnored) || !errors.As(err, &failed) || failed.Node != "n" || len(out.Log) > 0 {
				t.Errorf("log %q, error %v", out.Log, err)
			}
			c.were(t, "n1")
			s := stateOf(t, app, graph.Key{Thread: "1"})
			if s.Next[0] != "n" || !strings.Contains(s.Tasks[0].Failure, "interrupt ignored") || len(s.State.Log) > 0 {
				t.Errorf("state %+v", s)
			}
		}
	}},
	{"D13/swallowed_below", func(t *testing.T, open func() graph.Checkpointer) {
		// The same for a node that calls a graph and drops its interrupt.
		for _, persist := range []graph.Persistence{graph.PersistPerRun, graph.PersistNever} {
			child, err := wire("START -> s", map[string]node{"s": asks("s", "q?")}).Compile(&graph.CompileOptions{Persistence: persist})
			if err != nil {
				t.Fatal(err)
			}
			app := compileOn(t, open(), wire("START -> n", map[string]node{"n": func(ctx context.Context, _ board) (update, error) {
				out, _ := child.Invoke(ctx, update{}, nil)
				return update{log.Add(out.Log...)}, nil
			}}))
			if _, err := app.Invoke(t.Context(), update{}, on("1")); !errors.Is(err, graph.ErrInterruptIgnored) {
				t.Errorf("persistence %d: error %v", persist, err)
			}
		}
	}},
	{"D14", func(t *testing.T, open func() graph.Checkpointer) {
		var c calls
		g := newBoard()
		g.AddNode("ask", c.of("ask", asks("h", "q?")), options{Retry: []graph.RetryPolicy{{InitialInterval: ms}}})
		g.AddEdge(graph.Start, "ask")
		if _, err := mustCompile(t, g).Invoke(t.Context(), update{}, nil); !errors.Is(err, graph.ErrNoCheckpointer) {
			t.Errorf("error %v", err)
		}
		c.were(t, "ask1")
		if _, err := graph.Interrupt[string](t.Context(), "q", "q?"); !errors.Is(err, graph.ErrNoCheckpointer) {
			t.Errorf("outside a run: %v", err)
		}
		app := compileOn(t, open(), g)
		if _, err := app.Invoke(t.Context(), update{}, nil); !errors.Is(err, graph.ErrNoThread) {
			t.Errorf("without a thread: %v", err)
		}
	}},
	{"D/payload", func(t *testing.T, open func() graph.Checkpointer) {
		type form struct {
			Title  string   `json:"title"`
			Fields []string `json:"fields"`
		}
		app := compileOn(t, open(), wire("START -> n", map[string]node{"n": func(ctx context.Context, s board) (update, error) {
			if s.X == 0 {
				_, err := graph.Interrupt[form](ctx, "bad", func() {})
				return nil, err
			}
			got, err := graph.Interrupt[form](ctx, "form", form{"t", []string{"a", "b"}})
			return update{log.Add(got.Title), log.Add(got.Fields...)}, err
		}}))
		if _, err := app.Invoke(t.Context(), update{}, on("1")); err == nil || !strings.Contains(err.Error(), `encoding the payload of interrupt "bad"`) {
			t.Errorf("error %v", err)
		}
		_, err := app.Invoke(t.Context(), update{x.Add(1)}, on("2"))
		var stopped *graph.InterruptedError
		var got form
		if !errors.As(err, &stopped) || json.Unmarshal(stopped.Pending[0].Payload, &got) != nil || differ(form{"t", []string{"a", "b"}}, got) != "" {
			t.Errorf("error %v, payload %+v", err, got)
		}
		if want := `run of thread "2" interrupted, waiting for "form" of node "n"`; err.Error() != want {
			t.Errorf("error %q, want %q", err, want)
		}
		out, err := app.Resume(t.Context(), nil, on("2", graph.Reply(form{"u", []string{"c"}})))
		logged(t, out, err, "u", "c")
	}},
}
