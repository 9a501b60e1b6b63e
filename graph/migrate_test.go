package graph_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"example.com/assay/graph"
)

// versioned compiles a version of the saved graph.
func versioned(t *testing.T, saver graph.Checkpointer, g *graph.StateGraph[board], version int, migrate func(*graph.Migration) error) *graph.Compiled[board] {
	t.Helper()
	app, err := g.Compile(&graph.CompileOptions{Checkpointer: saver, Version: version, Migrate: migrate})
	if err != nil {
		t.Fatal(err)
	}
	return app
}

// renamed moves hello's value to query, and calls node b bee.
func renamed(m *graph.Migration) error {
	if m.From != 1 || m.To != 2 {
		return fmt.Errorf("from %d to %d", m.From, m.To)
	}
	if v, ok := m.Values["old"]; ok {
		var s string
		if err := json.Unmarshal(v, &s); err != nil {
			return err
		}
		delete(m.Values, "old")
		m.Values["query"], _ = json.Marshal("was " + s)
	}
	m.Nodes["b"] = "bee"
	return nil
}

// older is version 1: it has a channel "old", and a node b.
func older() *graph.StateGraph[board] {
	old := graph.LastValue("old", func(s *board) *string { return &s.Priv })
	return wireOn(graph.NewStateGraph[board](log, old), "START -> a -> b -> c", map[string]node{"a": writes(log.Add("a"), old.Set("v"))})
}

func newer() *graph.StateGraph[board] { return wire("START -> a -> bee -> c", nil) }

func TestMigration(t *testing.T) {
	onSavers(t, func(t *testing.T, open func() graph.Checkpointer) {
		saver := open()
		first := versioned(t, saver, older(), 1, nil)
		runs(t, first, update{log.Add("in")}, on("1"))
		opts := on("1")
		opts.InterruptBefore = []string{"b"}
		if _, err := first.Invoke(t.Context(), update{log.Add("2")}, opts); !errors.As(err, new(*graph.InterruptedError)) {
			t.Fatalf("error %v", err)
		}
		refused := func(what string, app *graph.Compiled[board], part string) {
			t.Helper()
			for _, in := range []update{nil, {}} {
				_, err := goOn(t.Context(), app, in, on("1"))
				var mismatch *graph.MismatchError
				if !errors.As(err, &mismatch) || mismatch.Thread != "1" || !strings.Contains(err.Error(), part) {
					t.Errorf("%s: %v", what, err)
				}
			}
			if _, err := app.State(t.Context(), graph.Key{Thread: "1"}); !errors.As(err, new(*graph.MismatchError)) {
				t.Errorf("%s, state: %v", what, err)
			}
			if _, err := app.UpdateState(t.Context(), graph.Key{Thread: "1"}, graph.StateUpdate[board]{}); !errors.As(err, new(*graph.MismatchError)) {
				t.Errorf("%s, update: %v", what, err)
			}
		}
		refused("no Migrate", versioned(t, saver, newer(), 2, nil), "set CompileOptions.Migrate")
		refused("the same version of another graph", versioned(t, saver, newer(), 1, renamed), "fingerprint")
		refused("an older program", versioned(t, saver, older(), 0, renamed), "newer program")
		if n := len(checkpointsOf(t, saver, "1")); n != 8 {
			t.Errorf("refused runs leave %d checkpoints", n)
		}

		app := versioned(t, saver, newer(), 2, renamed)
		if s := stateOf(t, app, graph.Key{Thread: "1"}); told(s) != `(loop,6,[bee],{"log":["in","a","b","c","2","a"],"query":"was v"})` {
			t.Errorf("migrated: %s", told(s))
		}
		sameLines(t, toldAll(past(t, app, nil))[3:],
			`(loop,3,[],{"log":["in","a","b","c"],"query":"was v"})`,
			`(loop,2,[c],{"log":["in","a","b"],"query":"was v"})`,
			`(loop,1,[bee],{"log":["in","a"],"query":"was v"})`,
			`(loop,0,[a],{"log":["in"],"query":"was "})`,
			`(input,-1,[__start__],{"query":"was "})`)
		for _, s := range past(t, app, nil) {
			if _, err := app.Fork(t.Context(), s.Key); err != nil {
				t.Errorf("forking %s: %v", told(s), err)
			}
		}
		tip := past(t, app, nil)[8].Key.ID
		opts = on("1")
		opts.Checkpoint = tip
		if out := runs(t, app, nil, opts); fmt.Sprint(out.Log)+out.Query != "[in a b c 2 a bee c]was v" {
			t.Errorf("goes on to %+v", out)
		}
		if out := runs(t, app, update{log.Add("3")}, on("1")); fmt.Sprint(out.Log)+out.Query != "[in a b c 2 a bee c 3 a bee c]was v" {
			t.Errorf("the next turn: %+v", out)
		}
		if n := len(past(t, app, nil)); n != 8+8+3+5 {
			t.Errorf("%d rows can be read", n)
		}
		opts.Checkpoint = past(t, app, &graph.HistoryOptions{Source: graph.SourceInput})[1].Key.ID
		if _, err := app.Resume(t.Context(), nil, opts); err != nil && !strings.Contains(err.Error(), "give it once more") {
			t.Errorf("an old input: %v", err)
		}
	})
}

func TestMigrationFails(t *testing.T) {
	saver := savers[0].open(t)
	runs(t, versioned(t, saver, older(), 1, nil), update{}, on("1"))
	for name, migrate := range map[string]func(*graph.Migration) error{
		"boom":  func(*graph.Migration) error { return errBoom },
		"panic": func(*graph.Migration) error { panic("boom") },
		`"old"`: func(*graph.Migration) error { return nil }, // left where it was
	} {
		_, err := versioned(t, saver, newer(), 2, migrate).State(t.Context(), graph.Key{Thread: "1"})
		if err == nil || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), "checkpoint 0000000005") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
