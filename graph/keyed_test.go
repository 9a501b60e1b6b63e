package graph_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"example.com/assay/graph"
	"github.com/google/go-cmp/cmp"
)

type memo struct {
	ID   string `json:"id,omitempty"`
	Text string `json:"text"`
}

type noted struct {
	Notes []memo `json:"notes"`
	Step  int    `json:"step"`
}

var (
	notes = graph.Keyed("notes", func(s *noted) *[]memo { return &s.Notes }, func(n *memo) *string { return &n.ID })
	nth   = graph.LastValue("step", func(s *noted) *int { return &s.Step })
)

func writesOf(t *testing.T, updates ...graph.Update[noted]) []memo {
	t.Helper()
	g := graph.NewStateGraph[noted](notes, nth)
	from := graph.Start
	for i, u := range updates {
		name := fmt.Sprintf("n%d", i)
		g.AddNode(name, func(context.Context, noted) (graph.Update[noted], error) { return u, nil })
		g.AddEdge(from, name)
		from = name
	}
	app, err := g.Compile(nil)
	if err != nil {
		t.Fatal(err)
	}
	out, err := app.Invoke(t.Context(), graph.Update[noted]{nth.Set(1)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return out.Notes
}

func TestKeyed(t *testing.T) {
	got := writesOf(t,
		graph.Update[noted]{notes.Put(memo{"a", "1"}, memo{"b", "2"}, memo{"", "x"}, memo{"", "y"})},
		graph.Update[noted]{notes.Put(memo{"a", "3"}, memo{"c", "4"}), notes.Remove("b", "none", "")},
		graph.Update[noted]{notes.Put(memo{"b", "5"}, memo{"b", "6"})},
	)
	if want := []memo{{"a", "3"}, {"", "x"}, {"", "y"}, {"c", "4"}, {"b", "6"}}; !cmp.Equal(got, want) {
		t.Error(cmp.Diff(want, got))
	}
	got = writesOf(t, graph.Update[noted]{notes.Put(memo{"a", "1"})}, graph.Update[noted]{notes.Overwrite([]memo{{"z", "9"}}), notes.Put(memo{"a", "2"})})
	if want := []memo{{"z", "9"}}; !cmp.Equal(got, want) {
		t.Error(cmp.Diff(want, got))
	}
}

// A replacement does not change what an earlier state holds.
func TestKeyedEarlierStates(t *testing.T) {
	g := graph.NewStateGraph[noted](notes, nth)
	var first []memo
	g.AddNode("one", func(context.Context, noted) (graph.Update[noted], error) {
		return graph.Update[noted]{notes.Put(memo{"a", "old"}, memo{"b", "old"})}, nil
	})
	g.AddNode("two", func(_ context.Context, s noted) (graph.Update[noted], error) {
		first = s.Notes
		return graph.Update[noted]{notes.Put(memo{"a", "new"}), notes.Remove("b")}, nil
	})
	g.AddEdge(graph.Start, "one")
	g.AddEdge("one", "two")
	app, err := g.Compile(nil)
	if err != nil {
		t.Fatal(err)
	}
	out, err := app.Invoke(t.Context(), graph.Update[noted]{nth.Set(1)}, nil)
	if err != nil || !cmp.Equal(out.Notes, []memo{{"a", "new"}}) || !cmp.Equal(first, []memo{{"a", "old"}, {"b", "old"}}) {
		t.Errorf("%v; now %v, before %v", err, out.Notes, first)
	}
}

func TestKeyedIsChecked(t *testing.T) {
	type wrong struct {
		Name string `json:"name"`
	}
	type state struct{ List []wrong }
	g := graph.NewStateGraph[state](graph.Keyed("list", func(s *state) *[]wrong { return &s.List }, func(w *wrong) *string { return &w.Name }))
	g.AddNode("n", func(context.Context, state) (graph.Update[state], error) { return nil, nil })
	g.AddEdge(graph.Start, "n")
	if _, err := g.Compile(nil); err == nil || !strings.Contains(err.Error(), `JSON writes as "id"`) {
		t.Errorf("compiled: %v", err)
	}
	app, err := buildRandom(1, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := app.DecodeUpdate([]byte(`[{"channel":"notes","op":"add","value":[]}]`)); err == nil {
		t.Error("a keyed channel took an add")
	}
}

// buildRandom makes a graph that edits a list at random for ten steps.
func buildRandom(seed uint64, saver graph.Checkpointer) (*graph.Compiled[noted], error) {
	g := graph.NewStateGraph[noted](notes, nth)
	for n := range 2 {
		g.AddNode(fmt.Sprintf("n%d", n), func(_ context.Context, s noted) (graph.Update[noted], error) {
			r := rand.New(rand.NewPCG(seed, uint64(100*s.Step+n)))
			var u graph.Update[noted]
			for range r.IntN(4) {
				id := func() string {
					if i := r.IntN(7); i > 0 {
						return fmt.Sprint("id", i)
					}
					return ""
				}
				switch r.IntN(8) {
				case 0:
					u = append(u, notes.Remove(id(), id()))
				case 1:
					u = append(u, notes.Put())
				case 2:
					if n == 0 && r.IntN(3) == 0 {
						u = append(u, notes.Overwrite([]memo{{id(), "o"}, {id(), "p"}}))
						return append(u, nth.Set(s.Step+1)), nil
					}
				default:
					u = append(u, notes.Put(memo{id(), fmt.Sprint(s.Step)}, memo{id(), fmt.Sprint(n)}))
				}
			}
			if n == 0 {
				u = append(u, nth.Set(s.Step+1))
			}
			return u, nil
		})
		g.AddEdge(graph.Start, fmt.Sprintf("n%d", n))
	}
	for n := range 2 {
		g.AddConditionalEdges(fmt.Sprintf("n%d", n), func(_ context.Context, s noted) (graph.Route, error) {
			if s.Step >= 10 {
				return graph.To(graph.End), nil
			}
			return graph.To("n0", "n1"), nil
		}, "n0", "n1", graph.End)
	}
	return g.Compile(&graph.CompileOptions{Checkpointer: saver})
}

// Every state that a thread saved reads back as it was, whatever was put, removed
// and overwritten.
func TestKeyedSaves(t *testing.T) {
	onSavers(t, func(t *testing.T, open func() graph.Checkpointer) {
		saver := open()
		for seed := range uint64(30) {
			for _, durability := range []graph.Durability{graph.DurabilitySync, graph.DurabilityAsync, graph.DurabilityExit} {
				app, err := buildRandom(seed, saver)
				if err != nil {
					t.Fatal(err)
				}
				thread := fmt.Sprintf("t%d-%d", seed, durability)
				was := map[int][]memo{}
				for ev, err := range app.Stream(t.Context(), graph.Update[noted]{nth.Set(0)}, &graph.RunOptions{Thread: thread, Durability: durability, Modes: graph.Values}) {
					if err != nil {
						t.Fatal(err)
					}
					if ev.Kind == graph.StateValue {
						was[ev.State.Step] = ev.State.Notes
					}
				}
				for snap, err := range app.History(t.Context(), thread, nil) {
					if err != nil {
						t.Fatal(err)
					}
					if want, got := was[snap.State.Step], snap.State.Notes; !cmp.Equal(want, got) && snap.Source == graph.SourceLoop {
						t.Fatalf("thread %s, step %d: %s", thread, snap.State.Step, cmp.Diff(want, got))
					}
				}
			}
		}
	})
}

// A checkpoint holds the edit, not the list.
func TestKeyedDeltas(t *testing.T) {
	size := func(n int) int {
		g := graph.NewStateGraph[noted](notes, nth)
		g.AddNode("put", func(_ context.Context, s noted) (graph.Update[noted], error) {
			return graph.Update[noted]{notes.Put(memo{fmt.Sprint("id", s.Step), strings.Repeat("x", 100)}), nth.Set(s.Step + 1)}, nil
		})
		g.AddEdge(graph.Start, "put")
		g.AddConditionalEdges("put", func(_ context.Context, s noted) (graph.Route, error) {
			if s.Step == n {
				return graph.To(graph.End), nil
			}
			return graph.To("put"), nil
		}, "put", graph.End)
		counted := &countingSaver{Checkpointer: savers[0].open(t)}
		app, err := g.Compile(&graph.CompileOptions{Checkpointer: counted})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := app.Invoke(t.Context(), graph.Update[noted]{nth.Set(0)}, &graph.RunOptions{Thread: "t"}); err != nil {
			t.Fatal(err)
		}
		return counted.bytes
	}
	if a, b := size(200), size(800); b > 5*a {
		t.Errorf("200 steps save %d bytes, 800 save %d", a, b)
	}
}

type countingSaver struct {
	graph.Checkpointer
	bytes int
}

func (c *countingSaver) Commit(ctx context.Context, thread string, change graph.Change) error {
	for _, saved := range change.Add {
		c.bytes += len(saved.Data)
	}
	return c.Checkpointer.Commit(ctx, thread, change)
}

// Writes of a keyed channel go through a subgraph, and through JSON, as they are.
func TestKeyedAcrossGraphs(t *testing.T) {
	inner := graph.NewStateGraph[noted](notes, nth)
	inner.AddNode("a", func(context.Context, noted) (graph.Update[noted], error) {
		return graph.Update[noted]{notes.Put(memo{"a", "in"}, memo{"b", "in"}), notes.Remove("old")}, nil
	})
	inner.AddNode("b", func(context.Context, noted) (graph.Update[noted], error) {
		return graph.Update[noted]{notes.Remove("b"), notes.Put(memo{"a", "again"})}, nil
	})
	inner.AddEdge(graph.Start, "a")
	inner.AddEdge("a", "b")
	child, err := inner.Compile(nil)
	if err != nil {
		t.Fatal(err)
	}
	g := graph.NewStateGraph[noted](notes, nth)
	g.AddSubgraph("inner", child)
	g.AddEdge(graph.Start, "inner")
	app, err := g.Compile(nil)
	if err != nil {
		t.Fatal(err)
	}
	in := graph.Update[noted]{notes.Put(memo{"old", "1"}, memo{"stays", "2"})}
	out, err := app.Invoke(t.Context(), in, nil)
	if want := []memo{{"stays", "2"}, {"a", "again"}}; err != nil || !cmp.Equal(out.Notes, want) {
		t.Errorf("%v: %s", err, cmp.Diff(want, out.Notes))
	}
	data, err := json.Marshal(graph.Update[noted]{notes.Put(memo{"a", "1"}), notes.Remove("b")})
	if err != nil {
		t.Fatal(err)
	}
	back, err := app.DecodeUpdate(data)
	if err != nil || len(back) != 2 || back[0].Op() != graph.OpPut || back[1].Op() != graph.OpRemove {
		t.Errorf("%s: %v, %v", data, back, err)
	}
}
