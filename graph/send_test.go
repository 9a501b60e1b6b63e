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

type send = graph.Send[board]

// to sends boards with these Foos to a node.
func to(name string, foos ...string) []send {
	var out []send
	for _, f := range foos {
		out = append(out, send{Node: name, State: board{Foo: f}})
	}
	return out
}

// sayFoo appends the node's name and what it was sent.
func sayFoo(name string) node {
	return func(_ context.Context, s board) (update, error) {
		return update{log.Add(strings.TrimSuffix(name+"|"+s.Foo, "|"))}, nil
	}
}

// mixed is the graph of C1.
func mixed() *graph.StateGraph[board] {
	g := wire("START -> 1 1.1\n3 3.1 -> END", nil)
	g.AddNode("2", sayFoo("2"))
	g.AddConditionalEdges("1", always(graph.Sends(to("2", "1", "2")...).And(graph.To("3.1"))), "2", "3.1")
	g.AddConditionalEdges("1.1", always(graph.Sends(to("2", "3", "4")...)), "2")
	g.AddConditionalEdges("2", always(graph.To("3")), "3")
	return g
}

// isolated is the graph of C3: w is sent a state of which it fills in a part.
func isolated() *graph.StateGraph[board] {
	g := wire("START -> a", nil)
	g.AddNode("w", func(ctx context.Context, s board) (update, error) {
		info, _ := graph.CurrentTask(ctx)
		return update{seen.Add(fmt.Sprintf("foo=%s x=%d log=%d hello=%q task %d send %d", s.Foo, s.X, len(s.Log), s.Hello, info.Task, info.Send))}, nil
	})
	g.AddConditionalEdges("a", always(graph.To("w").And(graph.Sends(send{Node: "w", State: board{Foo: "sent", X: 7}}, send{Node: "w"}))), "w")
	return g
}

func rowsSend() []row {
	want := board{Log: []string{"0", "1", "1.1", "3.1", "2|1", "2|2", "2|3", "2|4", "3"}}
	return []row{
		{
			id: "C1", in: update{log.Add("0")}, want: want, steps: "1 1.1 | 3.1 2 2 2 2 | 3", build: mixed,
			check: func(t *testing.T, p played) {
				var places []string
				for _, ev := range p.events {
					if ev.Kind == graph.NodeUpdate && ev.Step == 2 {
						places = append(places, fmt.Sprintf("%d %s", ev.Places[0].Task, ev.Node))
					}
				}
				slices.Sort(places)
				if got := strings.Join(places, ","); got != "0 3.1,1 2,2 2,3 2,4 2" {
					t.Errorf("places of the second step: %s", got)
				}
			},
		},
		{
			id: "C3", in: update{hello.Set("hi")}, steps: "a | w w w", build: isolated,
			want: board{Hello: "hi", Log: []string{"a"}, Seen: []string{
				`foo= x=0 log=1 hello="hi" task 0 send 0`,
				`foo=sent x=7 log=0 hello="" task 1 send 1`,
				`foo= x=0 log=0 hello="" task 2 send 2`,
			}},
		},
		{
			id: "C1/nothing_to_send", in: update{}, steps: "a", want: board{Log: []string{"a"}},
			build: routed(always(graph.Sends[board]())),
		},
		{
			id: "C1/from_start", in: update{}, steps: "b c | d", want: board{Log: []string{"b|1", "c|2", "d"}},
			build: func() *graph.StateGraph[board] {
				g := wire("b c -> d", map[string]node{"b": sayFoo("b"), "c": sayFoo("c")})
				g.AddConditionalEdges(graph.Start, always(graph.Sends(to("b", "1")...).And(graph.Sends(to("c", "2")...))), graph.End, "b", "c")
				return g
			},
		},
		{
			// Several tasks of one node are one arrival: the second of w must not
			// count for the join's next round.
			id: "C1/at_a_join", in: update{}, steps: "b | w w | j | b | w w | j",
			want: board{X: 2, Log: []string{"b", "w|1", "w|2", "j", "b", "w|1", "w|2", "j"}},
			build: func() *graph.StateGraph[board] {
				g := wire("START -> b", nil)
				g.AddNode("w", sayFoo("w"))
				g.AddNode("j", writes(log.Add("j"), x.Add(1)))
				g.AddConditionalEdges("b", always(graph.Sends(to("w", "1", "2")...)), "w")
				g.AddJoin([]string{"w", "b"}, "j")
				g.AddConditionalEdges("j", func(_ context.Context, s board) (graph.Route, error) {
					if s.X < 2 {
						return graph.To("b"), nil
					}
					return graph.Nowhere(), nil
				}, "b")
				return g
			},
		},
		{
			// A Send is not deferred. Deferred nodes wait until no Send is left.
			id: "C1/deferred", in: update{}, steps: "a | w | d | d", want: board{Log: []string{"a", "w|1", "d|2", "d"}},
			build: func() *graph.StateGraph[board] {
				g := wire("START -> a", nil)
				g.AddNode("w", sayFoo("w"))
				g.AddNode("d", sayFoo("d"), graph.NodeOptions[board]{Defer: true})
				g.AddConditionalEdges("a", always(graph.To("d").And(graph.Sends(to("w", "1")...))), "d", "w")
				g.AddConditionalEdges("w", always(graph.Sends(to("d", "2")...)), "d")
				return g
			},
		},
		{
			// A subgraph starts from its Send, and returns its writes.
			id: "C3/to_a_subgraph", in: update{log.Add("in")}, steps: "a | sub sub", want: board{Log: []string{"in", "a", "i|1", "i|2"}},
			build: func() *graph.StateGraph[board] {
				child, err := wire("START -> i", map[string]node{"i": sayFoo("i")}).Compile(nil)
				if err != nil {
					panic(err)
				}
				g := wire("START -> a", nil)
				g.AddSubgraph("sub", child)
				g.AddConditionalEdges("a", always(graph.Sends(to("sub", "1", "2")...)), "sub")
				return g
			},
		},
	}
}

var factsSend = []fact{
	{"C4/send", func(t *testing.T) {
		type stranger struct{ Foo string }
		for _, c := range []struct {
			route   graph.Route
			target  string
			invalid bool
			says    string
		}{
			{graph.Sends(send{Node: graph.End}), graph.End, true, "End takes no input"},
			{graph.Sends(send{Node: "nowhere_land"}), "nowhere_land", false, `"nowhere_land" of a Send is not declared`},
			{graph.Sends(to("b", "1")...).And(graph.Sends(to("a", "2")...)), "a", false, "not declared"}, // exists
			{graph.Sends(send{}), "", false, "names no node"},
		} {
			for _, shape := range []string{"START -> a", "START -> a z"} {
				g := wire(shape+"\nb c -> END", nil)
				g.AddConditionalPaths("a", always(c.route), graph.Path{Key: "left", Target: "b"}, graph.Path{Key: "right", Target: "c"}, graph.Path{Key: "again", Target: "b"}, graph.Path{Key: "done", Target: graph.End})
				out, err := mustCompile(t, g).Invoke(t.Context(), update{}, nil)
				var bad *graph.RouteError
				if !errors.As(err, &bad) || bad.From != "a" || bad.Target != c.target || !bad.Send || !slices.Equal(bad.Allowed, []string{"b", "c"}) {
					t.Errorf("%s: error %v", c.says, err)
					continue
				}
				for _, part := range []string{`"a"`, c.says, "b, c"} {
					if !strings.Contains(err.Error(), part) {
						t.Errorf("%q does not say %q", err, part)
					}
				}
				if errors.Is(err, graph.ErrInvalidUpdate) != c.invalid || len(out.Log) > 0 {
					t.Errorf("error %v, log %q", err, out.Log)
				}
			}
		}
		ends := wire("START -> a", nil)
		ends.AddConditionalEdges("a", always(graph.Sends(to("a", "1")...)), graph.End)
		if _, err := mustCompile(t, ends).Invoke(t.Context(), update{}, nil); err == nil || !strings.Contains(err.Error(), "no node is declared") {
			t.Errorf("nothing to send to: %v", err)
		}
		foreign := routed(always(graph.Sends(graph.Send[stranger]{Node: "b"})))()
		if _, err := mustCompile(t, foreign).Invoke(t.Context(), update{}, nil); !errors.Is(err, graph.ErrInvalidUpdate) || !strings.Contains(err.Error(), "stranger") || !strings.Contains(err.Error(), "board") {
			t.Errorf("a Send of another state: %v", err)
		}
	}},
	{"C4/send_fails", func(t *testing.T) {
		g := wire("START -> a", nil)
		g.AddNode("w", func(_ context.Context, s board) (update, error) {
			if s.Foo == "2" {
				return nil, errBoom
			}
			return update{log.Add(s.Foo)}, nil
		})
		g.AddConditionalEdges("a", always(graph.Sends(to("w", "1", "2", "3")...)), "w")
		p := play(t.Context(), mustCompile(t, g), update{}, graph.RunOptions{Concurrency: 1})
		var failed *graph.NodeError
		if !errors.As(p.err, &failed) || failed.Node != "w" || failed.Send != 2 || !strings.Contains(p.err.Error(), `"w" in step 2, send 2: boom`) {
			t.Errorf("error %v", p.err)
		}
		if next := p.end(t).Nodes; !slices.Equal(next, []string{"w", "w", "w"}) || !slices.Equal(p.final.Log, []string{"a"}) {
			t.Errorf("still to run %q, log %q", next, p.final.Log)
		}
		over := play(t.Context(), mustCompile(t, g), update{}, graph.RunOptions{RecursionLimit: 1})
		overLimit(t, over.err, 1, "w", "w", "w")
	}},
}

func TestRouteAnd(t *testing.T) {
	var none graph.Route
	for _, c := range []struct {
		route graph.Route
		steps string
	}{
		{none.And(graph.To("b")), "a | b"},
		{graph.To("b").And(none), "a | b"},
		{graph.To("b").And(graph.Nowhere()), "a | b"},
		{graph.Nowhere().And(graph.To("b", "c")), "a | b c"},
		{graph.Nowhere().And(none), "a"},
		{none.And(graph.Nowhere()), "a"},
		{graph.To("c").And(graph.To("b", "c")), "a | b c"},
		{graph.Sends(to("c", "1")...).And(graph.To("b")).And(graph.Sends(to("b", "2")...)), "a | b c b"},
	} {
		p := play(t.Context(), mustCompile(t, routed(always(c.route))()), update{}, graph.RunOptions{})
		if p.err != nil || p.steps() != c.steps {
			t.Errorf("steps %s, want %s; error %v", p.steps(), c.steps, p.err)
		}
	}
	p := play(t.Context(), mustCompile(t, routed(always(none.And(none)))()), update{}, graph.RunOptions{})
	if !errors.As(p.err, new(*graph.RouteError)) {
		t.Errorf("nothing and nothing: %v", p.err)
	}
}

// TestSentListsAreApart: nodes append to a list that they share by Sends.
func TestSentListsAreApart(t *testing.T) {
	shared := make([]string, 1, 64)
	g := wire("START -> a", nil)
	g.AddNode("w", func(_ context.Context, s board) (update, error) {
		mine := s.Log
		for range 30 {
			mine = append(mine, s.Foo)
		}
		for _, got := range mine[1:] {
			if got != s.Foo {
				t.Errorf("%s reads %s in its own list", s.Foo, got)
			}
		}
		return nil, nil
	})
	g.AddConditionalEdges("a", func(context.Context, board) (graph.Route, error) {
		var all []send
		for i := range 8 {
			all = append(all, send{Node: "w", State: board{Log: shared, Foo: fmt.Sprint(i)}})
		}
		return graph.Sends(all...), nil
	}, "w")
	if _, err := mustCompile(t, g).Invoke(t.Context(), update{}, nil); err != nil {
		t.Error(err)
	}
	if got := shared[:cap(shared)]; slices.ContainsFunc(got, func(s string) bool { return s != "" }) {
		t.Errorf("the sender's list was written to: %q", got)
	}
}

// TestSendsOfVaryingWidth: later supersteps reuse the memory of earlier Sends, and
// must not see them.
func TestSendsOfVaryingWidth(t *testing.T) {
	g := wire("START -> a", map[string]node{"a": writes(x.Add(1))})
	g.AddNode("w", writes())
	g.AddConditionalEdges("a", func(_ context.Context, s board) (graph.Route, error) {
		var all []send
		for range s.X % 4 {
			all = append(all, send{Node: "w", State: board{Foo: fmt.Sprint(s.X)}})
		}
		if s.X >= 50 {
			return graph.Nowhere(), nil
		}
		return graph.Sends(all...).And(graph.To("a")), nil
	}, "a", "w")
	app := mustCompile(t, g)
	p := play(t.Context(), app, update{}, graph.RunOptions{})
	var want []string
	for n := range 50 {
		want = append(want, "a"+strings.Repeat(" w", n%4))
	}
	if p.err != nil || p.steps() != strings.Join(want, " | ") {
		t.Errorf("error %v, steps %s", p.err, p.steps())
	}
}
