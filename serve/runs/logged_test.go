package runs_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/assay/graph"
	"example.com/assay/serve/runs"
)

// pipeline is a graph with another inside a node, of so many nodes that each tell of a call
// as long as that of a model, and take so long.
func pipeline(t testing.TB, nodes int, takes time.Duration) runs.Graph {
	t.Helper()
	inner := graph.NewStateGraph(talkLines)
	before := graph.Start
	for i := range nodes {
		name := fmt.Sprintf("n%d", i)
		inner.AddNode(name, func(ctx context.Context, _ talk) (graph.Update[talk], error) {
			graph.Emit(ctx, "model_call", map[string]string{"prompt": strings.Repeat("prompt ", 600), "answer": strings.Repeat("answer ", 100)})
			for began := time.Now(); time.Since(began) < takes; { // it works
			}
			return graph.Update[talk]{talkLines.Add(name)}, nil
		})
		inner.AddEdge(before, name)
		before = name
	}
	inside, err := inner.Compile(&graph.CompileOptions{Name: "inner"})
	if err != nil {
		t.Fatal(err)
	}
	g := graph.NewStateGraph(talkLines)
	graph.AddMappedSubgraph(g, "inner", inside, func(talk) graph.Update[talk] { return graph.Update[talk]{talkLines.Add("in")} }, func(s talk) graph.Update[talk] { return graph.Update[talk]{talkLines.Add(s.Lines...)} })
	g.AddEdge(graph.Start, "inner")
	app, err := g.Compile(&graph.CompileOptions{Name: "outer"})
	if err != nil {
		t.Fatal(err)
	}
	return runs.Graph{Name: "outer", App: app.App()}
}

// logging is a manager whose log gets some events of every run.
func logging(t testing.TB, g runs.Graph, modes graph.Mode, inside bool) *runs.Space {
	t.Helper()
	h := openHome(t, t.TempDir())
	h.opts.Modes, h.opts.Subgraphs = modes, inside
	m := h.open(t, g)
	t.Cleanup(func() { m.Close(context.Background()) })
	return m.Space(runs.DefaultTenant)
}

// The log gets what the manager's options name, also of a run whose caller asked for less.
func TestLogged(t *testing.T) {
	g := pipeline(t, 1, 0)
	for _, c := range []struct {
		modes  graph.Mode
		inside bool
		want   []string
	}{
		{0, false, []string{"/inner node_update"}},
		{graph.Tasks | graph.Custom, true, []string{"/inner node_start", "inner/n0 node_start", "inner/n0 custom", "inner/n0 node_update", "/inner node_update"}},
	} {
		s := logging(t, g, c.modes, c.inside)
		r := wait(t, s, begin(t, s, runs.Spec{Graph: "outer", Input: json.RawMessage(hello)}).ID)
		var got []string
		for ev, err := range s.Recorded(t.Context(), r.ID) {
			if err != nil {
				t.Fatal(err)
			}
			if ev.Node != "" {
				got = append(got, ev.Namespace+"/"+ev.Node+" "+ev.Kind)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("modes %v: %q, want %q", c.modes, got, c.want)
		}
	}
}

// What a run was asked is in its record, in one line, cut between characters.
func TestAsked(t *testing.T) {
	s := manager(t, chain(t, "c", "a", "ask"))
	for input, want := range map[string]string{
		hello: `lines: ["hello"]`,
		`[{"channel":"who","op":"set","value":"  two\n lines "}]`:                                                           "who: two lines",
		`[{"channel":"who","op":"set","value":"` + strings.Repeat("ü", 200) + `"},{"channel":"wait","op":"set","value":1}]`: "who: " + strings.Repeat("ü", 147) + "…",
	} {
		if r := begin(t, s, runs.Spec{Graph: "c", Input: json.RawMessage(input)}); r.Asked != want {
			t.Errorf("%s: %q, want %q", input, r.Asked, want)
		}
	}
	first := wait(t, s, begin(t, s, runs.Spec{Graph: "c", Input: json.RawMessage(hello)}).ID)
	if !first.Asks {
		t.Error("a run that waits for a person does not say so")
	}
	next := wait(t, s, begin(t, s, runs.Spec{Thread: first.Thread, Graph: "c", Answers: map[string]json.RawMessage{"": json.RawMessage(`"Ann"`)}, Resume: true, Forked: first.ID}).ID)
	if next.Asked != "answer: Ann" || next.Asks || next.Forked != first.ID {
		t.Errorf("%+v", next)
	}
	all, err := s.AllRuns(t.Context(), nil)
	if err != nil || len(all) != 5 || all[0].ID != next.ID {
		t.Errorf("%d runs, %v", len(all), err)
	}
	some, err := s.AllRuns(t.Context(), func(r *runs.Run) bool { return r.Asked == "answer: Ann" })
	if err != nil || len(some) != 1 {
		t.Errorf("%d runs, %v", len(some), err)
	}
	if other, err := s.Manager.Space("other").AllRuns(t.Context(), nil); err != nil || len(other) != 0 {
		t.Errorf("another tenant sees %d runs, %v", len(other), err)
	}
}

// BenchmarkLogged compares runs of 20 nodes whose log has what pages show with runs whose log
// has as little as may be, in turn.
func BenchmarkLogged(b *testing.B) {
	for _, takes := range []time.Duration{0, time.Millisecond} {
		b.Run(takes.String(), func(b *testing.B) {
			g := pipeline(b, 20, takes)
			little, much := logging(b, g, 0, false), logging(b, g, graph.Tasks|graph.Custom, true)
			var took [2]time.Duration
			for b.Loop() {
				for i, s := range []*runs.Space{little, much} {
					began := time.Now()
					wait(b, s, begin(b, s, runs.Spec{Graph: "outer", Input: json.RawMessage(hello)}).ID)
					took[i] += time.Since(began)
				}
			}
			b.ReportMetric(float64(took[0].Microseconds())/float64(b.N)/1000, "ms-little")
			b.ReportMetric(float64(took[1].Microseconds())/float64(b.N)/1000, "ms-much")
			b.ReportMetric(float64(took[1])/float64(took[0]), "ratio")
		})
	}
}
