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
)

// The threads that the cases of the other groups leave.

// past is a thread's history, newest first.
func past(t testing.TB, app *graph.Compiled[board], opts *graph.HistoryOptions) []*graph.StateSnapshot[board] {
	t.Helper()
	var out []*graph.StateSnapshot[board]
	for s, err := range app.History(t.Context(), "1", opts) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, s)
	}
	return out
}

// told prints a snapshot as "(source,step,next,values)".
func told(s *graph.StateSnapshot[board]) string {
	values, _ := json.Marshal(s.State)
	return fmt.Sprintf("(%s,%d,%v,%s)", s.Source, s.Step, s.Next, values)
}

func toldAll(list []*graph.StateSnapshot[board]) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = told(s)
	}
	return out
}

// where is the newest row with these nodes next.
func where(t testing.TB, app *graph.Compiled[board], next ...string) *graph.StateSnapshot[board] {
	t.Helper()
	for _, s := range past(t, app, nil) {
		if slices.Equal(s.Next, next) {
			return s
		}
	}
	t.Fatalf("no row goes on at %v", next)
	return nil
}

// samePast compares a thread's history with rows, newest first.
func samePast(t testing.TB, app *graph.Compiled[board], want ...string) {
	t.Helper()
	if diff := differ(want, toldAll(past(t, app, nil))); diff != "" {
		t.Errorf("history (-want +got):\n%s", diff)
	}
}

// runs runs a thread, or resumes it without an input, and expects no error.
func runs(t testing.TB, app *graph.Compiled[board], in update, opts *graph.RunOptions) board {
	t.Helper()
	out, err := goOn(t.Context(), app, in, opts)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// shown are the tasks of a snapshot: "node update", with what failed or waits.
func shown(t testing.TB, s *graph.StateSnapshot[board]) []string {
	t.Helper()
	var out []string
	for _, k := range s.Tasks {
		one := k.Node
		if k.Done {
			data, err := k.Update.MarshalJSON()
			if err != nil {
				t.Fatal(err)
			}
			one += " " + string(data)
		}
		if k.Failure != "" {
			one += " failed: " + k.Failure
		}
		for _, p := range k.Interrupts {
			one += " asks " + p.Key
		}
		out = append(out, one)
	}
	return out
}

func breaks(context.Context, board) (update, error) { return nil, errBoom }

const setWorld = `[{"channel":"hello","op":"set","value":"world"}]`

var durableState = []durable{
	{"A3/thread", func(t *testing.T, open func() graph.Checkpointer) {
		world := writes(hello.Set("world"))
		count := &calls{}
		app := compileOn(t, open(), wire("START -> a -> b c", map[string]node{"a": world, "b": count.of("b", world), "c": count.of("c", world)}))
		for _, in := range []update{{}, nil} {
			_, err := goOn(t.Context(), app, in, on("1"))
			var conflict *graph.ConflictError
			if !errors.As(err, &conflict) || conflict.Channel != "hello" {
				t.Fatalf("error %v, want a conflict", err)
			}
		}
		if count.times("b") != 1 || count.times("c") != 1 {
			t.Errorf("b ran %d times and c %d", count.times("b"), count.times("c"))
		}
		samePast(t, app, `(loop,1,[b c],{"hello":"world"})`, `(loop,0,[a],{})`, `(input,-1,[__start__],{})`)
		s := stateOf(t, app, graph.Key{Thread: "1"})
		if !errors.Is(s.Conflict, graph.ErrInvalidUpdate) || s.State.Hello != "world" || !slices.Equal(s.Next, []string{"b", "c"}) {
			t.Errorf("%s, conflict %v", told(s), s.Conflict)
		}
		sameLines(t, shown(t, s), "b "+setWorld, "c "+setWorld)
		// New input recovers, and so does an update by hand.
		if _, err := app.Invoke(t.Context(), update{hello.Set("anew")}, on("1")); !errors.Is(err, graph.ErrInvalidUpdate) {
			t.Fatalf("error %v", err)
		}
		if s := stateOf(t, app, graph.Key{Thread: "1"}); s.State.Hello != "world" || s.Step != 4 {
			t.Errorf("after a second turn: %s", told(s))
		}
		if _, err := app.UpdateState(t.Context(), graph.Key{Thread: "1"}, graph.StateUpdate[board]{As: "b", Update: update{hello.Set("by hand")}}); err != nil {
			t.Fatal(err)
		}
		if s := stateOf(t, app, graph.Key{Thread: "1"}); s.Conflict != nil || s.State.Hello != "by hand" || len(s.Next) > 0 {
			t.Errorf("after an update by hand: %s, conflict %v", told(s), s.Conflict)
		}
	}},
	{"A14/history", func(t *testing.T, open func() graph.Checkpointer) {
		app := compileOn(t, open(), wire("START -> a -> b", map[string]node{"a": writes(foo.Add("a1"), foo.Add("a2")), "b": writes(foo.Add("b"))}))
		runs(t, app, update{}, on("1"))
		samePast(t, app, `(loop,2,[],{"foo":"a1a2b"})`, `(loop,1,[b],{"foo":"a1a2"})`, `(loop,0,[a],{})`, `(input,-1,[__start__],{})`)
		sameLines(t, shown(t, where(t, app, "a")), `a [{"channel":"foo","op":"add","value":"a1"},{"channel":"foo","op":"add","value":"a2"}]`)
		sameLines(t, shown(t, stateOf(t, app, where(t, app, "b").Key)), `b [{"channel":"foo","op":"add","value":"b"}]`)
	}},
	{"A16/state", func(t *testing.T, open func() graph.Checkpointer) {
		var r row
		for _, one := range rowsA() {
			if one.id == "A16" {
				r = one
			}
		}
		app := compileOn(t, open(), r.build())
		if diff := differ(board{Out: "px!"}, runs(t, app, r.in, on("1"))); diff != "" {
			t.Errorf("what the run returns (-want +got):\n%s", diff)
		}
		want := board{Inp: "x", Priv: "px", Out: "px!", Hello: "0", Seen: []string{"unread"}}
		if diff := differ(want, stateOf(t, app, graph.Key{Thread: "1"}).State); diff != "" {
			t.Errorf("state (-want +got):\n%s", diff)
		}
	}},
	{"A17/thread", func(t *testing.T, open func() graph.Checkpointer) {
		app := compileOn(t, open(), wire("START -> a", nil))
		runs(t, app, update{log.Add("1"), hello.Set("keep")}, on("1"))
		out := runs(t, app, update{log.Add("2")}, on("1"))
		if diff := differ(board{Log: []string{"1", "a", "2", "a"}, Hello: "keep"}, out); diff != "" {
			t.Error(diff)
		}
		samePast(t, app,
			`(loop,4,[],{"log":["1","a","2","a"],"hello":"keep"})`,
			`(loop,3,[a],{"log":["1","a","2"],"hello":"keep"})`,
			`(input,2,[__start__],{"log":["1","a"],"hello":"keep"})`,
			`(loop,1,[],{"log":["1","a"],"hello":"keep"})`,
			`(loop,0,[a],{"log":["1"],"hello":"keep"})`,
			`(input,-1,[__start__],{})`)
	}},
	{"B1/history", func(t *testing.T, open func() graph.Checkpointer) {
		app := compileOn(t, open(), loopTo(6)())
		opts := on("1")
		opts.Modes = graph.Values | graph.Updates
		p := play(t.Context(), app, update{x.Add(1)}, *opts)
		want := []string{`values {"x":1}`}
		rows := []string{`(input,-1,[__start__],{})`}
		for n := 1; n <= 6; n++ {
			next := "a"
			if n == 6 {
				next = ""
			} else {
				want = append(want, `node_update a [{"channel":"x","op":"add","value":1}]`, fmt.Sprintf(`values {"x":%d}`, n+1))
			}
			rows = append(rows, fmt.Sprintf(`(loop,%d,[%s],{"x":%d})`, n-1, next, n))
		}
		sameLines(t, p.pick(graph.NodeUpdate, graph.StateValue), want...)
		slices.Reverse(rows)
		samePast(t, app, rows...)
	}},
	{"B2/thread", func(t *testing.T, open func() graph.Checkpointer) {
		count := &calls{}
		app := compileOn(t, open(), wire("START -> a -> a", map[string]node{"a": count.of("a", writes(x.Add(1)))}))
		opts := on("1")
		opts.RecursionLimit = 5
		_, err := app.Invoke(t.Context(), update{}, opts)
		overLimit(t, err, 5, "a")
		if s := stateOf(t, app, graph.Key{Thread: "1"}); told(s) != `(loop,5,[a],{"x":5})` || count.times("a") != 5 {
			t.Errorf("%s, a ran %d times", told(s), count.times("a"))
		}
		_, err = app.Resume(t.Context(), nil, opts)
		overLimit(t, err, 5, "a")
		if s := stateOf(t, app, graph.Key{Thread: "1"}); told(s) != `(loop,10,[a],{"x":10})` || count.times("a") != 10 {
			t.Errorf("resumed: %s, a ran %d times", told(s), count.times("a"))
		}
	}},
	{"B3/resume", func(t *testing.T, open func() graph.Checkpointer) {
		app := compileOn(t, open(), chain(7))
		opts := on("1")
		opts.RecursionLimit = 3
		for _, next := range []string{"n03", "n06"} { // a call that goes on has the whole limit again
			in := update{}
			if next != "n03" {
				in = nil
			}
			_, err := goOn(t.Context(), app, in, opts)
			overLimit(t, err, 3, next)
		}
		if out := runs(t, app, nil, opts); len(out.Log) != 7 {
			t.Errorf("%v", out.Log)
		}
		exact := compileOn(t, open(), chain(6))
		_, err := exact.Invoke(t.Context(), update{}, opts)
		overLimit(t, err, 3, "n03")
		if out := runs(t, exact, nil, opts); len(out.Log) != 6 {
			t.Errorf("a resumed run of as many supersteps as the limit: %v", out.Log)
		}
	}},
	{"B5/thread", func(t *testing.T, open func() graph.Checkpointer) {
		g := newBoard()
		g.AddSubgraph("sub", mustCompile(t, loopTo(8)()))
		g.AddEdge(graph.Start, "sub")
		app := compileOn(t, open(), g)
		opts := on("1")
		opts.RecursionLimit = 5
		_, err := app.Invoke(t.Context(), update{}, opts)
		overLimit(t, err, 5, "a")
		if s := stateOf(t, app, graph.Key{Thread: "1"}); s.Step != 0 || !strings.Contains(s.Tasks[0].Failure, "5 supersteps") {
			t.Errorf("%s, tasks %q", told(s), shown(t, s))
		}
		if out := runs(t, app, nil, opts); out.X != 8 { // the child goes on with its sixth
			t.Errorf("resumed: %+v", out)
		}
		samePast(t, app, `(loop,1,[],{"x":8})`, `(loop,0,[sub],{})`, `(input,-1,[__start__],{})`)
		tight := on("1")
		tight.Thread, tight.RecursionLimit = "2", 10
		runs(t, app, update{}, tight)
	}},
	{"G1/checkpoints", func(t *testing.T, open func() graph.Checkpointer) {
		app := compileOn(t, open(), wire("START -> a -> b", map[string]node{"a": func(ctx context.Context, _ board) (update, error) {
			return update{log.Add("a")}, graph.Emit(ctx, "hi", "a")
		}}))
		opts := on("1")
		opts.Modes = graph.Values | graph.Updates | graph.Custom | graph.Tasks | graph.Checkpoints
		p := play(t.Context(), app, update{}, *opts)
		var got []string
		for _, ev := range p.events {
			one := line(ev)
			if ev.Kind == graph.CheckpointSaved {
				one = fmt.Sprintf("checkpoint %d %s %v", ev.Step, ev.Source, ev.Nodes)
			}
			got = append(got, one)
		}
		// The update is a task's result. What a superstep has made is shown when
		// it is made, and then it is saved.
		sameLines(t, got,
			"checkpoint -1 input [__start__]", "values {}", "checkpoint 0 loop [a]",
			"node_start a", `custom a hi="a"`, `node_update a [{"channel":"log","op":"add","value":["a"]}]`,
			`values {"log":["a"]}`, "checkpoint 1 loop [b]",
			"node_start b", `node_update b [{"channel":"log","op":"add","value":["b"]}]`,
			`values {"log":["a","b"]}`, "checkpoint 2 loop []")
		rows := past(t, app, nil)
		for i, ev := range slices.DeleteFunc(p.events, func(ev graph.Event[board]) bool { return ev.Kind != graph.CheckpointSaved }) {
			if s := rows[len(rows)-1-i]; s.Key.ID != ev.Checkpoint || s.Parent != ev.Parent {
				t.Errorf("event of %s from %s, saved is %s from %s", ev.Checkpoint, ev.Parent, s.Key.ID, s.Parent)
			}
		}
	}},
	{"G3", func(t *testing.T, open func() graph.Checkpointer) {
		app := compileOn(t, open(), wire("START -> a -> b", nil))
		opts := on("1")
		opts.InterruptBefore = []string{"b"}
		if _, err := app.Invoke(t.Context(), update{}, opts); err == nil {
			t.Fatal("the run does not stop")
		}
		opts = on("1")
		opts.Modes = graph.Values
		p := play(t.Context(), app, nil, *opts)
		sameLines(t, p.pick(graph.StateValue), `values {"log":["a"]}`, `values {"log":["a","b"]}`)
	}},
	{"G4/state", func(t *testing.T, open func() graph.Checkpointer) {
		app := compileOn(t, open(), wire("START -> a -> b -> c", map[string]node{"b": breaks}))
		opts := on("1")
		opts.Modes = graph.Updates | graph.Tasks
		p := play(t.Context(), app, update{}, *opts)
		if !errors.Is(p.err, errBoom) {
			t.Fatalf("error %v", p.err)
		}
		sameLines(t, p.pick(graph.NodeUpdate, graph.NodeFailed),
			`node_update a [{"channel":"log","op":"add","value":["a"]}]`, `node_error b error: running node "b" in step 2: boom`)
		s := stateOf(t, app, graph.Key{Thread: "1"})
		if told(s) != `(loop,1,[b],{"log":["a"]})` {
			t.Error(told(s))
		}
		sameLines(t, shown(t, s), "b failed: boom")
	}},
}
