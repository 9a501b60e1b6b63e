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

// Group F: threads that are changed by hand.

// edits updates thread 1 by hand, at a checkpoint or its newest.
func edits(t testing.TB, app *graph.Compiled[board], at, as string, u update) graph.Key {
	t.Helper()
	key, err := app.UpdateState(t.Context(), graph.Key{Thread: "1", ID: at}, graph.StateUpdate[board]{As: as, Update: u})
	if err != nil {
		t.Fatal(err)
	}
	return key
}

var durableUpdate = []durable{
	{"F2", func(t *testing.T, open func() graph.Checkpointer) {
		n := 0
		app := compileOn(t, open(), abc(map[string]node{"b": func(context.Context, board) (update, error) {
			n++
			return update{log.Add(fmt.Sprint("b", n))}, nil
		}}))
		runs(t, app, update{}, on("1"))
		before := describeAll(t, past(t, app, nil))
		at := where(t, app, "b")
		key := edits(t, app, at.Key.ID, "", update{log.Add("x")})
		s := stateOf(t, app, graph.Key{Thread: "1"})
		if s.Key != key || s.Parent != at.Key.ID || told(s) != `(update,2,[b],{"log":["a","x"]})` {
			t.Errorf("the tip is %s from %s, want %s from %s", told(s), s.Parent, key, at.Key)
		}
		if out := runs(t, app, nil, on("1")); fmt.Sprint(out.Log) != "[a x b2 c]" {
			t.Errorf("%v", out.Log)
		}
		rows := past(t, app, nil)
		if len(rows) != 8 {
			t.Errorf("%d rows", len(rows))
		}
		if diff := differ(before, describeAll(t, rows[3:])); diff != "" {
			t.Errorf("the rows before have changed:\n%s", diff)
		}
		// A second fork of the same row knows nothing of the first.
		edits(t, app, at.Key.ID, "", update{log.Add("y")})
		if out := runs(t, app, nil, on("1")); fmt.Sprint(out.Log) != "[a y b3 c]" {
			t.Errorf("the second fork: %v", out.Log)
		}
		if s := stateOf(t, app, rows[0].Key); fmt.Sprint(s.State.Log) != "[a x b2 c]" {
			t.Errorf("the first fork is now %v", s.State.Log)
		}
	}},
	{"F3", func(t *testing.T, open func() graph.Checkpointer) {
		app := compileOn(t, open(), abc(nil))
		edits(t, app, "", "a", update{log.Add("seed")})
		samePast(t, app, `(update,0,[b],{"log":["seed"]})`)
		if out := runs(t, app, nil, on("1")); fmt.Sprint(out.Log) != "[seed b c]" {
			t.Errorf("%v", out.Log)
		}
	}},
	{"F3/as_input", func(t *testing.T, open func() graph.Checkpointer) {
		app := compileOn(t, open(), abc(nil))
		edits(t, app, "", "", update{log.Add("seed")})
		if s := stateOf(t, app, graph.Key{Thread: "1"}); fmt.Sprint(s.Next, s.State.Log) != "[a] [seed]" {
			t.Error(told(s))
		}
		if out := runs(t, app, nil, on("1")); fmt.Sprint(out.Log) != "[seed a b c]" {
			t.Errorf("%v", out.Log)
		}
	}},
	{"F3/ambiguous", func(t *testing.T, open func() graph.Checkpointer) {
		app := compileOn(t, open(), wire("START -> x y -> z", nil))
		opts := on("1")
		opts.InterruptAfter = []string{"x"}
		if _, err := app.Invoke(t.Context(), update{}, opts); !errors.As(err, new(*graph.InterruptedError)) {
			t.Fatalf("error %v", err)
		}
		_, err := app.UpdateState(t.Context(), graph.Key{Thread: "1"}, graph.StateUpdate[board]{Update: update{}})
		if !errors.Is(err, graph.ErrInvalidUpdate) || !strings.Contains(err.Error(), "ambiguous") || !strings.Contains(err.Error(), "x, y") {
			t.Errorf("error %v", err)
		}
		_, err = app.UpdateState(t.Context(), graph.Key{Thread: "1"}, graph.StateUpdate[board]{As: "ghost"})
		if !errors.Is(err, graph.ErrInvalidUpdate) || !strings.Contains(err.Error(), "known nodes: x, y, z") {
			t.Errorf("error %v", err)
		}
		if n := len(past(t, app, nil)); n != 3 {
			t.Errorf("refused updates leave %d rows", n)
		}
		edits(t, app, "", "x", update{log.Add("more")})
		if out := runs(t, app, nil, on("1")); fmt.Sprint(out.Log) != "[x y more z]" {
			t.Errorf("%v", out.Log)
		}
	}},
	{"F3/routes", func(t *testing.T, open func() graph.Checkpointer) {
		g := wire("START -> a\nlo hi -> END", nil)
		g.AddConditionalEdges("a", func(_ context.Context, s board) (graph.Route, error) {
			if s.X >= 10 {
				return graph.To("hi"), nil
			}
			return graph.To("lo"), nil
		}, "lo", "hi")
		app := compileOn(t, open(), g)
		edits(t, app, "", "a", update{x.Add(10)})
		if s := stateOf(t, app, graph.Key{Thread: "1"}); fmt.Sprint(s.Next) != "[hi]" {
			t.Error(told(s))
		}
		if out := runs(t, app, nil, on("1")); fmt.Sprint(out.Log) != "[hi]" {
			t.Errorf("%v", out.Log)
		}
	}},
	{"F3/command", func(t *testing.T, open func() graph.Checkpointer) {
		g := wire("START -> a\nb -> c", nil)
		g.AddNode("lead", say("lead"), options{Goto: []string{"b", "c"}})
		g.AddEdge("a", "lead")
		app := compileOn(t, open(), g)
		runs(t, app, update{}, on("1"))
		edits(t, app, "", "lead", update{log.Add("x"), graph.Goto[board]("c")})
		if s := stateOf(t, app, graph.Key{Thread: "1"}); told(s) != `(update,3,[c],{"log":["a","lead","x"]})` {
			t.Error(told(s))
		}
		edits(t, app, "", graph.End, nil)
		if s := stateOf(t, app, graph.Key{Thread: "1"}); told(s) != `(update,4,[],{"log":["a","lead","x"]})` {
			t.Error(told(s))
		}
	}},
	{"F6", func(t *testing.T, open func() graph.Checkpointer) {
		app := compileOn(t, open(), wire("START -> a -> ask -> b", map[string]node{"ask": asks("q", "q?")}))
		var stopped *graph.InterruptedError
		if _, err := app.Invoke(t.Context(), update{}, on("1")); !errors.As(err, &stopped) {
			t.Fatalf("error %v", err)
		}
		opts := on("1")
		opts.Resume = []graph.Answer{graph.Reply("first")}
		runs(t, app, nil, opts)
		at := where(t, app, "ask")
		key, err := app.Fork(t.Context(), at.Key)
		if err != nil {
			t.Fatal(err)
		}
		s := stateOf(t, app, graph.Key{Thread: "1"})
		if s.Key != key || s.Source != graph.SourceFork || s.Parent != at.Parent || s.Step != at.Step || len(s.Interrupts) > 0 {
			t.Errorf("the copy is %s of %s, parent %s", told(s), s.Key, s.Parent)
		}
		var again *graph.InterruptedError
		if _, err := app.Resume(t.Context(), nil, on("1")); !errors.As(err, &again) || again.Pending[0].ID == stopped.Pending[0].ID {
			t.Fatalf("the interrupt must be asked anew: %v", err)
		}
		opts.Resume = []graph.Answer{graph.Reply("second")}
		if out := runs(t, app, nil, opts); fmt.Sprint(out.Log) != "[a q:second b]" {
			t.Errorf("%v", out.Log)
		}
		if _, err := app.Fork(t.Context(), graph.Key{Thread: "none"}); !errors.Is(err, graph.ErrNoCheckpoint) {
			t.Errorf("a fork of nothing: %v", err)
		}
	}},
	{"F6/every_row", func(t *testing.T, open func() graph.Checkpointer) {
		app := compileOn(t, open(), abc(nil))
		runs(t, app, update{log.Add("in")}, on("1"))
		for _, s := range past(t, app, nil) {
			key, err := app.Fork(t.Context(), s.Key)
			if err != nil {
				t.Fatal(err)
			}
			copied := stateOf(t, app, key)
			if fmt.Sprint(copied.State, copied.Next, copied.Step, copied.Parent) != fmt.Sprint(s.State, s.Next, s.Step, s.Parent) {
				t.Errorf("the copy of %s is %s", told(s), told(copied))
			}
			if out := runs(t, app, nil, on("1")); fmt.Sprint(out.Log) != "[in a b c]" {
				t.Errorf("going on from the copy of %s: %v", told(s), out.Log)
			}
		}
	}},
	{"F9", func(t *testing.T, open func() graph.Checkpointer) {
		app := compileOn(t, open(), abc(nil))
		bulk := func(steps ...[]graph.StateUpdate[board]) error {
			_, err := app.BulkUpdateState(t.Context(), graph.Key{Thread: "1"}, steps)
			return err
		}
		one := func(as string, u ...graph.Write[board]) []graph.StateUpdate[board] {
			return []graph.StateUpdate[board]{{As: as, Update: u}}
		}
		if err := bulk(one("a", log.Add("1")), one("b", log.Add("2"))); err != nil {
			t.Fatal(err)
		}
		samePast(t, app, `(update,1,[c],{"log":["1","2"]})`, `(update,0,[b],{"log":["1"]})`)
		for name, err := range map[string]error{
			"no supersteps":      bulk(),
			"an empty superstep": bulk([]graph.StateUpdate[board]{}),
			"no node named":      bulk(one("a"), one("")),
			"input beside":       bulk(slices.Concat(one(graph.Input), one("a"))),
			"unknown node":       bulk(one("ghost")),
		} {
			if !errors.Is(err, graph.ErrInvalidUpdate) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}},
	{"F9/all_or_nothing", func(t *testing.T, open func() graph.Checkpointer) {
		app := compileOn(t, open(), abc(nil))
		_, err := app.BulkUpdateState(t.Context(), graph.Key{Thread: "1"}, [][]graph.StateUpdate[board]{{{As: "a", Update: update{log.Add("1")}}}, {{As: "ghost"}}})
		if !errors.Is(err, graph.ErrInvalidUpdate) {
			t.Errorf("error %v", err)
		}
		if n := len(past(t, app, nil)); n != 0 {
			t.Errorf("%d rows of a refused update", n)
		}
	}},
	{"F9/replay", func(t *testing.T, open func() graph.Checkpointer) {
		g := wire("START -> a b -> c", map[string]node{"a": writes(x.Add(1), log.Add("a")), "b": writes(x.Add(2), log.Add("b"))})
		real := compileOn(t, open(), g)
		runs(t, real, update{log.Add("in"), x.Add(5)}, on("1"))
		byHand := compileOn(t, open(), g)
		_, err := byHand.BulkUpdateState(t.Context(), graph.Key{Thread: "1"}, [][]graph.StateUpdate[board]{
			{{As: graph.Input, Update: update{log.Add("in"), x.Add(5)}}},
			{{As: graph.Start}},
			{{As: "a", Update: update{x.Add(1), log.Add("a")}}, {As: "b", Update: update{x.Add(2), log.Add("b")}}},
			{{As: "c", Update: update{log.Add("c")}}},
		})
		if err != nil {
			t.Fatal(err)
		}
		want, got := toldAll(past(t, real, nil)), toldAll(past(t, byHand, nil))
		for i := range got {
			got[i] = strings.Replace(got[i], "update", "loop", 1)
		}
		if diff := differ(want, got); diff != "" {
			t.Errorf("history (-run +by hand):\n%s", diff)
		}
	}},
}
