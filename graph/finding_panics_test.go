package graph_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/memory"
)

// A mine goes off in a reducer, unless it is defused.
type mine struct {
	Log  []string
	Sum  int
	Text hard
}

// hard is a value whose codec panics on "boom".
type hard string

func (h hard) MarshalJSON() ([]byte, error) {
	if h == "boom" {
		panic("codec")
	}
	return json.Marshal(string(h))
}

func (h *hard) UnmarshalJSON(data []byte) error { return json.Unmarshal(data, (*string)(h)) }

type mineUpdate = graph.Update[mine]

var (
	mineLog  = graph.Append("log", func(s *mine) *[]string { return &s.Log })
	mineText = graph.LastValue("text", func(s *mine) *hard { return &s.Text })
	mineSum  = graph.Reduce("sum", func(s *mine) *int { return &s.Sum }, func(a, b int) int {
		if b < 0 {
			panic("reducer")
		}
		return a + b
	})
)

// A typedNil is an error whose methods fail on nil, which a careless node
// returns.
type typedNil struct{ text string }

func (e *typedNil) Error() string { return e.text }

// A badIs panics when it is compared.
type badIs struct{}

func (badIs) Error() string { return "bad" }
func (badIs) Is(error) bool { panic("comparing") }

// mines is a graph of two nodes side by side, of which one is bad. With alone
// there is only that one.
func mines(bad graph.Node[mine], opts graph.NodeOptions[mine], route graph.Router[mine], alone bool) *graph.StateGraph[mine] {
	g := graph.NewStateGraph[mine](mineLog, mineText, mineSum)
	g.AddNode("bad", bad, opts)
	g.AddEdge(graph.Start, "bad")
	if route != nil {
		g.AddConditionalEdges("bad", route, graph.End)
	}
	if !alone {
		g.AddNode("good", func(context.Context, mine) (mineUpdate, error) { return mineUpdate{mineLog.Add("good")}, nil })
		g.AddEdge(graph.Start, "good")
	}
	return g
}

// A panic in a caller's function is an error that names the node or the channel.
// The process survives, and the thread can be read, written and run again.
func TestFindingE2E3PanicsAreErrors(t *testing.T) {
	fine := func(context.Context, mine) (mineUpdate, error) { return mineUpdate{mineLog.Add("bad")}, nil }
	failing := func(err error) graph.Node[mine] {
		return func(context.Context, mine) (mineUpdate, error) { return nil, err }
	}
	var nothing *typedNil
	for name, c := range map[string]struct {
		node  graph.Node[mine]
		opts  graph.NodeOptions[mine]
		route graph.Router[mine]
		names []string // what the error must name
	}{
		"reducer":        {node: func(context.Context, mine) (mineUpdate, error) { return mineUpdate{mineSum.Add(-1)}, nil }, names: []string{`"bad"`, `"sum"`, "reducer"}},
		"RetryOn":        {node: failing(errBoom), opts: graph.NodeOptions[mine]{Retry: []graph.RetryPolicy{{RetryOn: func(error) bool { panic("deciding") }}}}, names: []string{`"bad"`, "deciding"}},
		"Error":          {node: failing(nothing), names: []string{`"bad"`, "typedNil"}},
		"Error, wrapped": {node: failing(fmt.Errorf("because: %w", nothing)), names: []string{`"bad"`}},
		"Error, retried": {node: failing(nothing), opts: graph.NodeOptions[mine]{Retry: []graph.RetryPolicy{{MaxAttempts: 1}}}, names: []string{`"bad"`, "typedNil"}},
		"Is":             {node: failing(badIs{}), names: []string{`"bad"`, "comparing"}},
		"handler": {node: failing(errBoom), opts: graph.NodeOptions[mine]{OnError: func(context.Context, mine, error) (mineUpdate, error) { return nil, nothing }},
			names: []string{`"bad"`, "typedNil"}},
		"handler asked about it": {node: failing(nothing), opts: graph.NodeOptions[mine]{OnError: func(_ context.Context, _ mine, err error) (mineUpdate, error) { return nil, err }},
			names: []string{`"bad"`, "typedNil"}},
		"router":       {node: fine, route: func(context.Context, mine) (graph.Route, error) { panic("routing") }, names: []string{`"bad"`, "routing"}},
		"router error": {node: fine, route: func(context.Context, mine) (graph.Route, error) { return graph.Route{}, nothing }, names: []string{`"bad"`, "typedNil"}},
		"cache key":    {node: fine, opts: graph.NodeOptions[mine]{Cache: &graph.CachePolicy[mine]{Key: func(mine) string { panic("key") }}}, names: []string{`"bad"`, "key"}},
		"codec":        {node: func(context.Context, mine) (mineUpdate, error) { return mineUpdate{mineText.Set("boom")}, nil }, names: []string{`"bad"`, `"text"`, "codec"}},
		"codec in Once": {node: func(ctx context.Context, _ mine) (mineUpdate, error) {
			_, err := graph.Once(ctx, "o", func(context.Context) (hard, error) { return "boom", nil })
			return nil, err
		}, names: []string{`"bad"`, "codec"}},
	} {
		for _, alone := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, alone %t", name, alone), func(t *testing.T) {
				saver := memory.New()
				app := compileOn(t, saver, mines(c.node, c.opts, c.route, alone))
				check := func(doing string, err error) {
					t.Helper()
					if err == nil {
						t.Fatalf("%s: no error", doing)
					}
					for _, part := range c.names {
						if !strings.Contains(err.Error(), part) {
							t.Errorf("%s: %v; it should say %s", doing, err, part)
						}
					}
				}
				opts := &graph.RunOptions{Thread: "1"}
				_, err := app.Invoke(t.Context(), mineUpdate{mineLog.Add("in")}, opts)
				check("Invoke", err)
				s := stateOf(t, app, graph.Key{Thread: "1"})
				if name == "reducer" && !alone {
					check("State.Conflict", s.Conflict)
				}
				_, err = app.Resume(t.Context(), nil, opts)
				check("Resume", err)
				for s, err := range app.History(t.Context(), "1", nil) {
					if err != nil || s == nil {
						t.Errorf("history: %v", err)
					}
				}
				if _, err = app.UpdateState(t.Context(), graph.Key{Thread: "1"}, graph.StateUpdate[mine]{As: graph.End, Update: mineUpdate{mineLog.Add("by hand")}}); err != nil {
					t.Errorf("UpdateState: %v", err)
				}
				if s := stateOf(t, app, graph.Key{Thread: "1"}); len(s.Next) > 0 || s.State.Log[len(s.State.Log)-1] != "by hand" {
					t.Errorf("state %+v", s)
				}
			})
		}
	}
}

// A panic during an update by hand releases the thread.
func TestFindingE2UpdateStateLetsGo(t *testing.T) {
	app := compileOn(t, memory.New(), mines(func(context.Context, mine) (mineUpdate, error) { return nil, errBoom }, graph.NodeOptions[mine]{}, nil, false))
	key := graph.Key{Thread: "1"}
	opts := &graph.RunOptions{Thread: "1"}
	if _, err := app.Invoke(t.Context(), mineUpdate{}, opts); !errors.Is(err, errBoom) {
		t.Fatal(err)
	}
	for _, as := range []string{"bad", graph.Start, graph.End, graph.Input} {
		if _, err := app.UpdateState(t.Context(), key, graph.StateUpdate[mine]{As: as, Update: mineUpdate{mineSum.Add(-1)}}); err == nil || errors.Is(err, graph.ErrThreadBusy) || !strings.Contains(err.Error(), `"sum"`) {
			t.Errorf("as %s: %v", as, err)
		}
	}
	if _, err := app.Resume(t.Context(), mineUpdate{mineSum.Add(-1)}, opts); err == nil || !strings.Contains(err.Error(), `"sum"`) {
		t.Errorf("resuming: %v", err)
	}
	if _, err := app.Invoke(t.Context(), mineUpdate{mineSum.Add(-1)}, opts); err == nil || !strings.Contains(err.Error(), `"sum"`) {
		t.Errorf("a new turn: %v", err)
	}
	if _, err := app.UpdateState(t.Context(), key, graph.StateUpdate[mine]{As: graph.End}); err != nil {
		t.Error(err)
	}
}

// A finished task counts when a sibling's update is made by hand, also its
// arrival at a join.
func TestFindingE7JoinsAfterAnUpdateByHand(t *testing.T) {
	app := compileOn(t, memory.New(), wire("START -> a b c\na b => j\na c => k\nc -> d", map[string]node{"b": asks("b", "q?"), "c": asks("c", "q?")}))
	_, err := app.Invoke(t.Context(), update{}, on("1"))
	pendingIn(t, err, "b: q?", "c: q?")
	if _, err := app.UpdateState(t.Context(), graph.Key{Thread: "1"}, graph.StateUpdate[board]{As: "b", Update: update{log.Add("b by hand")}}); err != nil {
		t.Fatal(err)
	}
	nextOf(t, app, "1", "j")
	out, err := app.Resume(t.Context(), nil, on("1"))
	logged(t, out, err, "a", "b by hand", "j")
	// A task that went elsewhere did not arrive.
	g := newBoard()
	g.AddNode("a", writes(log.Add("a"), graph.Goto[board]("e")), graph.NodeOptions[board]{Goto: []string{"e"}})
	g = wireOn(g, "START -> e", nil)
	g.AddNode("b", asks("b", "q?"))
	g.AddNode("j", say("j"))
	g.AddEdge(graph.Start, "a")
	g.AddEdge(graph.Start, "b")
	g.AddJoin([]string{"a", "b"}, "j")
	app = compileOn(t, memory.New(), g)
	_, err = app.Invoke(t.Context(), update{}, on("1"))
	pendingIn(t, err, "b: q?")
	if _, err := app.UpdateState(t.Context(), graph.Key{Thread: "1"}, graph.StateUpdate[board]{As: "b"}); err != nil {
		t.Fatal(err)
	}
	nextOf(t, app, "1", "e")
}

// The text of an error stays short, whatever the number of tasks.
func TestFindingE19LongListsAreShortened(t *testing.T) {
	many := make([]send, 10_000)
	for i := range many {
		many[i].Node = fmt.Sprint("w", i%12)
	}
	lines := "START -> s"
	targets := []string{}
	for i := range 12 {
		lines += fmt.Sprint("\nw", i, " -> END")
		targets = append(targets, fmt.Sprint("w", i))
	}
	g := wire(lines, nil)
	g.AddConditionalEdges("s", always(graph.Sends(many...)), targets...)
	app := compileOn(t, memory.New(), g)
	_, err := app.Invoke(t.Context(), update{}, &graph.RunOptions{Thread: "1", RecursionLimit: 1})
	var over *graph.RecursionError
	if !errors.As(err, &over) || len(over.Next) != 10_000 || !strings.Contains(err.Error(), "w7 (833 times) and 3332 more still to run") {
		t.Errorf("error %v", err)
	}
	_, err = app.Resume(t.Context(), nil, &graph.RunOptions{Thread: "1", InterruptBefore: []string{"*"}})
	var stopped *graph.InterruptedError
	if !errors.As(err, &stopped) || len(stopped.Next) != 10_000 || len(err.Error()) > 300 {
		t.Errorf("error %v", err)
	}
}
