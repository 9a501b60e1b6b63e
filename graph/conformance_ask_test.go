package graph_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"example.com/assay/graph"
)

// Graphs of cases that ask, record effects and try again. Each driver runs them.

// A dialogue is such a graph with answers to what it asks, by the text of the question.
type dialogue struct {
	id      string
	build   func(t testing.TB, c *calls) *graph.StateGraph[board]
	answers map[string][]any // in the order in which a question is asked again
}

// asked makes a dialogue of a graph that asks without a test.
func asked(build func(*calls) *graph.StateGraph[board]) func(testing.TB, *calls) *graph.StateGraph[board] {
	return func(_ testing.TB, c *calls) *graph.StateGraph[board] { return build(c) }
}

// dialogues are made anew for every reader.
func dialogues() []dialogue {
	return []dialogue{
		{"D1", asked(askBetween), map[string][]any{`"q?"`: {"yes"}}},
		{"D2", asked(askTwice), map[string][]any{`"1?"`: {"x"}, `"2?"`: {"y"}}},
		{"D3", asked(askUntilValid), map[string][]any{`"How old are you?"`: {13}, `"invalid"`: {15, 19}}},
		{"D4", asked(askBeside), map[string][]any{`"1?"`: {"A"}, `"2?"`: {"B"}}},
		{"D4/sends", asked(askInSends), map[string][]any{`"a?"`: {"A"}, `"b?"`: {"B"}, `"c?"`: {"C"}}},
		{"D4/joined", asked(askJoined), map[string][]any{`"name?"`: {"Ann"}, `"age?"`: {7}}},
		{"D4/wrong_type", asked(askJoined), map[string][]any{`"name?"`: {"Ann"}, `"age?"`: {"seven", 7}}},
		{"D13", func(_ testing.TB, c *calls) *graph.StateGraph[board] { return askWithPolicies(c, true) }, map[string][]any{`"q?"`: {"y"}}},
		{"E7", func(t testing.TB, c *calls) *graph.StateGraph[board] { return retriedAround(t, c, true) }, nil},
		{"E7/subgraph", func(t testing.TB, c *calls) *graph.StateGraph[board] { return retriedAround(t, c, false) }, nil},
		{"E12", func(testing.TB, *calls) *graph.StateGraph[board] { return rescued(new(int), true) }, nil},
		{"H2", func(t testing.TB, c *calls) *graph.StateGraph[board] {
			return wire("START -> p", c.counting(map[string]node{"p": turns(keeping(t, askBelow(c), graph.PersistPerRun))}))
		}, map[string][]any{`"q?"`: {"ok"}}},
		{"H2/node", func(t testing.TB, c *calls) *graph.StateGraph[board] { g, _ := askInSubgraph(t, c); return g }, map[string][]any{`"q?"`: {"ok"}}},
		{"H2/three_levels", func(t testing.TB, c *calls) *graph.StateGraph[board] { g, _, _ := askDeepBelow(t, c); return g }, map[string][]any{`"q?"`: {"y"}}},
		{"H2/in_sends", func(t testing.TB, _ *calls) *graph.StateGraph[board] {
			return askInSubgraphSends(t, graph.PersistPerRun)
		},
			map[string][]any{`"1x"`: {"b"}, `"2x"`: {"c"}, `"1y"`: {"a"}, `"2y"`: {"d"}}},
		{"H4", asked(onceAndAsk), map[string][]any{`2`: {"a"}, `4`: {"b"}, `6`: {"c"}}},
	}
}

// askTwice asks two things, one after the other, in one node.
func askTwice(c *calls) *graph.StateGraph[board] {
	return wire("START -> n", c.counting(map[string]node{"n": func(ctx context.Context, _ board) (update, error) {
		a, err := graph.Interrupt[string](ctx, "q", "1?")
		if err != nil {
			return nil, err
		}
		b, err := graph.Interrupt[string](ctx, "q", "2?")
		if err != nil {
			return nil, err
		}
		return update{log.Add(a, b)}, nil
	}}))
}

// askUntilValid asks for an age until it is one of an adult.
func askUntilValid(c *calls) *graph.StateGraph[board] {
	return wire("START -> n", c.counting(map[string]node{"n": func(ctx context.Context, _ board) (update, error) {
		for prompt := "How old are you?"; ; prompt = "invalid" {
			age, err := graph.Interrupt[int](ctx, "age", prompt)
			if err != nil {
				return nil, err
			}
			if age >= 18 {
				return update{x.Add(age)}, nil
			}
		}
	}}))
}

// askInSends is three tasks of one node that ask.
func askInSends(c *calls) *graph.StateGraph[board] {
	g := wire("w -> END", map[string]node{"w": func(ctx context.Context, s board) (update, error) {
		c.note("w")
		return asks(s.Foo, s.Foo+"?")(ctx, s)
	}})
	g.AddConditionalEdges(graph.Start, always(graph.Sends(to("w", "a", "b", "c")...)), "w")
	return g
}

// askJoined asks for two things at once in one node.
func askJoined(c *calls) *graph.StateGraph[board] {
	return wire("START -> n", c.counting(map[string]node{"n": func(ctx context.Context, _ board) (update, error) {
		name, err1 := graph.Interrupt[string](ctx, "name", "name?")
		age, err2 := graph.Interrupt[int](ctx, "age", "age?")
		if err := errors.Join(err1, err2); err != nil {
			return nil, err
		}
		return update{log.Add(name), x.Add(age)}, nil
	}}))
}

// askWithPolicies asks in a node with retries, a handler and timeouts, maybe beside another.
func askWithPolicies(c *calls, beside bool) *graph.StateGraph[board] {
	g := newBoard()
	g.AddNode("ask", c.of("ask", asks("h", "q?")), options{
		Retry: []graph.RetryPolicy{{MaxAttempts: 5, InitialInterval: ms, RetryOn: func(error) bool { return true }}},
		OnError: func(context.Context, board, error) (update, error) {
			c.note("handler")
			return nil, nil
		},
		Timeout: graph.Timeout{Run: 1 << 40, Idle: 1 << 40},
	})
	g.AddEdge(graph.Start, "ask")
	if beside {
		g.AddNode("z", writes())
		g.AddEdge(graph.Start, "z")
	}
	return g
}

// askInSubgraph is pre -> sub, which is askBelow.
func askInSubgraph(t testing.TB, c *calls) (g *graph.StateGraph[board], child *graph.Compiled[board]) {
	child = keeping(t, askBelow(c), graph.PersistPerRun)
	g = wire("START -> pre", c.counting(map[string]node{"pre": nil}))
	g.AddSubgraph("sub", child)
	g.AddEdge("pre", "sub")
	return g, child
}

// askDeepBelow asks on the third level.
func askDeepBelow(t testing.TB, c *calls) (g *graph.StateGraph[board], l2, l3 *graph.Compiled[board]) {
	l3 = keeping(t, wire("START -> b -> c", c.counting(map[string]node{"b": nil, "c": asks("c", "q?")})), graph.PersistPerRun)
	g2 := wire("START -> a", c.counting(map[string]node{"a": nil}))
	g2.AddSubgraph("l3", l3)
	g2.AddEdge("a", "l3")
	l2 = keeping(t, g2, graph.PersistPerRun)
	g = newBoard()
	g.AddSubgraph("l2", l2)
	g.AddEdge(graph.Start, "l2")
	return g, l2, l3
}

// askInSubgraphSends is a graph in each of two Sends, of which two nodes ask.
func askInSubgraphSends(t testing.TB, persist graph.Persistence) *graph.StateGraph[board] {
	child := keeping(t, wire("START -> i1 i2", map[string]node{
		"i1": func(ctx context.Context, s board) (update, error) { return asks("i1"+s.Foo, "1"+s.Foo)(ctx, s) },
		"i2": func(ctx context.Context, s board) (update, error) { return asks("i2"+s.Foo, "2"+s.Foo)(ctx, s) },
	}), persist)
	g := newBoard()
	g.AddSubgraph("sub", child)
	g.AddConditionalEdges(graph.Start, always(graph.Sends(to("sub", "x", "y")...)), "sub")
	return g
}

// onceAndAsk records an effect before each of three questions in one node.
func onceAndAsk(c *calls) *graph.StateGraph[board] {
	return wire("START -> flow", c.counting(map[string]node{"flow": func(ctx context.Context, s board) (update, error) {
		var out []string
		for i := range 3 {
			n, err := graph.Once(ctx, "double", func(context.Context) (int, error) { c.note("task"); return 2 * (i + 1), nil })
			if err != nil {
				return nil, err
			}
			answer, err := graph.Interrupt[string](ctx, "next", n)
			if err != nil {
				return nil, err
			}
			out = append(out, fmt.Sprint(n), answer)
		}
		return update{log.Add(out...)}, nil
	}}))
}

// retriedAround retries a node around a graph that fails twice. The node calls the graph,
// or is it.
func retriedAround(t testing.TB, c *calls, called bool) *graph.StateGraph[board] {
	child := mustCompile(t, wire("START -> s1 -> s2", c.counting(map[string]node{"s1": nil, "s2": func(context.Context, board) (update, error) {
		if c.times("s2") < 3 {
			return nil, errBoom
		}
		return update{log.Add("s2")}, nil
	}})))
	g := newBoard()
	retry := options{Retry: []graph.RetryPolicy{{MaxAttempts: 3, InitialInterval: ms}}}
	if called {
		g.AddNode("p", c.of("p", func(ctx context.Context, s board) (update, error) {
			out, err := child.Invoke(ctx, update{log.Add(s.Log...)}, nil)
			return update{log.Overwrite(out.Log)}, err
		}), retry)
	} else {
		g.AddSubgraph("p", child, retry)
	}
	g.AddEdge(graph.Start, "p")
	return g
}

// rescued fails twice, maybe beside another node, and its handler goes elsewhere than its
// edge.
func rescued(count *int, beside bool) *graph.StateGraph[board] {
	g := wire("after static -> END", nil)
	if beside {
		g.AddNode("z", say("z"))
		g.AddEdge(graph.Start, "z")
	}
	g.AddNode("bad", fails(count, errBoom), options{Retry: twice, OnError: rescues(goTo("after")), Goto: []string{"after"}})
	g.AddEdge(graph.Start, "bad")
	g.AddEdge("bad", "static")
	return g
}
