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

type command = graph.Command[board]

func goTo(targets ...string) command { return graph.Goto[board](targets...) }
func also(targets ...string) command { return graph.Also[board](targets...) }

// commanded is a -> c with a's update ending in these commands; b, c and d say
// their names and what they were sent.
func commanded(commands ...graph.Write[board]) func() *graph.StateGraph[board] {
	return func() *graph.StateGraph[board] {
		g := newBoard()
		g.AddNode("a", writes(append(update{log.Add("a")}, commands...)...), graph.NodeOptions[board]{Goto: []string{"b", "c", "d", graph.End}})
		for _, name := range []string{"b", "c", "d"} {
			g.AddNode(name, sayFoo(name))
		}
		g.AddEdge(graph.Start, "a")
		g.AddEdge("a", "c")
		return g
	}
}

func rowsCommand() []row {
	logs := func(names ...string) board { return board{Log: names} }
	return []row{
		{id: "C5", in: update{}, steps: "a | b", want: logs("a", "b"), build: commanded(goTo("b"))},
		{id: "C5/also", in: update{}, steps: "a | b c", want: logs("a", "b", "c"), build: commanded(also("b"))},
		{id: "C5/none", in: update{}, steps: "a | c", want: logs("a", "c"), build: commanded()},
		{id: "C5/also_nothing", in: update{}, steps: "a | c", want: logs("a", "c"), build: commanded(also())},
		{id: "C5/both", in: update{}, steps: "a | b d", want: logs("a", "b", "d"), build: commanded(also("d"), goTo("b"))},
		{id: "C5/again", in: update{}, steps: "a | b c", want: logs("a", "b", "c"), build: commanded(goTo("b"), goTo("c", "b"))},
		{id: "C6", in: update{}, steps: "a | c b", want: logs("a", "c", "b|7"), build: commanded(goTo("c").Sends(to("b", "7")...))},
		{id: "C6/end", in: update{}, steps: "a", want: logs("a"), build: commanded(goTo(graph.End))},
		{id: "C6/end_among_others", in: update{}, steps: "a | b", want: logs("a", "b"), build: commanded(goTo(graph.End, "b"))},
		{id: "C6/sends_only", in: update{}, steps: "a | b d b", want: logs("a", "b|1", "d|2", "b|3"), build: commanded(goTo().Sends(to("b", "1")...).Sends(append(to("d", "2"), to("b", "3")...)...))},
		{id: "C6/no_sends", in: update{}, steps: "a", want: logs("a"), build: commanded(goTo().Sends())},
		{id: "C6/also_sends", in: update{}, steps: "a | c b", want: logs("a", "c", "b|1"), build: commanded(also().Sends(to("b", "1")...))},
		{
			// A jump skips routers and joins; the concurrent z follows its edges.
			id: "C5/routers_and_joins", in: update{}, steps: "a z | b c", want: logs("a", "z", "b", "c"),
			build: func() *graph.StateGraph[board] {
				g := commanded(goTo("b"))()
				g.AddNode("z", say("z"))
				g.AddEdge(graph.Start, "z")
				g.AddEdge("z", "c")
				g.AddJoin([]string{"a", "z"}, "d")
				g.AddConditionalEdges("a", func(context.Context, board) (graph.Route, error) { return graph.Route{}, errBoom }, "d")
				return g
			},
			check: func(t *testing.T, p played) {
				if got := p.end(t).Waiting; !slices.Equal(got, []string{"a+z => d"}) {
					t.Errorf("waiting: %q", got)
				}
			},
		},
		{
			id: "C5/also_with_router", in: update{}, steps: "a | b c d", want: logs("a", "b", "c", "d"),
			build: func() *graph.StateGraph[board] {
				g := commanded(also("b"))()
				g.AddConditionalEdges("a", always(graph.To("d")), "d")
				return g
			},
		},
		{
			// A loop and a way out, without an edge.
			id: "C5/loop", in: update{}, steps: "a | a | a", want: board{X: 3},
			build: func() *graph.StateGraph[board] {
				g := newBoard()
				g.AddNode("a", func(_ context.Context, s board) (update, error) {
					if s.X == 2 {
						return update{x.Add(1), goTo(graph.End)}, nil
					}
					return update{x.Add(1), goTo("a")}, nil
				}, graph.NodeOptions[board]{Goto: []string{"a", graph.End}})
				g.AddEdge(graph.Start, "a")
				return g
			},
		},
		{
			// A command inside a child directs only the child.
			id: "C6/in_a_subgraph", in: update{}, steps: "sub | after", want: logs("a", "b", "after"),
			build: func() *graph.StateGraph[board] {
				inner := newBoard()
				inner.AddNode("a", writes(goTo("b"), log.Add("a")), options{Goto: []string{"b"}})
				inner.AddNode("b", say("b"))
				inner.AddEdge(graph.Start, "a")
				child, err := inner.Compile(nil)
				if err != nil {
					panic(err)
				}
				g := wire("after -> END", nil)
				g.AddSubgraph("sub", child)
				g.AddEdge(graph.Start, "sub")
				g.AddEdge("sub", "after")
				return g
			},
		},
		{
			id: "C9", in: update{seen.Add("init")}, steps: "sub | pb", want: board{Seen: []string{"init", "b_child", "pb"}},
			build: func() *graph.StateGraph[board] { return handsOver("sub") },
			check: func(t *testing.T, p played) {
				want := []string{
					`node_update [sub] ca [{"channel":"seen","op":"add","value":["a_child"]}]`,
					`node_update [sub] cb [{"op":"parent","value":[{"channel":"seen","op":"add","value":["b_child"]},{"op":"goto","value":{"to":["pb"]}}]}]`,
					`node_update sub [{"channel":"seen","op":"add","value":["b_child"]},{"op":"goto","value":{"to":["pb"]}}]`,
				}
				sameLines(t, p.pick(graph.NodeUpdate)[:3], want...)
				if failures := p.pick(graph.NodeFailed); len(failures) > 0 {
					t.Errorf("failures: %q", failures)
				}
			},
		},
		{
			// The nearest parent only: there, mid stands in for sub, and the
			// outermost graph sees a subgraph that wrote.
			id: "C9/three_levels", in: update{seen.Add("init")}, steps: "outer | last", want: board{Seen: []string{"init", "b_child", "pb"}, Log: []string{"last"}},
			build: func() *graph.StateGraph[board] {
				mid, err := handsOver("sub").Compile(nil)
				if err != nil {
					panic(err)
				}
				g := wire("last -> END", nil)
				g.AddSubgraph("outer", mid)
				g.AddEdge(graph.Start, "outer")
				g.AddEdge("outer", "last")
				return g
			},
		},
	}
}

// handsOver is the graph of C9 with its subgraph under this name.
func handsOver(name string) *graph.StateGraph[board] {
	child := newBoard()
	child.AddNode("ca", writes(seen.Add("a_child")))
	child.AddNode("cb", writes(graph.Parent[board](update{seen.Add("b_child"), goTo("pb")})))
	child.AddEdge(graph.Start, "ca")
	child.AddEdge("ca", "cb")
	app, err := child.Compile(nil)
	if err != nil {
		panic(err)
	}
	g := newBoard()
	g.AddNode("pb", writes(seen.Add("pb")))
	g.AddSubgraph(name, app, graph.NodeOptions[board]{Goto: []string{"pb"}})
	g.AddEdge(graph.Start, name)
	return g
}

var factsCommand = []fact{
	{"C4/command", func(t *testing.T) {
		for _, c := range []struct {
			command command
			target  string
			send    bool
			says    string
		}{
			{goTo("nowhere_land"), "nowhere_land", false, "does not exist; known nodes: a, b, c, d"},
			{also("b", "nowhere_land"), "nowhere_land", false, "does not exist"},
			{goTo("a"), "a", false, "add it to NodeOptions.Goto; declared in Goto of node \"a\" are b, c, d"},
			{goTo(graph.Start), graph.Start, false, "does not exist"},
			{goTo(), "", false, "names no target"},
			{goTo(""), "", false, "names no target"},
			{goTo("b").Sends(send{Node: graph.End}), graph.End, true, "takes no input"},
			{also().Sends(send{Node: "ghost"}), "ghost", true, "does not exist"},
			{also().Sends(send{Node: "a"}), "a", true, "not declared"},
			{also().Sends(send{}), "", true, "a Send of node"},
		} {
			for _, beside := range []bool{false, true} {
				g := commanded(c.command)()
				if beside {
					g.AddNode("z", say("z"))
					g.AddEdge(graph.Start, "z")
				}
				p := play(t.Context(), mustCompile(t, g), update{}, graph.RunOptions{})
				var bad *graph.CommandError
				var failed *graph.NodeError
				if !errors.As(p.err, &bad) || !errors.As(p.err, &failed) || failed.Node != "a" || bad.Node != "a" || bad.Target != c.target || bad.Send != c.send ||
					!slices.Equal(bad.Declared, []string{"b", "c", "d", graph.End}) || len(bad.Known) < 4 {
					t.Errorf("%q: error %v", c.says, p.err)
					continue
				}
				if !beside && !strings.Contains(p.err.Error(), c.says) {
					t.Errorf("%q does not say %q", p.err, c.says)
				}
				if errors.Is(p.err, graph.ErrInvalidUpdate) != (c.target == graph.End) || len(p.final.Log) > 0 {
					t.Errorf("error %v, log %q", p.err, p.final.Log)
				}
				got := slices.DeleteFunc(p.pick(graph.NodeFailed), func(l string) bool {
					return strings.HasPrefix(l, "node_error z ") && strings.Contains(l, "another node")
				})
				if len(got) != 1 { // z, if it is beside, may return too late
					t.Errorf("failures %q", got)
				}
			}
		}
	}},
	{"C4/command_undeclared", func(t *testing.T) {
		g := wire("START -> a -> b", map[string]node{"a": writes(goTo("b"))})
		if _, err := mustCompile(t, g).Invoke(t.Context(), update{}, nil); err == nil || !strings.Contains(err.Error(), "are (none)") {
			t.Errorf("error %v", err)
		}
		if _, err := mustCompile(t, g).Invoke(t.Context(), update{goTo("b")}, nil); !errors.Is(err, graph.ErrInvalidUpdate) || !strings.Contains(err.Error(), "input") {
			t.Errorf("a command as input: %v", err)
		}
	}},
	{"C9/undeclared", func(t *testing.T) {
		// The child's Commands are checked as the parent node's own.
		child := mustCompile(t, wire("START -> i", map[string]node{"i": writes(graph.Parent[board](update{goTo("pb")}))}))
		g := wire("pb -> END", nil)
		g.AddSubgraph("sub", child)
		g.AddEdge(graph.Start, "sub")
		g.AddEdge("sub", "pb")
		var bad *graph.CommandError
		if _, err := mustCompile(t, g).Invoke(t.Context(), update{}, nil); !errors.As(err, &bad) || bad.Node != "sub" || bad.Target != "pb" {
			t.Errorf("error %v", err)
		}
	}},
	{"C9/mapped", func(t *testing.T) {
		// The update is of the parent's type; without a Goto the parent's own
		// edges lead on. Retries and handlers do not take it for a failure.
		for _, how := range []string{"mapped", "invoked", "streamed"} {
			child := newJobGraph()
			calls := 0
			child.AddNode("n", func(context.Context, job) (graph.Update[job], error) {
				calls++
				return graph.Update[job]{graph.Parent[job](update{x.Add(5)})}, nil
			})
			child.AddEdge(graph.Start, "n")
			app := mustCompile(t, child)
			in := func(board) graph.Update[job] { return graph.Update[job]{} }
			opts := graph.NodeOptions[board]{Retry: []graph.RetryPolicy{{RetryOn: func(error) bool { return true }}}}
			g := wire("after -> END", nil)
			switch how {
			case "mapped":
				graph.AddMappedSubgraph(g, "sub", app, in, func(job) update { return update{x.Add(1000)} }, opts)
			case "invoked":
				g.AddNode("sub", func(ctx context.Context, s board) (update, error) {
					if _, err := app.Invoke(ctx, in(s), nil); err != nil {
						return nil, fmt.Errorf("asking: %w", err)
					}
					return update{x.Add(1000)}, nil
				}, opts)
			default:
				g.AddNode("sub", func(ctx context.Context, s board) (update, error) {
					for _, err := range app.Stream(ctx, in(s), nil) {
						if err != nil {
							return nil, err
						}
					}
					return update{x.Add(1000)}, nil
				}, opts)
			}
			g.AddEdge(graph.Start, "sub")
			g.AddEdge("sub", "after")
			p := play(t.Context(), mustCompile(t, g), update{}, graph.RunOptions{})
			if diff := differ(board{X: 5, Log: []string{"after"}}, p.final); diff != "" || p.err != nil || calls != 1 {
				t.Errorf("%s: %d calls, error %v, state:\n%s", how, calls, p.err, diff)
			}
		}
	}},
	{"C9/grandparent", func(t *testing.T) {
		child := mustCompile(t, wire("START -> i", map[string]node{"i": writes(graph.Parent[board](update{graph.Parent[board](update{log.Add("from below"), goTo("pb")})}))}))
		mid := wire("m -> END", nil)
		mid.AddSubgraph("sub", child)
		mid.AddEdge(graph.Start, "sub")
		mid.AddEdge("sub", "m")
		g := wire("pb -> END", nil)
		g.AddSubgraph("mid", mustCompile(t, mid), graph.NodeOptions[board]{Goto: []string{"pb"}})
		g.AddEdge(graph.Start, "mid")
		out, err := mustCompile(t, g).Invoke(t.Context(), update{}, nil)
		if err != nil || !slices.Equal(out.Log, []string{"from below", "pb"}) {
			t.Errorf("log %q, error %v", out.Log, err)
		}
	}},
	{"C9/refused", func(t *testing.T) {
		up := graph.Parent[board](update{log.Add("up")})
		for name, c := range map[string]struct {
			child *graph.StateGraph[board]
			says  string
		}{
			"two":    {wire("START -> i1 i2", map[string]node{"i1": writes(up), "i2": writes(up)}), `"i1" and "i2" both hand over`},
			"beside": {wire("START -> i1", map[string]node{"i1": writes(log.Add("lost"), up)}), `"i1" returned a Parent together with other writes`},
			"type": {wire("START -> i1", map[string]node{"i1": writes(graph.Parent[board](graph.Update[job]{}))}),
				"with an update of a graph_test.job, but the parent's state is a graph_test.board"},
		} {
			out, err := inside(t, c.child).Invoke(t.Context(), update{}, nil)
			if !errors.Is(err, graph.ErrInvalidUpdate) || !strings.Contains(err.Error(), c.says) || !slices.Equal(out.Log, []string{"before"}) {
				t.Errorf("%s: log %q, error %v", name, out.Log, err)
			}
		}
	}},
	{"C9/beside_others", func(t *testing.T) {
		// The superstep is finished: one that fails decides, whoever was quicker.
		for _, concurrency := range []int{0, 1} {
			ran := false
			p := play(t.Context(), inside(t, wire("START -> i1 i2 i3", map[string]node{
				"i2": writes(graph.Parent[board](update{log.Add("up")})),
				"i3": slowly(5*ms, func(context.Context, board) (update, error) { ran = true; return nil, nil }),
			})), update{}, graph.RunOptions{Concurrency: concurrency})
			if p.err != nil || !ran || !slices.Equal(p.final.Log, []string{"before", "up", "later"}) {
				t.Errorf("i3 ran: %t; log %q, error %v", ran, p.final.Log, p.err)
			}
			_, err := inside(t, wire("START -> i1 i2", map[string]node{
				"i1": writes(graph.Parent[board](update{log.Add("up")})),
				"i2": slowly(5*ms, func(context.Context, board) (update, error) { return nil, errBoom }),
			})).Invoke(t.Context(), update{}, &graph.RunOptions{Concurrency: concurrency})
			if !errors.Is(err, errBoom) {
				t.Errorf("error %v", err)
			}
		}
	}},
	{"C10", func(t *testing.T) {
		for _, shape := range []string{"START -> a", "START -> a z"} {
			app := mustCompile(t, wire(shape, map[string]node{"a": writes(graph.Parent[board](update{log.Add("up")}))}))
			out, err := app.Invoke(t.Context(), update{}, nil)
			var failed *graph.NodeError
			if !errors.Is(err, graph.ErrNoParentGraph) || !errors.As(err, &failed) || failed.Node != "a" || len(out.Log) > 0 {
				t.Errorf("log %q, error %v", out.Log, err)
			}
		}
	}},
	{"H7/goto", func(t *testing.T) {
		for _, c := range []struct {
			to   []string
			want graph.Problem
		}{
			{[]string{"ghost"}, graph.Problem{Code: graph.UnknownTarget, Node: "ghost"}},
			{[]string{graph.Start}, graph.Problem{Code: graph.StartAsTarget, Node: graph.Start}},
			{[]string{"a", graph.End, "a"}, graph.Problem{Code: graph.InvalidOptions, Node: "n"}},
		} {
			g := wire("START -> a", nil)
			g.AddNode("n", say("n"), graph.NodeOptions[board]{Goto: c.to})
			g.AddEdge("a", "n")
			expectProblems(t, g, c.want)
		}
		g := wire("START -> a", nil) // an island that leads to itself
		g.AddNode("n", say("n"), graph.NodeOptions[board]{Goto: []string{"n", "a"}})
		expectProblems(t, g, graph.Problem{Code: graph.Unreachable, Node: "n"})
	}},
	{"H8/goto", func(t *testing.T) {
		app := mustCompile(t, commanded()())
		sameLines(t, strings.Split(strings.TrimSpace(app.Drawing().Text()), "\n"), "graph",
			"  start", "    -> a", "  a", "    -> c", "    ?> b", "    ?> c", "    ?> d", "    ?> end", "  b", "    -> end", "  c", "    -> end", "  d", "    -> end")
		if !strings.Contains(app.Drawing().Mermaid(), "n_a -.-> n_b") || !strings.Contains(app.Drawing().DOT(), `"a" -> "b" [style=dashed]`) {
			t.Errorf("drawings:\n%s\n%s", app.Drawing().Mermaid(), app.Drawing().DOT())
		}
		other := wire("START -> a -> c -> END\nb -> END\nd -> END", nil)
		other.AddConditionalEdges("a", always(graph.Nowhere()), "b", "c", "d", graph.End)
		if mustCompile(t, other).Fingerprint() == app.Fingerprint() {
			t.Error("what a router and what a node may choose have one fingerprint")
		}
	}},
}

func TestCommandsAreValues(t *testing.T) {
	names := []string{"b", "c"}
	c := goTo(names...)
	names[0] = "d"
	first, second := c.Sends(to("b", "1")...), c.Sends(to("b", "2")...)
	long := also().Sends(to("b", "1", "2", "3")...).Sends(to("b", "4")...)
	one, other := long.Sends(to("b", "5")...), long.Sends(to("b", "6")...)
	if data, err := (update{one, other}).MarshalJSON(); err != nil || strings.Count(string(data), `"5"`) != 1 || strings.Count(string(data), `"6"`) != 1 {
		t.Errorf("two commands made of one: %s, %v", data, err)
	}
	data, err := update{log.Add("x"), c, first, second, also("d"), graph.Parent[board](graph.Update[job]{jobName.Set("j")})}.MarshalJSON()
	want := `[{"channel":"log","op":"add","value":["x"]},{"op":"goto","value":{"to":["b","c"]}},` +
		`{"op":"goto","value":{"to":["b","c"],"sends":[{"node":"b","state":{"foo":"1"}}]}},` +
		`{"op":"goto","value":{"to":["b","c"],"sends":[{"node":"b","state":{"foo":"2"}}]}},` +
		`{"op":"also","value":{"to":["d"]}},{"op":"parent","value":[{"channel":"name","op":"set","value":"j"}]}]`
	if err != nil || string(data) != want {
		t.Errorf("got  %s\nwant %s\nerror %v", data, want, err)
	}
	if _, err := (graph.Update[board]{graph.Parent[board](graph.Update[board]{nil})}).MarshalJSON(); err == nil || !strings.Contains(err.Error(), "encoding command") {
		t.Errorf("error %v", err)
	}
}

// TestOverwriteBesideACommand: an overwrite does not void commands.
func TestOverwriteBesideACommand(t *testing.T) {
	g := commanded(goTo("b"), log.Overwrite([]string{"new"}))()
	out, err := mustCompile(t, g).Invoke(t.Context(), update{}, nil)
	if err != nil || !slices.Equal(out.Log, []string{"new", "b"}) {
		t.Errorf("log %q, error %v", out.Log, err)
	}
}
