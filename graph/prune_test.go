package graph_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/memory"
	"pgregory.net/rapid"
)

func prunes(t testing.TB, saver graph.Checkpointer, opts *graph.PruneOptions) int {
	t.Helper()
	n, err := graph.Prune(t.Context(), saver, "1", opts)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestPrune(t *testing.T) {
	onSavers(t, func(t *testing.T, open func() graph.Checkpointer) {
		saver := open()
		app := compileOn(t, saver, abc(nil))
		if n := prunes(t, saver, nil); n != 0 {
			t.Errorf("%d removed of no thread", n)
		}
		runs(t, app, update{log.Add("in")}, on("1"))
		locked(t, saver, "1", func() error { _, err := graph.Prune(t.Context(), saver, "1", nil); return err })
		before := past(t, app, nil)
		if n := prunes(t, saver, &graph.PruneOptions{KeepLast: 2}); n != 3 {
			t.Errorf("%d removed of 3", n)
		}
		samePast(t, app, toldAll(before)[:2]...)
		if rows := past(t, app, nil); rows[1].Parent != "" || rows[0].Parent != rows[1].Key.ID {
			t.Errorf("the rows come from %q and %q", rows[1].Parent, rows[0].Parent)
		}
		if n := prunes(t, saver, nil); n != 1 {
			t.Errorf("%d removed of 1", n)
		}
		if n := prunes(t, saver, nil); n != 0 {
			t.Errorf("%d removed of the newest", n)
		}
		if out := runs(t, app, update{log.Add("more")}, on("1")); fmt.Sprint(out.Log) != "[in a b c more a b c]" {
			t.Errorf("the next turn: %v", out.Log)
		}
		if _, err := graph.Prune(t.Context(), saver, "1", &graph.PruneOptions{KeepLast: -1}); err == nil {
			t.Error("a negative number is kept")
		}
	})
}

// An update by hand is made as the node that ran last, also when only a fork is left,
// which ran no node.
func TestPruneKeepsWhoRanLast(t *testing.T) {
	saver := memory.New()
	app := compileOn(t, saver, abc(nil))
	runs(t, app, update{}, on("1"))
	opts := on("1")
	opts.Checkpoint, opts.InterruptBefore = where(t, app, "b").Key.ID, []string{"b"}
	if _, err := app.Resume(t.Context(), nil, opts); !errors.As(err, new(*graph.InterruptedError)) {
		t.Fatalf("error %v", err)
	}
	prunes(t, saver, nil)
	edits(t, app, "", "", update{log.Add("x")})
	if s := stateOf(t, app, graph.Key{Thread: "1"}); fmt.Sprint(s.Next, s.State.Log) != "[b] [a x]" {
		t.Error(told(s))
	}
}

func TestPruneOlderThan(t *testing.T) {
	saver := memory.New()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	app, err := abc(nil).Compile(&graph.CompileOptions{Checkpointer: saver, Now: func() time.Time { now = now.Add(time.Hour); return now }})
	if err != nil {
		t.Fatal(err)
	}
	runs(t, app, update{}, on("1")) // 1 to 5 o'clock
	at := time.Date(2026, 1, 1, 4, 0, 0, 0, time.UTC)
	if n := prunes(t, saver, &graph.PruneOptions{KeepLast: 4, OlderThan: at}); n != 1 {
		t.Errorf("%d removed, want the one that is neither among the last 4 nor young", n)
	}
	if n := prunes(t, saver, &graph.PruneOptions{OlderThan: at}); n != 2 {
		t.Errorf("%d removed, want 2", n)
	}
	if n := prunes(t, saver, &graph.PruneOptions{OlderThan: at.Add(24 * time.Hour)}); n != 1 {
		t.Errorf("%d removed, want all but the newest", n)
	}
}

// A subgraph's checkpoints and writes stay while its task can be resumed. They are
// removed with the task.
func TestPruneSubgraphs(t *testing.T) {
	onSavers(t, func(t *testing.T, open func() graph.Checkpointer) {
		saver := open()
		app := compileOn(t, saver, asking(t))
		turn := func(answer string) {
			if _, err := app.Invoke(t.Context(), update{}, on("1")); !errors.As(err, new(*graph.InterruptedError)) {
				t.Fatalf("error %v", err)
			}
			if answer != "" {
				opts := on("1")
				opts.Resume = []graph.Answer{graph.Reply(answer)}
				runs(t, app, nil, opts)
			}
		}
		turn("one")
		turn("")
		spaces := func() []string {
			var out []string
			for _, c := range checkpointsOf(t, saver, "1") {
				out = append(out, c.Namespace)
			}
			return slices.Compact(out)
		}
		if n := len(spaces()); n != 3 {
			t.Fatalf("%d namespaces", n)
		}
		n := prunes(t, saver, nil)
		left := checkpointsOf(t, saver, "1")
		if len(left) != 2 || !strings.HasPrefix(left[1].Namespace, "sub:") || n == 0 {
			t.Fatalf("%d removed, left are %d checkpoints in %q", n, len(left), spaces())
		}
		opts := on("1")
		opts.Resume = []graph.Answer{graph.Reply("two")}
		if out := runs(t, app, nil, opts); fmt.Sprint(out.Log) != "[a s0 s1 q:one s2 b a s0 s1 q:two s2 b]" {
			t.Errorf("resumed: %v", out.Log)
		}
		prunes(t, saver, nil)
		if left := checkpointsOf(t, saver, "1"); len(left) != 1 {
			t.Errorf("left are %d checkpoints in %q", len(left), spaces())
		}
	})
}

// No checkpoint names a Send of a command in the input.
func TestPruneKeepsWhatTheInputSent(t *testing.T) {
	saver, count := memory.New(), &calls{}
	g := wire("START -> a -> ask", map[string]node{"ask": asks("first", "first?")})
	g.AddSubgraph("sub", mustCompile(t, wire("START -> s1 -> deep", map[string]node{"s1": count.of("s1", say("s1")), "deep": asks("deep", "deep?")})))
	g.AddConditionalEdges("a", always(graph.To("ask")), "ask", "sub")
	app := compileOn(t, saver, g)
	if _, err := app.Invoke(t.Context(), update{}, on("1")); err == nil {
		t.Fatal("nothing is asked")
	}
	var stopped *graph.InterruptedError
	in := update{graph.Also[board]().Sends(send{Node: "sub", State: board{Log: []string{"sent"}}})}
	if _, err := app.Resume(t.Context(), in, on("1")); !errors.As(err, &stopped) || len(stopped.Pending) != 2 {
		t.Fatalf("error %v", err)
	}
	prunes(t, saver, nil)
	opts := on("1")
	for _, p := range stopped.Pending {
		opts.Resume = append(opts.Resume, graph.ReplyTo(p.ID, p.Node))
	}
	if out := runs(t, app, nil, opts); fmt.Sprint(out.Log) != "[a first:ask s1 deep:deep]" || count.times("s1") != 1 {
		t.Errorf("%v, s1 ran %d times", out.Log, count.times("s1"))
	}
}

// The older checkpoints of a stateful subgraph stay, since a run can continue from
// them.
func TestPruneKeepsStates(t *testing.T) {
	saver := memory.New()
	var add []graph.Checkpoint
	row := func(ns, id, parent, data string) {
		add = append(add, graph.Checkpoint{Namespace: ns, ID: id, Parent: parent, Base: id, Source: graph.SourceLoop, Data: []byte(data)})
	}
	row("", "1", "", `{"v":1,"full":true,"children":{"sub":"2"}}`)
	row("", "2", "1", `{"v":1,"full":true,"children":{"sub":"4"}}`)
	row("", "3", "2", `{"v":1,"full":true,"children":{"sub":"5"}}`)
	for i := range 6 {
		parent := ""
		if i > 0 {
			parent = fmt.Sprint(i)
		}
		row("sub", fmt.Sprint(i+1), parent, `{"v":1,"full":true}`)
	}
	row("sub/in", "1", "", `{"v":1,"full":true}`)
	if err := saver.Commit(t.Context(), "1", graph.Change{Add: add}); err != nil {
		t.Fatal(err)
	}
	if n := prunes(t, saver, &graph.PruneOptions{KeepLast: 2}); n != 4 {
		t.Errorf("%d removed of 4", n)
	}
	if n := prunes(t, saver, &graph.PruneOptions{KeepLast: 1}); n != 2 {
		t.Errorf("then %d removed of 2", n)
	}
	var left []string
	for _, c := range checkpointsOf(t, saver, "1") {
		left = append(left, c.Namespace+"@"+c.ID+"<"+c.Parent)
	}
	if fmt.Sprint(left) != "[@3< sub@6<5 sub@5< sub/in@1<]" {
		t.Errorf("left are %v", left)
	}
}

func TestDeleteRuns(t *testing.T) {
	onSavers(t, func(t *testing.T, open func() graph.Checkpointer) {
		saver := open()
		app := compileOn(t, saver, nestedGraph(t))
		for _, run := range []string{"r1", "r2", "r3"} {
			opts := on("1")
			opts.RunID = run
			runs(t, app, update{log.Add(run)}, opts)
		}
		deletes := func(names ...string) int {
			n, err := graph.DeleteRuns(t.Context(), saver, "1", names...)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		before := past(t, app, nil)
		if n := deletes("none"); n != 0 {
			t.Errorf("%d removed of an unknown run", n)
		}
		if n := deletes("r2"); n != 8 { // 4, and 4 of the subgraph
			t.Errorf("%d removed of 8", n)
		}
		rows := past(t, app, nil)
		if diff := differ(toldAll(slices.Concat(before[:4], before[8:])), toldAll(rows)); diff != "" {
			t.Errorf("left (-want +got):\n%s", diff)
		}
		if rows[3].Parent != before[8].Key.ID {
			t.Errorf("the third run comes from %s, not from %s", rows[3].Parent, before[8].Key.ID)
		}
		deletes("r3")
		if s := stateOf(t, app, graph.Key{Thread: "1"}); told(s) != told(before[8]) {
			t.Errorf("the newest is %s, not the first run's %s", told(s), told(before[8]))
		}
		if out := runs(t, app, update{log.Add("again")}, on("1")); fmt.Sprint(out.Log) != "[r1 i1 i2 o again i1 i2 o]" {
			t.Errorf("the next turn: %v", out.Log)
		}
		for _, c := range checkpointsOf(t, saver, "1") {
			deletes(c.Run)
		}
		if n := len(checkpointsOf(t, saver, "1")); n > 0 {
			t.Errorf("%d checkpoints are left", n)
		}
	})
}

// An unreadable thread does not change.
func TestPruneRefusesWhatItCannotRead(t *testing.T) {
	saver := memory.New()
	app := compileOn(t, saver, abc(nil))
	runs(t, app, update{}, on("1"))
	rows := checkpointsOf(t, saver, "1")
	rows[2].Data = []byte("{")
	if err := saver.Commit(t.Context(), "1", graph.Change{Replace: rows[2:3]}); err != nil {
		t.Fatal(err)
	}
	n, err := graph.Prune(t.Context(), saver, "1", nil)
	if n != 0 || err == nil || !strings.Contains(err.Error(), rows[2].ID) || len(checkpointsOf(t, saver, "1")) != 5 {
		t.Errorf("%d removed, error %v", n, err)
	}
}

// life lives a thread: turns, answers, forks, updates, each of random choice.
func life(t *rapid.T, app *graph.Compiled[board], thread string, now *time.Time) {
	ctx := context.Background()
	for range rapid.IntRange(1, 7).Draw(t, "events") {
		*now = now.Add(time.Minute)
		opts := &graph.RunOptions{Thread: thread, Durability: rapid.SampledFrom(durabilities).Draw(t, "durability"), RunID: rapid.SampledFrom([]string{"r1", "r2", "r3"}).Draw(t, "run")}
		var ids []string
		for s, err := range app.History(ctx, thread, nil) {
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, s.Key.ID)
		}
		var at string
		if len(ids) > 0 && rapid.Bool().Draw(t, "back") {
			at = rapid.SampledFrom(ids).Draw(t, "at")
		}
		key := graph.Key{Thread: thread, ID: at}
		var err error
		switch rapid.IntRange(0, 4).Draw(t, "event") {
		case 0, 1:
			opts.Checkpoint = at
			_, err = app.Invoke(ctx, update{log.Add("in"), x.Add(rapid.IntRange(0, 3).Draw(t, "x"))}, opts)
		case 2:
			if len(ids) > 0 {
				opts.Checkpoint = at
				_, err = app.Resume(ctx, nil, opts)
			}
		case 3:
			if len(ids) > 0 {
				_, err = app.UpdateState(ctx, key, graph.StateUpdate[board]{As: rapid.SampledFrom([]string{"a", "sub", "b", graph.End, graph.Input}).Draw(t, "as"), Update: update{log.Add("hand"), x.Add(1)}})
			}
		default:
			if s, none := app.State(ctx, graph.Key{Thread: thread}); none == nil && len(s.Interrupts) > 0 {
				opts.Resume = []graph.Answer{graph.ReplyTo(s.Interrupts[0].ID, "yes")}
				_, err = app.Resume(ctx, nil, opts)
			} else if len(ids) > 0 {
				_, err = app.Fork(ctx, key)
			}
		}
		if err != nil && !errors.As(err, new(*graph.InterruptedError)) && !errors.Is(err, graph.ErrInvalidUpdate) {
			t.Fatal(err)
		}
	}
}

// lively has lists, a reducer, a value, an ephemeral value, routes, a Send, a
// subgraph that interrupts, and two concurrent nodes.
func lively(t testing.TB) *graph.StateGraph[board] {
	child := wire("START -> s0 -> s1 -> ask -> s2", map[string]node{"s1": writes(log.Add("s1"), foo.Add("s")), "ask": func(ctx context.Context, s board) (update, error) {
		if s.X%3 == 1 {
			return asks("q", "q?")(ctx, s)
		}
		return update{hello.Set("unasked")}, nil
	}})
	g := wire("START -> a\nb c -> END", map[string]node{"a": writes(log.Add("a"), x.Add(1)), "b": writes(log.Overwrite([]string{"b"}), foo.Add("b"))})
	g.AddSubgraph("sub", mustCompile(t, child))
	g.AddConditionalEdges("a", func(_ context.Context, s board) (graph.Route, error) {
		if s.X%2 == 0 {
			return graph.Sends(send{Node: "sub", State: s}, send{Node: "sub", State: board{X: 3}}), nil
		}
		return graph.To("sub", "c"), nil
	}, "sub", "c")
	g.AddConditionalEdges("sub", func(_ context.Context, s board) (graph.Route, error) {
		if s.X > 4 {
			return graph.To("b"), nil
		}
		return graph.To(graph.End), nil
	}, "b", graph.End)
	return g
}

// The rows of a pruned thread equal those of an unpruned copy, and both threads
// continue equally from each row.
func TestPruneChangesNothingThatStays(t *testing.T) {
	g := lively(t)
	rapid.Check(t, func(t *rapid.T) {
		ctx := context.Background()
		saver := memory.New()
		now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		app, err := g.Compile(&graph.CompileOptions{Checkpointer: saver, Now: func() time.Time { return now }})
		if err != nil {
			t.Fatal(err)
		}
		life(t, app, "1", &now)
		if err := graph.CopyThread(ctx, saver, "1", "2"); errors.Is(err, graph.ErrNoCheckpoint) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
		removed := 0
		if rapid.Bool().Draw(t, "runs") {
			removed, err = graph.DeleteRuns(ctx, saver, "1", rapid.SampledFrom([]string{"r1", "r2", "r3"}).Draw(t, "deleted"))
		} else {
			opts := &graph.PruneOptions{KeepLast: rapid.IntRange(0, 5).Draw(t, "keep")}
			if rapid.Bool().Draw(t, "by age") {
				opts.OlderThan = now.Add(-time.Duration(rapid.IntRange(0, 5).Draw(t, "age")) * time.Minute)
			}
			removed, err = graph.Prune(ctx, saver, "1", opts)
		}
		if err != nil {
			t.Fatal(err)
		}
		left, all := 0, 0
		for _, err := range saver.List(ctx, graph.Query{Thread: "2", All: true}) {
			if all++; err != nil {
				t.Fatal(err)
			}
		}
		for c, err := range saver.List(ctx, graph.Query{Thread: "1", All: true}) {
			if left++; err != nil {
				t.Fatal(err)
			}
			if _, _, err := saver.Load(ctx, graph.Key{Thread: "1", Namespace: c.Namespace, ID: c.ID}); err != nil {
				t.Fatal(err)
			}
		}
		if all-left != removed {
			t.Fatalf("%d of %d are left, and %d removed", left, all, removed)
		}
		var ids []string
		for s, err := range app.History(ctx, "1", nil) {
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, s.Key.ID)
			whole, err := app.State(ctx, graph.Key{Thread: "2", ID: s.Key.ID})
			if err != nil {
				t.Fatal(err)
			}
			if diff := differ(told(whole)+fmt.Sprint(whole.Interrupts), told(s)+fmt.Sprint(s.Interrupts)); diff != "" {
				t.Fatalf("checkpoint %s:\n%s", s.Key.ID, diff)
			}
			for i, task := range s.Tasks {
				was := whole.Tasks[i]
				if task.ID != was.ID || task.Node != was.Node || task.Failure != was.Failure || task.Done && printed(task.Update) != printed(was.Update) {
					t.Fatalf("checkpoint %s, task %+v, was %+v", s.Key.ID, task, was)
				}
			}
		}
		if len(ids) == 0 {
			return
		}
		opts := graph.RunOptions{RunID: "r9"}
		if len(ids) > 1 && rapid.Bool().Draw(t, "goes back") {
			opts.Checkpoint = rapid.SampledFrom(ids[1:]).Draw(t, "to")
		} else if opts.Checkpoint = ids[0]; rapid.Bool().Draw(t, "answered") {
			s, err := app.State(ctx, graph.Key{Thread: "1", ID: ids[0]})
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range s.Interrupts {
				opts.Resume = append(opts.Resume, graph.ReplyTo(p.ID, "yes"))
			}
		}
		var ends []string
		for _, thread := range []string{"1", "2"} {
			opts.Thread = thread
			if opts.Checkpoint == ids[0] && ids[0] != newest(t, app, "2") {
				return // runs were deleted: the copy would fork where this goes on
			}
			out, err := app.Resume(ctx, nil, &opts)
			ends = append(ends, strings.ReplaceAll(fmt.Sprintf("%+v %v", out, err), `"2"`, `"1"`))
		}
		if opts.Checkpoint == ids[0] && ends[0] != ends[1] {
			t.Fatalf("going on:\n%s\nwithout pruning:\n%s", ends[0], ends[1])
		}
		if opts.Checkpoint != ids[0] && ends[0] != ends[1] {
			t.Fatalf("going back to %s:\n%s\nwithout pruning:\n%s", opts.Checkpoint, ends[0], ends[1])
		}
	})
}

func printed(u update) string {
	data, err := u.MarshalJSON()
	return fmt.Sprintf("%s %v", data, err)
}

func newest(t *rapid.T, app *graph.Compiled[board], thread string) string {
	s, err := app.State(context.Background(), graph.Key{Thread: thread})
	if err != nil {
		t.Fatal(err)
	}
	return s.Key.ID
}
