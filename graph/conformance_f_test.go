package graph_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/assay/graph"
)

// Group F: the state API, time travel, durability. Updates by hand are in
// conformance_update_test.go.

// abc is a -> b -> c.
func abc(nodes map[string]node) *graph.StateGraph[board] { return wire("START -> a -> b -> c", nodes) }

var durableF = []durable{
	{"F1", func(t *testing.T, open func() graph.Checkpointer) {
		count := &calls{}
		app := compileOn(t, open(), abc(map[string]node{"a": count.of("a", say("a")), "b": count.of("b", say("b")), "c": count.of("c", say("c"))}))
		runs(t, app, update{}, on("1"))
		before := past(t, app, nil)
		at := where(t, app, "b")
		opts := on("1")
		opts.Checkpoint = at.Key.ID
		if out := runs(t, app, nil, opts); !slices.Equal(out.Log, []string{"a", "b", "c"}) {
			t.Errorf("replayed: %v", out.Log)
		}
		if count.times("a") != 1 || count.times("b") != 2 || count.times("c") != 2 {
			t.Errorf("ran a %d, b %d, c %d", count.times("a"), count.times("b"), count.times("c"))
		}
		after := past(t, app, nil)
		sameLines(t, toldAll(after)[:3], `(loop,4,[],{"log":["a","b","c"]})`, `(loop,3,[c],{"log":["a","b"]})`, `(fork,2,[b],{"log":["a"]})`)
		if diff := differ(describeAll(t, before), describeAll(t, after[3:])); diff != "" {
			t.Errorf("the rows before have changed:\n%s", diff)
		}
		if after[2].Parent != at.Key.ID {
			t.Errorf("the fork comes from %s, not from %s", after[2].Parent, at.Key.ID)
		}
		opts.Checkpoint = after[0].Key.ID
		runs(t, app, nil, opts)
		if n := len(past(t, app, nil)); n != 8 {
			t.Errorf("going on from the end makes %d rows of 8", n)
		}
		opts.Checkpoint = before[0].Key.ID // an end that is not the newest
		runs(t, app, nil, opts)
		if n := len(past(t, app, nil)); n != 8 {
			t.Errorf("going on from an older end makes %d rows of 8", n)
		}
	}},
	{"F1/input", func(t *testing.T, open func() graph.Checkpointer) {
		app := compileOn(t, open(), abc(nil))
		runs(t, app, update{log.Add("in")}, on("1"))
		opts := on("1")
		opts.Checkpoint = where(t, app, graph.Start).Key.ID
		if out := runs(t, app, nil, opts); !slices.Equal(out.Log, []string{"in", "a", "b", "c"}) {
			t.Errorf("replayed from the input: %v", out.Log)
		}
		sameLines(t, toldAll(past(t, app, nil))[3:5], `(loop,1,[a],{"log":["in"]})`, `(fork,0,[__start__],{})`)
	}},
	{"F1/turn", func(t *testing.T, open func() graph.Checkpointer) {
		// An input at an earlier checkpoint is a turn that begins there.
		for _, mode := range durabilities {
			app := compileOn(t, open(), abc(nil))
			runs(t, app, update{}, on("1"))
			first := stateOf(t, app, graph.Key{Thread: "1"}).Key.ID
			runs(t, app, update{log.Add("2")}, on("1"))
			opts := on("1")
			opts.Checkpoint, opts.Durability = first, mode
			if out := runs(t, app, update{log.Add("3")}, opts); fmt.Sprint(out.Log) != "[a b c 3 a b c]" {
				t.Errorf("durability %d: %v", mode, out.Log)
			}
			if s := stateOf(t, app, graph.Key{Thread: "1"}); fmt.Sprint(s.State.Log) != "[a b c 3 a b c]" {
				t.Errorf("durability %d, saved: %v", mode, s.State.Log)
			}
		}
	}},
	{"F1/unknown", func(t *testing.T, open func() graph.Checkpointer) {
		app := compileOn(t, open(), abc(nil))
		if _, err := app.State(t.Context(), graph.Key{Thread: "1"}); !errors.Is(err, graph.ErrNoCheckpoint) {
			t.Errorf("state of no thread: %v", err)
		}
		runs(t, app, update{}, on("1"))
		opts := on("1")
		opts.Checkpoint = "99"
		for _, in := range []update{nil, {}} {
			if _, err := goOn(t.Context(), app, in, opts); !errors.Is(err, graph.ErrNoCheckpoint) || !strings.Contains(err.Error(), "99") {
				t.Errorf("error %v", err)
			}
		}
		if n := len(past(t, app, nil)); n != 5 {
			t.Errorf("%d rows", n)
		}
	}},
	{"F8", func(t *testing.T, open func() graph.Checkpointer) {
		app := compileOn(t, open(), loopTo(4)())
		first := on("1")
		first.RunID, first.Metadata = "first", map[string]string{"user": "u1", "tier": "free"}
		runs(t, app, update{x.Add(1)}, first)
		xs := func(opts *graph.HistoryOptions) string {
			var out []int
			for _, s := range past(t, app, opts) {
				out = append(out, s.State.X)
			}
			return fmt.Sprint(out)
		}
		all := past(t, app, nil)
		for _, c := range []struct {
			opts *graph.HistoryOptions
			want string
		}{
			{nil, "[4 3 2 1 0]"},
			{&graph.HistoryOptions{Limit: 2}, "[4 3]"},
			{&graph.HistoryOptions{Before: all[2].Key.ID}, "[1 0]"},
			{&graph.HistoryOptions{Before: all[0].Key.ID, Limit: 1}, "[3]"},
			{&graph.HistoryOptions{Source: graph.SourceInput}, "[0]"},
			{&graph.HistoryOptions{Source: graph.SourceUpdate}, "[]"},
			{&graph.HistoryOptions{Run: "first", Limit: 1}, "[4]"},
			{&graph.HistoryOptions{Run: "second"}, "[]"},
			{&graph.HistoryOptions{Metadata: map[string]string{"user": "u1"}, Limit: 1}, "[4]"},
			{&graph.HistoryOptions{Metadata: map[string]string{"user": "u1", "tier": "paid"}}, "[]"},
			{&graph.HistoryOptions{Namespace: "elsewhere"}, "[]"},
		} {
			if got := xs(c.opts); got != c.want {
				t.Errorf("%+v: %s, want %s", c.opts, got, c.want)
			}
		}
		for i, s := range all {
			if i > 0 && s.Key.ID >= all[i-1].Key.ID {
				t.Errorf("%s comes after %s", s.Key.ID, all[i-1].Key.ID)
			}
			again := stateOf(t, app, s.Key)
			if diff := differ(describeAll(t, all[i:i+1]), describeAll(t, []*graph.StateSnapshot[board]{again})); diff != "" {
				t.Errorf("State and History differ:\n%s", diff)
			}
		}
		if got := shown(t, stateOf(t, app, all[1].Key)); len(got) != 1 || got[0] != `a [{"channel":"x","op":"add","value":1}]` {
			t.Errorf("tasks of the row before the last: %q", got)
		}
	}},
	{"F10", func(t *testing.T, open func() graph.Checkpointer) {
		for mode, want := range map[graph.Durability]int{graph.DurabilitySync: 4, graph.DurabilityAsync: 4, graph.DurabilityExit: 1} {
			app := compileOn(t, open(), wire("START -> a -> b", nil))
			opts := on("1")
			opts.Durability = mode
			runs(t, app, update{}, opts)
			rows := toldAll(past(t, app, nil))
			if len(rows) != want || rows[0] != `(loop,2,[],{"log":["a","b"]})` {
				t.Errorf("durability %d: %q", mode, rows)
			}
		}
	}},
	{"F10/interrupt", func(t *testing.T, open func() graph.Checkpointer) {
		app := compileOn(t, open(), wire("START -> a -> ask -> b", map[string]node{"ask": asks("q", "q?")}))
		opts := on("1")
		opts.Durability = graph.DurabilityExit
		var stopped *graph.InterruptedError
		if _, err := app.Invoke(t.Context(), update{}, opts); !errors.As(err, &stopped) || len(stopped.Pending) != 1 {
			t.Fatalf("error %v", err)
		}
		samePast(t, app, `(loop,1,[ask],{"log":["a"]})`)
		sameLines(t, shown(t, stateOf(t, app, graph.Key{Thread: "1"})), "ask asks q")
		opts.Resume = []graph.Answer{graph.Reply("yes")}
		if out := runs(t, app, nil, opts); fmt.Sprint(out.Log) != "[a q:yes b]" {
			t.Errorf("resumed: %v", out.Log)
		}
		samePast(t, app, `(loop,3,[],{"log":["a","q:yes","b"]})`, `(loop,1,[ask],{"log":["a"]})`)
	}},
	{"F10/failure", func(t *testing.T, open func() graph.Checkpointer) {
		count, broken := &calls{}, true
		app := compileOn(t, open(), wire("START -> a -> b c -> d", map[string]node{"a": count.of("a", say("a")), "c": count.of("c", say("c")),
			"b": func(ctx context.Context, s board) (update, error) {
				if broken {
					for count.times("c") == 0 && ctx.Err() == nil { // c is not stopped by it
					}
					return nil, errBoom
				}
				return say("b")(ctx, s)
			}}))
		opts := on("1")
		opts.Durability = graph.DurabilityExit
		if _, err := app.Invoke(t.Context(), update{}, opts); !errors.Is(err, errBoom) {
			t.Fatalf("error %v", err)
		}
		samePast(t, app, `(loop,1,[b c],{"log":["a"]})`)
		broken = false
		if out := runs(t, app, nil, opts); fmt.Sprint(out.Log) != "[a b c d]" {
			t.Errorf("resumed: %v", out.Log)
		}
		if n := len(past(t, app, nil)); n != 2 || count.times("a") != 1 {
			t.Errorf("%d rows, a ran %d times", n, count.times("a"))
		}
	}},
	{"F10/fork", func(t *testing.T, open func() graph.Checkpointer) {
		app := compileOn(t, open(), abc(nil))
		runs(t, app, update{log.Add("in")}, on("1"))
		runs(t, app, update{log.Add("more")}, on("1"))
		var at *graph.StateSnapshot[board]
		for _, s := range past(t, app, nil) {
			if slices.Equal(s.Next, []string{"b"}) {
				at = s // the first turn's, since it is the oldest
			}
		}
		opts := on("1")
		opts.Checkpoint, opts.Durability = at.Key.ID, graph.DurabilityExit
		out := runs(t, app, nil, opts)
		s := stateOf(t, app, graph.Key{Thread: "1"})
		if fmt.Sprint(out.Log) != "[in a b c]" || differ(out, s.State) != "" || s.Parent != at.Key.ID {
			t.Errorf("ran to %v, saved %s from %s, want from %s", out.Log, told(s), s.Parent, at.Key.ID)
		}
	}},
	{"F11", func(t *testing.T, open func() graph.Checkpointer) {
		word := "old"
		app := compileOn(t, open(), abc(map[string]node{"c": func(context.Context, board) (update, error) { return update{log.Add(word)}, nil }}))
		runs(t, app, update{}, on("1"))
		before := describeAll(t, past(t, app, nil))
		word = "new"
		opts := on("1")
		opts.Checkpoint = where(t, app, "c").Key.ID
		if out := runs(t, app, nil, opts); fmt.Sprint(out.Log) != "[a b new]" {
			t.Errorf("%v", out.Log)
		}
		after := past(t, app, nil)
		sameLines(t, toldAll(after)[:2], `(loop,4,[],{"log":["a","b","new"]})`, `(fork,3,[c],{"log":["a","b"]})`)
		if diff := differ(before, describeAll(t, after[2:])); diff != "" {
			t.Errorf("the rows before have changed:\n%s", diff)
		}
	}},
	{"F12", func(t *testing.T, open func() graph.Checkpointer) {
		for _, mode := range durabilities {
			saver := open()
			app := compileOn(t, saver, nestedGraph(t))
			opts := on("1")
			opts.RunID, opts.Metadata, opts.Durability = "r1", map[string]string{"user": "u"}, mode
			runs(t, app, update{}, opts)
			var child string
			for _, s := range past(t, app, nil) {
				if slices.Equal(s.Next, []string{"inner"}) {
					child = s.Tasks[0].Child.Namespace
				}
			}
			if mode == graph.DurabilityExit { // then only the end is saved
				child = ""
			}
			for _, ns := range []string{"", child} {
				n := 0
				for c, err := range saver.List(t.Context(), graph.Query{Thread: "1", Namespace: ns}) {
					if n++; err != nil || c.Run != "r1" || c.Metadata["user"] != "u" {
						t.Errorf("durability %d: checkpoint %s of %q has run %q, metadata %v, error %v", mode, c.ID, ns, c.Run, c.Metadata, err)
					}
				}
				if n == 0 {
					t.Errorf("durability %d: nothing is saved in %q", mode, ns)
				}
			}
		}
	}},
	{"F13", func(t *testing.T, open func() graph.Checkpointer) {
		begun, release := make(chan struct{}), make(chan struct{})
		app := compileOn(t, open(), wire("START -> a", map[string]node{"a": func(context.Context, board) (update, error) {
			begun <- struct{}{}
			<-release
			return update{log.Add("a")}, nil
		}}))
		done := make(chan error)
		go func() {
			_, err := app.Invoke(context.WithoutCancel(t.Context()), update{}, on("1"))
			done <- err
		}()
		<-begun
		if _, err := app.Invoke(t.Context(), update{log.Add("second")}, on("1")); !errors.Is(err, graph.ErrThreadBusy) || !strings.Contains(err.Error(), `"1"`) {
			t.Errorf("a second run: %v", err)
		}
		if _, err := app.UpdateState(t.Context(), graph.Key{Thread: "1"}, graph.StateUpdate[board]{Update: update{}}); !errors.Is(err, graph.ErrThreadBusy) {
			t.Errorf("an update beside it: %v", err)
		}
		if s := stateOf(t, app, graph.Key{Thread: "1"}); s.Step != 0 {
			t.Errorf("reading beside it: %s", told(s))
		}
		close(release)
		if err := <-done; err != nil {
			t.Error(err)
		}
		samePast(t, app, `(loop,1,[],{"log":["a"]})`, `(loop,0,[a],{})`, `(input,-1,[__start__],{})`)
	}},
}

var durabilities = []graph.Durability{graph.DurabilitySync, graph.DurabilityAsync, graph.DurabilityExit}

// describeAll prints snapshots with all that must not change.
func describeAll(t testing.TB, list []*graph.StateSnapshot[board]) []string {
	t.Helper()
	var out []string
	for _, s := range list {
		out = append(out, fmt.Sprintf("%s<-%s %s %v %s %q %v", s.Key, s.Parent, told(s), s.Time, s.Run, shown(t, s), s.Metadata))
	}
	return out
}
