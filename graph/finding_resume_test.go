package graph_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/memory"
)

// Invoke begins a turn and Resume continues a thread. Neither does the other's
// work.
func TestFindingE15ResumingIsACallOfItsOwn(t *testing.T) {
	app := compileOn(t, memory.New(), wire("START -> a -> ask -> b", map[string]node{"ask": asks("h", "q?")}))
	refused := func(what string, err, is error, part string) {
		t.Helper()
		if !errors.Is(err, is) || !strings.Contains(err.Error(), part) {
			t.Errorf("%s: %v; want %v that says %q", what, err, is, part)
		}
	}
	_, err := app.Resume(t.Context(), nil, on("1"))
	refused("resuming what is not there", err, graph.ErrEmptyInput, "does not exist")
	_, err = app.Invoke(t.Context(), update{}, on("1"))
	pendingIn(t, err, "ask: q?")
	_, err = app.Invoke(t.Context(), nil, on("1"))
	refused("no input for a thread that waits", err, graph.ErrEmptyInput, "call Resume")
	_, err = app.Invoke(t.Context(), nil, on("1", graph.Reply("yes")))
	refused("an answer to Invoke", err, graph.ErrAnswer, "call Resume")
	_, err = app.Invoke(t.Context(), update{graph.Goto[board]("b")}, on("1"))
	refused("a command to Invoke", err, graph.ErrInvalidUpdate, "command")
	if p := play(t.Context(), app, update{}, graph.RunOptions{Thread: "1", Resume: []graph.Answer{graph.Reply("yes")}}); !errors.Is(p.err, graph.ErrAnswer) {
		t.Errorf("an answer to Stream: %v", p.err)
	}
	if s := nextOf(t, app, "1", "ask"); len(s.Interrupts) != 1 {
		t.Errorf("what was refused changed the thread: %+v", s)
	}
	_, err = app.Resume(t.Context(), update{log.Add("u")}, on("1"))
	pendingIn(t, err, "ask: q?")
	out, err := app.Resume(t.Context(), nil, on("1", graph.Reply("yes")))
	logged(t, out, err, "a", "u", "h:yes", "b")
	out, err = app.Resume(t.Context(), nil, on("1"))
	logged(t, out, err, "a", "u", "h:yes", "b") // nothing was left to run
	_, err = app.Invoke(t.Context(), nil, on("1"))
	refused("no input for a thread at rest", err, graph.ErrEmptyInput, "nothing left to run")
	// A turn begins, whatever is pending.
	_, err = app.Invoke(t.Context(), update{}, on("1"))
	pendingIn(t, err, "ask: q?")
	if out, err = app.Invoke(t.Context(), update{}, on("1")); len(out.Log) != 6 {
		t.Errorf("log %q, error %v", out.Log, err)
	}
	if _, err = mustCompile(t, wire("START -> a -> ask -> b", map[string]node{"ask": asks("h", "q?")})).Resume(t.Context(), nil, nil); !errors.Is(err, graph.ErrNoCheckpointer) {
		t.Errorf("without a checkpointer: %v", err)
	}
}

// An update by hand ends a superstep as if the tasks that wait had returned it:
// what the finished tasks lead to runs next.
func TestFindingE16AnUpdateByHandKeepsWhatFinishedTasksLeadTo(t *testing.T) {
	ask := map[string]node{"b": asks("b", "q?"), "b2": asks("b2", "q?")}
	jumping := wire("START -> b\nc d e -> END", ask)
	jumping.AddNode("a", writes(graph.Goto[board]("d").Sends(send{Node: "c"})), options{Goto: []string{"c", "d"}})
	jumping.AddEdge(graph.Start, "a")
	jumping.AddEdge("a", "e")
	routing := wire("START -> a b\nlow high -> END", map[string]node{"a": writes(x.Add(1)), "b": ask["b"]})
	routing.AddConditionalEdges("a", func(_ context.Context, s board) (graph.Route, error) {
		return graph.To([]string{"low", "high"}[min(s.X, 2)-1]), nil
	}, "low", "high")
	deferring := wire("START -> a b -> d", ask)
	deferring.AddNode("c", say("c"), options{Defer: true})
	deferring.AddEdge("a", "c")
	for _, c := range []struct {
		name  string
		graph *graph.StateGraph[board]
		as    []string
		next  string
	}{
		{"edges", wire("START -> a b\na -> c\nb -> d", ask), []string{"b"}, "[c d]"},
		{"as a finished task", wire("START -> a b\na -> c\nb -> d", ask), []string{"a"}, "[c]"},
		{"as another node", wire("START -> a b\na -> c\nb -> d -> e", ask), []string{"d"}, "[c e]"},
		{"as Start", wire("START -> a b\na -> c\nb -> d", ask), []string{graph.Start}, "[a b c]"},
		{"as End", wire("START -> a b\na -> c\nb -> d", ask), []string{graph.End}, "[]"},
		{"one of two that wait", wire("START -> a b b2\na -> c\nb -> d\nb2 -> e", ask), []string{"b"}, "[c d]"},
		{"both that wait", wire("START -> a b b2\na -> c\nb -> d\nb2 -> e", ask), []string{"b2", "b"}, "[c d e]"},
		{"join", wire("START -> a b\na b => c", ask), []string{"b"}, "[c]"},
		{"Goto and Sends", jumping, []string{"b"}, "[d c]"},
		{"routers on the task's own state", routing, []string{"b"}, "[low]"},
		{"deferred", deferring, []string{"b"}, "[d]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			app := compileOn(t, memory.New(), c.graph)
			if _, err := app.Invoke(t.Context(), update{}, on("1")); !graph.IsInterrupt(err) {
				t.Fatalf("error %v", err)
			}
			if _, err := app.UpdateState(t.Context(), graph.Key{Thread: "1"}, graph.StateUpdate[board]{Update: update{}}); !errors.Is(err, graph.ErrInvalidUpdate) {
				t.Errorf("an update as nobody: %v", err)
			}
			var by []graph.StateUpdate[board]
			for _, as := range c.as {
				by = append(by, graph.StateUpdate[board]{As: as, Update: update{x.Add(1)}})
			}
			if _, err := app.BulkUpdateState(t.Context(), graph.Key{Thread: "1"}, [][]graph.StateUpdate[board]{by}); err != nil {
				t.Fatal(err)
			}
			if s := stateOf(t, app, graph.Key{Thread: "1"}); fmt.Sprint(s.Next) != c.next || len(s.Interrupts) > 0 {
				t.Errorf("next %v, interrupts %v; want %s", s.Next, s.Interrupts, c.next)
			}
		})
	}
}

// The ID of an interrupt belongs to one checkpoint of one thread, and stays.
func TestFindingD15IDsOfInterruptsAreUnique(t *testing.T) {
	in := func(persist graph.Persistence) *graph.StateGraph[board] {
		child, err := wire("START -> q", map[string]node{"q": asks("q", "q?")}).Compile(&graph.CompileOptions{Persistence: persist})
		if err != nil {
			t.Fatal(err)
		}
		g := newBoard()
		g.AddSubgraph("n", child)
		g.AddEdge(graph.Start, "n")
		return g
	}
	handled := newBoard()
	handled.AddNode("n", func(context.Context, board) (update, error) { return nil, errors.New("bad") },
		options{OnError: func(ctx context.Context, s board, _ error) (update, error) { return asks("n", "q?")(ctx, s) }})
	handled.AddEdge(graph.Start, "n")
	for name, g := range map[string]*graph.StateGraph[board]{
		"node": wire("START -> n", map[string]node{"n": asks("n", "q?")}), "handler": handled,
		"subgraph": in(graph.PersistPerRun), "subgraph with a state": in(graph.PersistAlways), "subgraph that saves nothing": in(graph.PersistNever),
	} {
		for _, mode := range durabilities {
			t.Run(fmt.Sprint(name, mode), func(t *testing.T) {
				saver, seen := memory.New(), map[string]string{}
				app := compileOn(t, saver, g)
				ask := func(app *graph.Compiled[board], in update, what string, opts graph.RunOptions) string {
					t.Helper()
					opts.Durability = mode
					_, err := goOn(t.Context(), app, in, &opts)
					var stopped *graph.InterruptedError
					if !errors.As(err, &stopped) || len(stopped.Pending) != 1 {
						t.Fatalf("%s: error %v", what, err)
					}
					id := stopped.Pending[0].ID
					if other := seen[id]; len(id) != 32 || other != "" {
						t.Errorf("%s: ID %q, as %s", what, id, other)
					}
					return id
				}
				first := ask(app, update{}, "thread 1", graph.RunOptions{Thread: "1", RunID: "r"})
				for range 2 {
					if id := ask(compileOn(t, saver, g), nil, "another process", graph.RunOptions{Thread: "1"}); id != first {
						t.Errorf("asked again: %s, was %s", id, first)
					}
				}
				if s := stateOf(t, app, graph.Key{Thread: "1"}); s.Interrupts[0].ID != first {
					t.Errorf("State has %s, and the error %s", s.Interrupts[0].ID, first)
				}
				seen[first] = "thread 1"
				seen[ask(app, update{}, "thread 2", graph.RunOptions{Thread: "2", RunID: "r"})] = "thread 2"
				seen[ask(compileOn(t, memory.New(), g), update{}, "another store", graph.RunOptions{Thread: "1"})] = "another store"
				before := stateOf(t, app, graph.Key{Thread: "1"}).Key.ID
				if _, err := app.Fork(t.Context(), graph.Key{Thread: "1"}); err != nil {
					t.Fatal(err)
				}
				seen[ask(app, nil, "a fork", graph.RunOptions{Thread: "1"})] = "a fork"
				ask(app, nil, "an older checkpoint", graph.RunOptions{Thread: "1", Checkpoint: before})
			})
		}
	}
}

// A copied thread has the questions and the answers of its original.
func TestFindingD16ACopiedThreadKeepsItsAnswers(t *testing.T) {
	saver := memory.New()
	app := compileOn(t, saver, askTwice(new(calls)))
	_, err := app.Invoke(t.Context(), update{}, on("1"))
	pendingIn(t, err, "n: 1?")
	_, err = app.Resume(t.Context(), nil, on("1", graph.Reply("x")))
	id := pendingIn(t, err, "n: 2?")[0]
	if err := graph.CopyThread(t.Context(), saver, "1", "2"); err != nil {
		t.Fatal(err)
	}
	out, err := app.Resume(t.Context(), nil, on("2", graph.ReplyTo(id, "y")))
	logged(t, out, err, "x", "y")
}

// The error of a run that waits, its events and State say the same, also when
// siblings have finished. A resumed stream shows what these returned.
func TestFindingD17EveryViewOfAPauseIsTheSame(t *testing.T) {
	nodes := map[string]node{"b": asks("b", "q?"), "c": writes(hello.Set("c")), "c2": writes(hello.Set("c2"))}
	in := func(child *graph.StateGraph[board]) *graph.StateGraph[board] {
		child.Output(log)
		g := wire("START -> a", nil)
		g.AddSubgraph("n", mustCompile(t, child))
		g.AddEdge(graph.Start, "n")
		return g
	}
	for name, c := range map[string]struct {
		graph  *graph.StateGraph[board]
		next   string
		cached int
	}{
		"siblings": {wire("START -> a b", nodes), "[b]", 1},
		"conflict": {wire("START -> b c c2", nodes), "[b c c2]", 2},
		"subgraph": {in(wire("START -> a b c", nodes)), "[n]", 3},
	} {
		for _, mode := range durabilities {
			t.Run(fmt.Sprint(name, mode), func(t *testing.T) {
				app := compileOn(t, memory.New(), c.graph)
				opts := graph.RunOptions{Thread: "1", Durability: mode}
				same := func(p played, breakpoint bool) {
					t.Helper()
					s := stateOf(t, app, graph.Key{Thread: "1"})
					if breakpoint { // State has the question, and the run does not ask it again
						s.Interrupts = nil
					}
					var stopped *graph.InterruptedError
					if !errors.As(p.err, &stopped) || fmt.Sprint(s.Next) != c.next || differ(s.Next, stopped.Next) != "" || differ(idsOf(s.Interrupts), idsOf(stopped.Pending)) != "" {
						t.Errorf("State has next %v and %v, the error %v", s.Next, s.Interrupts, p.err)
					}
					shown := board{}
					for _, ev := range p.events {
						switch {
						case ev.Namespace != "":
						case ev.Kind == graph.StateValue:
							shown = ev.State
						case ev.Kind == graph.RunInterrupt || ev.Kind == graph.RunEnd:
							if differ(s.Next, ev.Nodes) != "" || ev.Kind == graph.RunInterrupt && differ(idsOf(s.Interrupts), idsOf(ev.Interrupts)) != "" {
								t.Errorf("State has next %v, and %s %v %v", s.Next, ev.Kind, ev.Nodes, ev.Interrupts)
							}
						}
					}
					if differ(s.State, p.final)+differ(s.State, shown) != "" {
						t.Errorf("State has %+v, the run %+v, its last event %+v", s.State, p.final, shown)
					}
				}
				same(play(t.Context(), app, update{}, opts), false)
				same(play(t.Context(), app, nil, opts), false)
				opts.InterruptBefore = []string{"*"}
				same(play(t.Context(), app, nil, opts), true)
				opts.InterruptBefore, opts.Modes, opts.Resume = nil, graph.Updates, []graph.Answer{graph.Reply("y")}
				cached := 0
				for _, ev := range play(t.Context(), app, nil, opts).events {
					if ev.Cached {
						cached++
					}
				}
				if cached != c.cached {
					t.Errorf("%d cached updates, want %d", cached, c.cached)
				}
			})
		}
	}
}

// A graph inside a node that waits goes on from a checkpoint that was added by
// hand, or from a copy of an older one. After that nobody would see an edit.
func TestFindingF11EditsInsideASubgraph(t *testing.T) {
	for _, persist := range []graph.Persistence{graph.PersistPerRun, graph.PersistAlways} {
		for _, mode := range durabilities {
			t.Run(fmt.Sprint(persist, mode), func(t *testing.T) {
				saver := memory.New()
				child, err := wire("START -> i -> q -> e", map[string]node{"q": asks("q", "q?")}).Compile(&graph.CompileOptions{Persistence: persist})
				if err != nil {
					t.Fatal(err)
				}
				g := wire("START -> z", nil)
				g.AddSubgraph("n", child)
				g.AddEdge(graph.Start, "n")
				app := compileOn(t, saver, g)
				child = child.With(saver)
				_, err = app.Invoke(t.Context(), update{}, &graph.RunOptions{Thread: "1", Durability: mode})
				pendingIn(t, err, "q: q?")
				key := stateOf(t, app, graph.Key{Thread: "1"}).Tasks[0].Child
				before := stateOf(t, child, key)
				if _, err := child.UpdateState(t.Context(), key, graph.StateUpdate[board]{As: "q", Update: update{log.Add("hand")}}); err != nil {
					t.Fatal(err)
				}
				if s := stateOf(t, child, key); fmt.Sprint(s.Next, s.State.Log) != "[e] [i hand]" {
					t.Errorf("updated: %v %v", s.Next, s.State.Log)
				}
				if err := graph.CopyThread(t.Context(), saver, "1", "2"); err != nil {
					t.Fatal(err)
				}
				out, err := app.Resume(t.Context(), nil, &graph.RunOptions{Thread: "1", Durability: mode})
				logged(t, out, err, "i", "hand", "e", "z")
				sub, _ := app.App().Subgraph("n")
				if _, err := sub.UpdateState(t.Context(), key, []graph.AppUpdate{{As: "q"}}); !errors.Is(err, graph.ErrInvalidUpdate) || !strings.Contains(err.Error(), "Fork of this key") {
					t.Errorf("an update of a graph that has ended: %v", err)
				}
				// The thread that has ended, and its copy, which has not, go back to the question.
				// The copied thread goes back to the question.
				for _, thread := range []string{"1", "2"} {
					before.Key.Thread = thread
					if _, err := child.Fork(t.Context(), before.Key); err != nil {
						t.Fatal(err)
					}
					_, err = app.Resume(t.Context(), nil, &graph.RunOptions{Thread: thread, Durability: mode})
					id := pendingIn(t, err, "q: q?")[0]
					out, err = app.Resume(t.Context(), nil, &graph.RunOptions{Thread: thread, Durability: mode, Resume: []graph.Answer{graph.ReplyTo(id, "y")}})
					logged(t, out, err, "i", "q:y", "e", "z")
				}
			})
		}
	}
}
