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
)

// Groups G and H as far as they need no checkpoint.

// nestedGraph is inner(i1 -> i2) -> o.
func nestedGraph(t testing.TB) *graph.StateGraph[board] {
	g := newBoard()
	g.AddSubgraph("inner", mustCompile(t, wire("START -> i1 -> i2", nil)))
	g.AddNode("o", say("o"))
	g.AddEdge(graph.Start, "inner")
	g.AddEdge("inner", "o")
	return g
}

var factsG = []fact{
	{"G2", func(t *testing.T) {
		p := play(t.Context(), mustCompile(t, nestedGraph(t)), update{log.Add("in")}, graph.RunOptions{Modes: graph.Values | graph.Updates})
		sameLines(t, p.pick(graph.NodeUpdate, graph.StateValue),
			`values {"log":["in"]}`,
			`values [inner] {"log":["in"]}`,
			`node_update [inner] i1 [{"channel":"log","op":"add","value":["i1"]}]`,
			`values [inner] {"log":["in","i1"]}`,
			`node_update [inner] i2 [{"channel":"log","op":"add","value":["i2"]}]`,
			`values [inner] {"log":["in","i1","i2"]}`,
			`node_update inner [{"channel":"log","op":"add","value":["i1"]},{"channel":"log","op":"add","value":["i2"]}]`,
			`values {"log":["in","i1","i2"]}`,
			`node_update o [{"channel":"log","op":"add","value":["o"]}]`,
			`values {"log":["in","i1","i2","o"]}`)
		if len(p.events) != 10 {
			t.Errorf("%d events, want those of the two modes only", len(p.events))
		}
	}},
	{"G2/real_time", func(t *testing.T) {
		release := make(chan struct{})
		child := mustCompile(t, wire("START -> i1 -> i2", map[string]node{"i2": func(context.Context, board) (update, error) {
			<-release // the reader lets it go when it has seen i1
			return nil, nil
		}}))
		g := newBoard()
		g.AddSubgraph("inner", child)
		g.AddEdge(graph.Start, "inner")
		seen := false
		for ev, err := range mustCompile(t, g).Stream(t.Context(), update{}, nil) {
			if err != nil {
				t.Fatal(err)
			}
			if ev.Node == "i1" {
				seen = true
				close(release)
			}
		}
		if !seen {
			t.Error("no event of the child arrived")
		}
	}},
	{"G4", func(t *testing.T) {
		app := mustCompile(t, wire("START -> a -> b -> c", map[string]node{"b": func(context.Context, board) (update, error) { return nil, errBoom }}))
		p := play(t.Context(), app, update{}, graph.RunOptions{Modes: graph.Updates | graph.Tasks})
		sameLines(t, p.pick(graph.NodeStart, graph.NodeUpdate, graph.NodeFailed),
			"node_start a", `node_update a [{"channel":"log","op":"add","value":["a"]}]`,
			"node_start b", `node_error b error: running node "b" in step 2: boom`)
		if !errors.Is(p.err, errBoom) {
			t.Errorf("error %v", p.err)
		}
		all := play(t.Context(), app, update{}, graph.RunOptions{})
		if end := all.end(t); !errors.Is(end.Err, errBoom) || !slices.Equal(end.Nodes, []string{"b"}) || !slices.Equal(end.State.Log, []string{"a"}) {
			t.Errorf("the end says %s, state %v", line(end), end.State)
		}
		out, err := app.Invoke(t.Context(), update{}, nil)
		if !errors.Is(err, errBoom) || !slices.Equal(out.Log, []string{"a"}) {
			t.Errorf("Invoke returns %v, %v", out, err)
		}
	}},
	{"G6", func(t *testing.T) {
		app := mustCompile(t, wire("START -> a", map[string]node{"a": func(ctx context.Context, _ board) (update, error) {
			if err := graph.Emit(ctx, "first", 1); err != nil {
				return nil, err
			}
			time.Sleep(200 * ms)
			return nil, graph.Emit(ctx, "second", map[string]string{"k": "v"})
		}}))
		var at []time.Duration
		began := time.Now()
		p := played{}
		for ev, err := range app.Stream(t.Context(), update{}, &graph.RunOptions{Modes: graph.Custom}) {
			if err != nil {
				t.Fatal(err)
			}
			at = append(at, time.Since(began))
			p.events = append(p.events, ev)
			if ev.Time.Sub(began) != time.Since(began) {
				t.Errorf("event stamped %v, read at %v", ev.Time.Sub(began), time.Since(began))
			}
		}
		if !slices.Equal(at, []time.Duration{0, 200 * ms}) {
			t.Errorf("events at %v", at)
		}
		sameLines(t, p.pick(graph.NodeCustom), "custom a first=1", `custom a second={"k":"v"}`)
	}},
	{"G6/emit", func(t *testing.T) {
		if err := graph.Emit(t.Context(), "outside", func() {}); err != nil {
			t.Errorf("outside a run: %v", err)
		}
		app := mustCompile(t, wire("START -> a", map[string]node{"a": func(ctx context.Context, _ board) (update, error) {
			return nil, graph.Emit(ctx, "bad", func() {})
		}}))
		if _, err := app.Invoke(t.Context(), update{}, nil); err != nil {
			t.Errorf("nobody listens: %v", err)
		}
		p := play(t.Context(), app, update{}, graph.RunOptions{Modes: graph.Custom})
		if p.err == nil || !strings.Contains(p.err.Error(), `encoding custom event "bad"`) || len(p.events) > 0 {
			t.Errorf("%d events, error %v", len(p.events), p.err)
		}
	}},
}

var factsH = []fact{
	{"H7", func(t *testing.T) {
		stray := graph.LastValue("stray", func(s *board) *string { return &s.Out })
		for _, c := range []struct {
			code  graph.ProblemCode
			node  string
			build func(g *graph.StateGraph[board])
		}{
			{graph.UnknownSource, "ghost", func(g *graph.StateGraph[board]) { g.AddEdge("ghost", "a") }},
			{graph.UnknownSource, "ghost", func(g *graph.StateGraph[board]) { g.AddJoin([]string{"a", "ghost"}, "a") }},
			{graph.UnknownSource, graph.Start, func(g *graph.StateGraph[board]) { g.AddJoin([]string{graph.Start, "a"}, "a") }},
			{graph.UnknownSource, "ghost", func(g *graph.StateGraph[board]) { g.AddConditionalEdges("ghost", always(graph.To("a")), "a") }},
			{graph.UnknownTarget, "ghost", func(g *graph.StateGraph[board]) { g.AddEdge("a", "ghost") }},
			{graph.UnknownTarget, "ghost", func(g *graph.StateGraph[board]) { g.AddJoin([]string{"a"}, "ghost") }},
			{graph.UnknownTarget, graph.End, func(g *graph.StateGraph[board]) { g.AddJoin([]string{"a"}, graph.End) }},
			{graph.UnknownTarget, "ghost", func(g *graph.StateGraph[board]) {
				g.AddConditionalPaths("a", always(graph.To("k")), graph.Path{Key: "k", Target: "ghost"})
			}},
			{graph.DuplicateNode, "a", func(g *graph.StateGraph[board]) { g.AddNode("a", say("a")) }},
			{graph.InvalidName, "", func(g *graph.StateGraph[board]) { g.AddNode("", say("a")) }},
			{graph.InvalidName, graph.Start, func(g *graph.StateGraph[board]) { g.AddNode(graph.Start, say("a")) }},
			{graph.InvalidName, graph.End, func(g *graph.StateGraph[board]) { g.AddNode(graph.End, say("a")) }},
			{graph.InvalidName, "a:b", func(g *graph.StateGraph[board]) { g.AddNode("a:b", say("a")) }},
			{graph.InvalidName, "a|b", func(g *graph.StateGraph[board]) { g.AddNode("a|b", say("a")) }},
			{graph.InvalidName, "a/b", func(g *graph.StateGraph[board]) { g.AddNode("a/b", say("a")) }},
			{graph.InvalidName, "\xff", func(g *graph.StateGraph[board]) { g.AddNode("\xff", say("a")) }},
			{graph.EndAsSource, graph.End, func(g *graph.StateGraph[board]) { g.AddEdge(graph.End, "a") }},
			{graph.EndAsSource, graph.End, func(g *graph.StateGraph[board]) { g.AddJoin([]string{graph.End}, "a") }},
			{graph.StartAsTarget, graph.Start, func(g *graph.StateGraph[board]) { g.AddEdge("a", graph.Start) }},
			{graph.StartAsTarget, graph.Start, func(g *graph.StateGraph[board]) {
				g.AddConditionalEdges("a", always(graph.To(graph.Start)), graph.Start)
			}},
			{graph.Unreachable, "island", func(g *graph.StateGraph[board]) {
				g.AddNode("island", say("island"))
				g.AddEdge("island", "a")
			}},
			{graph.Unreachable, "j", func(g *graph.StateGraph[board]) { // waits for itself
				g.AddNode("j", say("j"))
				g.AddJoin([]string{"a", "j"}, "j")
			}},
			{graph.NoTargets, "a", func(g *graph.StateGraph[board]) { g.AddConditionalEdges("a", always(graph.Nowhere())) }},
			{graph.NoTargets, "a", func(g *graph.StateGraph[board]) { g.AddJoin(nil, "a") }},
			{graph.InvalidOptions, "a", func(g *graph.StateGraph[board]) { g.AddConditionalEdges("a", nil, "a") }},
			{graph.InvalidOptions, "a", func(g *graph.StateGraph[board]) { g.AddConditionalEdges("a", always(graph.To("a")), "a", "a") }},
			{graph.InvalidOptions, "a", func(g *graph.StateGraph[board]) {
				g.AddConditionalPaths("a", always(graph.To("a")), graph.Path{Target: "a"})
			}},
			{graph.InvalidOptions, "n", func(g *graph.StateGraph[board]) { g.AddNode("n", nil); g.AddEdge("a", "n") }},
			{graph.InvalidOptions, "n", func(g *graph.StateGraph[board]) { g.AddSubgraph("n", nil); g.AddEdge("a", "n") }},
			{graph.InvalidOptions, "n", func(g *graph.StateGraph[board]) {
				graph.AddMappedSubgraph[board, job](g, "n", nil, nil, nil)
				g.AddEdge("a", "n")
			}},
			{graph.InvalidOptions, "n", func(g *graph.StateGraph[board]) {
				g.AddNode("n", say("n"), graph.NodeOptions[board]{}, graph.NodeOptions[board]{})
				g.AddEdge("a", "n")
			}},
			{graph.UnknownChannel, "stray", func(g *graph.StateGraph[board]) { g.Input(stray) }},
			{graph.UnknownChannel, "stray", func(g *graph.StateGraph[board]) { g.Output(stray) }},
			{graph.InvalidOptions, "", func(g *graph.StateGraph[board]) { g.Output(nil) }},
			{graph.UnknownChannel, "stray", func(g *graph.StateGraph[board]) {
				g.AddNode("n", say("n"), graph.NodeOptions[board]{Reads: []graph.Channel[board]{stray}})
				g.AddEdge("a", "n")
			}},
			{graph.UnknownChannel, "stray", func(g *graph.StateGraph[board]) {
				sub := graph.NewStateGraph[board](stray)
				sub.AddNode("w", writes(stray.Set("x")))
				sub.AddEdge(graph.Start, "w")
				g.AddSubgraph("n", mustCompile(t, sub))
				g.AddEdge("a", "n")
			}},
		} {
			g := wire("START -> a", nil)
			c.build(g)
			expectProblems(t, g, graph.Problem{Code: c.code, Node: c.node})
		}
	}},
	{"H7/no_entry", func(t *testing.T) {
		expectProblems(t, newBoard(), graph.Problem{Code: graph.NoEntry})
		expectProblems(t, wire("a -> b", nil), graph.Problem{Code: graph.NoEntry})
	}},
	{"H7/channels", func(t *testing.T) {
		at := func(s *board) *string { return &s.Out }
		for _, c := range []struct {
			code    graph.ProblemCode
			node    string
			channel graph.Channel[board]
		}{
			{graph.DuplicateChannel, "hello", graph.LastValue("hello", at)},
			{graph.InvalidOptions, "", nil},
			{graph.InvalidOptions, "", graph.LastValue("", at)},
			{graph.InvalidOptions, "c", graph.LastValue[board, string]("c", nil)},
			{graph.InvalidOptions, "c", graph.Reduce("c", at, nil)},
			{graph.InvalidOptions, "c", graph.LastValue("c", func(*board) *string { return nil })},
			{graph.InvalidOptions, "c", graph.LastValue("c", func(s *board) *string { return &s.Log[0] })},
		} {
			g := graph.NewStateGraph[board](hello, log, c.channel)
			g.AddNode("a", say("a"))
			g.AddEdge(graph.Start, "a")
			expectProblems(t, g, graph.Problem{Code: c.code, Node: c.node})
		}
	}},
	{"H7/all_at_once", func(t *testing.T) {
		g := wire("START -> a -> b", nil)
		g.AddNode("a", say("a"))
		g.AddEdge("a", "ghost")
		g.AddEdge(graph.End, "b")
		_, err := g.Compile(nil)
		expectProblems(t, g,
			graph.Problem{Code: graph.DuplicateNode, Node: "a"},
			graph.Problem{Code: graph.UnknownTarget, Node: "ghost"},
			graph.Problem{Code: graph.EndAsSource, Node: graph.End})
		for _, part := range []string{"3 problem(s)", "unknown_target", `the edge from "a"`, "known nodes: a, b"} {
			if !strings.Contains(fmt.Sprint(err), part) {
				t.Errorf("%q does not say %q", err, part)
			}
		}
	}},
}

// expectProblems asserts the codes and names of what Compile finds.
func expectProblems(t *testing.T, g *graph.StateGraph[board], want ...graph.Problem) {
	t.Helper()
	_, err := g.Compile(nil)
	var got *graph.CompileError
	if !errors.As(err, &got) {
		t.Errorf("error %v, want %v", err, want)
		return
	}
	found := slices.Clone(got.Problems)
	for i := range found {
		if found[i].Message == "" {
			t.Errorf("problem %v says nothing", found[i])
		}
		found[i].Message = ""
	}
	if diff := differ(want, found); diff != "" {
		t.Errorf("problems (-want +got):\n%s\n%v", diff, err)
	}
}

func rowsH() []row {
	return []row{{
		id: "H8", steps: "a | b c | d", want: board{Log: []string{"a", "b", "c", "d"}}, in: update{},
		build: func() *graph.StateGraph[board] {
			g := wire("START -> a\nb c => d", nil)
			g.AddConditionalPaths("a", always(graph.To("both", "c")), graph.Path{Key: "both", Target: "b"}, graph.Path{Key: "c", Target: "c"})
			return g
		},
		check: func(t *testing.T, _ played) {
			app := mustCompile(t, rowsH()[0].build())
			sameLines(t, strings.Split(strings.TrimSpace(app.Drawing().Mermaid()), "\n"),
				"flowchart TD",
				`    start(["start"])`,
				`    n_a["a"]`,
				`    n_b["b"]`,
				`    n_c["c"]`,
				`    n_d["d"]`,
				`    finish(["end"])`,
				`    start --> n_a`,
				`    n_b ==> n_d`,
				`    n_c ==> n_d`,
				`    n_a -. "both" .-> n_b`,
				`    n_a -.-> n_c`,
				`    n_d --> finish`)
		},
	}}
}
