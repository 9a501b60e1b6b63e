package graph_test

import (
	"fmt"
	"slices"
	"testing"

	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/memory"
)

// An interrupt is not a failure. The writes of finished siblings are in the states
// of Invoke, the stream and State, and a resumed stream shows them.
func TestFindingE11InvokeAndStateAgreeOnAnInterrupt(t *testing.T) {
	for _, durability := range []graph.Durability{graph.DurabilitySync, graph.DurabilityAsync, graph.DurabilityExit} {
		for _, concurrency := range []int{0, 1} {
			t.Run(fmt.Sprintf("durability %d, concurrency %d", durability, concurrency), func(t *testing.T) {
				saver := memory.New()
				app := compileOn(t, saver, wire("START -> in -> a ask b\na ask b => j", map[string]node{"ask": asks("ask", "q?")}))
				opts := graph.RunOptions{Thread: "1", Durability: durability, Concurrency: concurrency}
				opts.Modes = graph.Updates | graph.Values | graph.Debug
				p := play(t.Context(), app, update{}, opts)
				ids := pendingIn(t, p.err, "ask: q?")
				want := []string{"in", "a", "b"}
				s := stateOf(t, app, graph.Key{Thread: "1"})
				values := p.pick(graph.StateValue)
				if !slices.Equal(p.final.Log, want) || !slices.Equal(s.State.Log, want) || values[len(values)-1] != `values {"log":["in","a","b"]}` {
					t.Errorf("the run ended with %q and %s, State has %q; want %q", p.final.Log, values[len(values)-1], s.State.Log, want)
				}
				out, err := app.Resume(t.Context(), nil, &opts)
				pendingIn(t, err, "ask: q?")
				if !slices.Equal(out.Log, want) {
					t.Errorf("asked once more it ended with %q", out.Log)
				}
				opts.Resume = []graph.Answer{graph.ReplyTo(ids[0], "yes")}
				p = play(t.Context(), app, nil, opts)
				if p.err != nil {
					t.Fatal(p.err)
				}
				var updates []string
				for _, ev := range p.events {
					if ev.Kind == graph.NodeUpdate {
						updates = append(updates, fmt.Sprint(ev.Node, " ", ev.Cached))
					}
				}
				slices.Sort(updates)
				if fmt.Sprint(updates) != "[a true ask false b true j false]" {
					t.Errorf("updates %q", updates)
				}
				logged(t, p.final, nil, "in", "a", "ask:yes", "b", "j")
				// The sibling's writes are saved once.
				if s := stateOf(t, app, graph.Key{Thread: "1"}); !slices.Equal(s.State.Log, p.final.Log) {
					t.Errorf("saved %q", s.State.Log)
				}
			})
		}
	}
}

// Invoke and State leave out the conflicting writes of an interrupt's siblings.
func TestFindingE11Conflict(t *testing.T) {
	world := writes(hello.Set("world"))
	app := compileOn(t, memory.New(), wire("START -> a b ask", map[string]node{"a": world, "b": world, "ask": asks("ask", "q?")}))
	out, err := app.Invoke(t.Context(), update{log.Add("in")}, on("1"))
	pendingIn(t, err, "ask: q?")
	s := stateOf(t, app, graph.Key{Thread: "1"})
	if diff := differ(s.State, out); diff != "" || s.Conflict == nil {
		t.Errorf("conflict %v, state and result differ:\n%s", s.Conflict, diff)
	}
}

// Joins whose names read alike are two.
func TestFindingE9LabelsOfJoins(t *testing.T) {
	for _, c := range []struct{ one, other []string }{
		{[]string{"a", "b+x"}, []string{"a+b", "x"}},
		{[]string{"a", `"b+c`}, []string{`a+"b`, "c"}},
	} {
		g := newBoard()
		all := slices.Concat(c.other, c.one)
		for _, name := range append(all, "j", "k") {
			g.AddNode(name, say(name))
		}
		// Of each join one source runs first, and the other behind a breakpoint.
		g.AddEdge(graph.Start, all[0])
		g.AddNode("wait", say("wait"))
		g.AddEdge(graph.Start, "wait")
		for _, name := range all[1:] {
			g.AddEdge("wait", name)
		}
		g.AddJoin(c.one, "j")
		g.AddJoin(c.other, "j")
		g.AddJoin([]string{"j"}, "k")
		app, err := g.Compile(&graph.CompileOptions{Checkpointer: memory.New(), InterruptAfter: []string{"wait"}})
		if err != nil {
			t.Fatal(err)
		}
		p := play(t.Context(), app, update{}, graph.RunOptions{Thread: "1"})
		pendingIn(t, p.err)
		if len(p.end(t).Waiting) != 1 {
			t.Errorf("%q wait; want the join of %q alone", p.end(t).Waiting, c.other)
		}
		if len(nextOf(t, app, "1", sorted(all[1:]...)...).Tasks) != len(all)-1 {
			t.Error("tasks are missing")
		}
		out, err := app.Resume(t.Context(), nil, on("1"))
		logged(t, out, err, append(append([]string{all[0], "wait"}, sorted(all[1:]...)...), "j", "k")...)
	}
}

func sorted(names ...string) []string {
	slices.Sort(names)
	return names
}
