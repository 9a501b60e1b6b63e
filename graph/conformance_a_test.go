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

// Group A: supersteps, ordering, reducers, joins.

func slowly(d time.Duration, n node) node {
	return func(ctx context.Context, s board) (update, error) {
		select {
		case <-time.After(d):
			return n(ctx, s)
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func sees(name string, add int) node {
	return func(_ context.Context, s board) (update, error) {
		u := update{seen.Add(fmt.Sprintf("%s,%d", name, s.X))}
		if add > 0 {
			u = append(u, x.Add(add))
		}
		return u, nil
	}
}

func rowsA() []row {
	return []row{
		{
			id: "A1", steps: "a b", want: board{Log: []string{"a", "b"}},
			build: func() *graph.StateGraph[board] {
				return wire("START -> a b", map[string]node{"a": slowly(30*time.Millisecond, say("a"))})
			},
			in: update{log.Add()},
			check: func(t *testing.T, p played) {
				sameLines(t, p.pick(graph.NodeUpdate), // in order of completion
					`node_update b [{"channel":"log","op":"add","value":["b"]}]`,
					`node_update a [{"channel":"log","op":"add","value":["a"]}]`)
			},
		},
		{
			id: "A1/registered_in_reverse", steps: "a b", want: board{Log: []string{"a", "b"}},
			build: func() *graph.StateGraph[board] {
				return wire("START -> b a", map[string]node{"a": slowly(30*time.Millisecond, say("a"))})
			},
			in: update{log.Add()},
		},
		{
			id: "A2", steps: "a b | c",
			want: board{X: 111, Seen: []string{"a,1", "b,1", "c,111"}},
			build: func() *graph.StateGraph[board] {
				return wire("START -> a b -> c", map[string]node{"a": sees("a", 10), "b": sees("b", 100), "c": sees("c", 0)})
			},
			in: update{x.Add(1)},
		},
		{
			id: "A4", steps: "s | l1 r1 | l2 | j", want: board{Log: []string{"s", "l1", "r1", "l2", "j"}},
			build: func() *graph.StateGraph[board] {
				return wire("START -> s -> l1 -> l2\ns -> r1\nl2 r1 => j", nil)
			},
			in: update{},
		},
		{
			id: "A5", steps: "s | l1 r1 | j l2 | j", want: board{Log: []string{"s", "l1", "r1", "j", "l2", "j"}},
			build: func() *graph.StateGraph[board] {
				return wire("START -> s -> l1 -> l2 -> j\ns -> r1 -> j", nil)
			},
			in: update{},
		},
		{
			id: "A6", steps: "q | an qa r2 | r1 | qa", want: board{Log: []string{"q", "an", "qa", "r2", "r1", "qa"}},
			build: func() *graph.StateGraph[board] {
				return wire("START -> q -> an -> r1\nq -> r2\nr1 r2 => qa\nq -> qa", nil)
			},
			in: update{},
		},
		{
			id: "A7", steps: "rw | an r2 | r1 | dec | rw | an r2 | r1 | dec | qa",
			want: board{
				Query: "analyzed: query: analyzed: query: w",
				Docs:  []string{"doc1", "doc1", "doc2", "doc2", "doc3", "doc3", "doc4", "doc4"},
				Log:   []string{"qa"},
			},
			build: rewriteLoop,
			in:    update{query.Set("w")},
			check: func(t *testing.T, p played) {
				if got := slices.DeleteFunc(p.pick(graph.NodeUpdate), func(l string) bool { return !strings.Contains(l, " dec ") }); len(got) != 2 || got[0] != "node_update dec []" {
					t.Errorf("updates of dec: %q, want two empty ones", got)
				}
			},
		},
		{
			id: "A9", steps: "a", want: board{Log: []string{"a"}},
			build: func() *graph.StateGraph[board] {
				g := wire("b -> END\na b => j", nil)
				g.AddEdge(graph.Start, "a")
				g.AddConditionalEdges("a", always(graph.To(graph.End)), "b", graph.End)
				return g
			},
			in: update{},
			check: func(t *testing.T, p played) {
				if got := p.end(t).Waiting; !slices.Equal(got, []string{"a+b => j"}) {
					t.Errorf("joins that wait at the end: %q", got)
				}
			},
		},
		{
			id: "A10", steps: "s | l1 r1 | l2 | j", want: board{Log: []string{"s", "l1", "r1", "l2", "j"}},
			build: func() *graph.StateGraph[board] {
				g := wire("START -> s -> l1 -> l2\ns -> r1", nil)
				g.AddNode("j", say("j"), graph.NodeOptions[board]{Defer: true})
				g.AddEdge("l2", "j")
				g.AddEdge("r1", "j")
				return g
			},
			in: update{},
		},
		{
			id: "A13", steps: "a | b c | d", want: board{Log: []string{"b", "d"}},
			build: func() *graph.StateGraph[board] {
				return wire("START -> a -> b c -> d", map[string]node{"a": writes(), "b": writes(log.Overwrite([]string{"b"}))})
			},
			in: update{log.Add("S")},
		},
		{
			id: "A14", steps: "a | b", want: board{Foo: "a1a2b"},
			build: func() *graph.StateGraph[board] {
				return wire("START -> a -> b", map[string]node{"a": writes(foo.Add("a1"), foo.Add("a2")), "b": writes(foo.Add("b"))})
			},
			in: update{},
			check: func(t *testing.T, p played) {
				sameLines(t, p.pick(graph.NodeUpdate),
					`node_update a [{"channel":"foo","op":"add","value":"a1"},{"channel":"foo","op":"add","value":"a2"}]`,
					`node_update b [{"channel":"foo","op":"add","value":"b"}]`)
			},
		},
		{
			id: "A15", steps: "a | b | c", want: board{Log: []string{"c"}},
			build: func() *graph.StateGraph[board] {
				return wire("START -> a -> b -> c", map[string]node{"a": writes(), "b": writes([]graph.Write[board]{}...)})
			},
			in: update{},
			check: func(t *testing.T, p played) {
				sameLines(t, p.pick(graph.NodeUpdate, graph.StateValue), // no value for a step that wrote nothing
					`values {}`, `node_update a []`, `node_update b []`,
					`node_update c [{"channel":"log","op":"add","value":["c"]}]`, `values {"log":["c"]}`)
			},
		},
		{
			id: "A16", steps: "a | b", want: board{Out: "px!"},
			build: func() *graph.StateGraph[board] {
				g := newBoard()
				g.Input(inp, seen)
				g.Output(outp)
				g.AddNode("a", func(_ context.Context, s board) (update, error) {
					return update{priv.Set("p" + s.Inp + s.Out + s.Priv), hello.Set(fmt.Sprint(len(s.Seen)))}, nil
				}, graph.NodeOptions[board]{Reads: []graph.Channel[board]{inp}})
				g.AddNode("b", func(_ context.Context, s board) (update, error) {
					return update{outp.Set(s.Priv + "!" + s.Hello)}, nil
				}, graph.NodeOptions[board]{Reads: []graph.Channel[board]{inp, priv}})
				g.AddEdge(graph.Start, "a")
				g.AddEdge("a", "b")
				return g
			},
			in: update{inp.Set("x"), outp.Set("junk"), seen.Add("unread")},
			check: func(t *testing.T, p played) {
				sameLines(t, p.pick(graph.StateValue), // every key, whatever Output says
					`values {"seen":["unread"],"inp":"x"}`,
					`values {"seen":["unread"],"hello":"0","inp":"x","priv":"px"}`,
					`values {"seen":["unread"],"hello":"0","inp":"x","out":"px!","priv":"px"}`)
			},
		},
		{
			id: "A17", steps: "a", want: board{Log: []string{"1", "a"}, Hello: "keep"},
			build: func() *graph.StateGraph[board] { return wire("START -> a", nil) },
			in:    update{log.Add("1"), hello.Set("keep")},
		},
	}
}

func rewriteLoop() *graph.StateGraph[board] {
	prefix := func(p string) node {
		return func(_ context.Context, s board) (update, error) { return update{query.Set(p + s.Query)}, nil }
	}
	g := wire("START -> rw -> an -> r1\nrw -> r2\nr1 r2 => dec\nqa -> END", map[string]node{
		"rw": prefix("query: "), "an": prefix("analyzed: "), "dec": writes(),
		"r1": writes(docs.Add([]string{"doc1", "doc2"})), "r2": writes(docs.Add([]string{"doc3", "doc4"})),
	})
	g.AddConditionalEdges("dec", func(_ context.Context, s board) (graph.Route, error) {
		if strings.Count(s.Query, "analyzed") < 2 {
			return graph.To("rw"), nil
		}
		return graph.To("qa"), nil
	}, "rw", "qa")
	return g
}

var factsA = []fact{
	{"A3", func(t *testing.T) {
		world := writes(hello.Set("world"))
		nodes := map[string]node{"a": world, "b": world, "c": world}
		chosen := wire("b c -> END", nodes)
		chosen.AddConditionalEdges(graph.Start, always(graph.To("c", "b")), "b", "c")
		for name, g := range map[string]*graph.StateGraph[board]{"static": wire("START -> a -> b c", nodes), "conditional_entry": chosen} {
			p := play(t.Context(), mustCompile(t, g), update{}, graph.RunOptions{})
			var conflict *graph.ConflictError
			if !errors.As(p.err, &conflict) || !errors.Is(p.err, graph.ErrInvalidUpdate) {
				t.Fatalf("%s: error %v, want a conflict", name, p.err)
			}
			if conflict.Channel != "hello" || !slices.Equal(conflict.Writers, []string{"b", "c"}) || conflict.Op != graph.OpSet {
				t.Errorf("%s: conflict %+v", name, conflict)
			}
			for _, part := range []string{`"hello"`, "b, c", "Append or Reduce"} {
				if !strings.Contains(p.err.Error(), part) {
					t.Errorf("%s: %q does not say %q", name, p.err, part)
				}
			}
			if want := map[string]string{"static": "world"}[name]; p.final.Hello != want {
				t.Errorf("%s: hello is %q, want %q: the failed step must leave no trace", name, p.final.Hello, want)
			}
			if got := p.end(t).Nodes; !slices.Equal(got, []string{"b", "c"}) {
				t.Errorf("%s: still to run %q", name, got)
			}
		}
	}},
	{"A3/one_node_twice", func(t *testing.T) {
		app := mustCompile(t, wire("START -> a", map[string]node{"a": writes(hello.Set("1"), hello.Set("2"))}))
		_, err := app.Invoke(t.Context(), update{}, nil)
		if !errors.Is(err, graph.ErrInvalidUpdate) {
			t.Errorf("error %v", err)
		}
		if _, err = app.Invoke(t.Context(), update{hello.Set("1"), hello.Set("2")}, nil); !errors.Is(err, graph.ErrInvalidUpdate) || !strings.Contains(err.Error(), "merging the input") {
			t.Errorf("twice in the input: error %v", err)
		}
	}},
	{"A13/two_overwrites", func(t *testing.T) {
		over := writes(log.Overwrite(nil))
		_, err := mustCompile(t, wire("START -> b c", map[string]node{"b": over, "c": over})).Invoke(t.Context(), update{log.Add("S")}, nil)
		var conflict *graph.ConflictError
		if !errors.As(err, &conflict) || conflict.Op != graph.OpOverwrite || !strings.Contains(err.Error(), "only one Overwrite") {
			t.Errorf("error %v", err)
		}
	}},
	{"A13/overwrite_beats_set", func(t *testing.T) {
		app := mustCompile(t, wire("START -> b c d", map[string]node{
			"b": writes(hello.Set("b"), x.Add(1)), "c": writes(hello.Overwrite("c"), x.Overwrite(40)), "d": writes(hello.Set("d"), x.Add(2))}))
		out, err := app.Invoke(t.Context(), update{x.Add(7)}, nil)
		if err != nil || out.Hello != "c" || out.X != 40 {
			t.Errorf("got %+v, %v", out, err)
		}
	}},
	{"A15/unknown_channel", func(t *testing.T) {
		stray := graph.LastValue("hello", func(s *board) *string { return &s.Hello })
		_, err := mustCompile(t, wire("START -> a", map[string]node{"a": writes(stray.Set("x"))})).Invoke(t.Context(), update{}, nil)
		var unknown *graph.UnknownChannelError
		if !errors.As(err, &unknown) || unknown.Writer != "a" || unknown.Channel != "hello" || !errors.Is(err, graph.ErrInvalidUpdate) {
			t.Errorf("error %v", err)
		}
		if _, err := mustCompile(t, wire("START -> a", nil)).Invoke(t.Context(), update{stray.Set("x")}, nil); !errors.As(err, &unknown) || unknown.Writer != graph.Start {
			t.Errorf("in the input: error %v", err)
		}
	}},
	{"A15/nil_write", func(t *testing.T) {
		for name, ends := range map[string]string{"alone": "START -> a", "beside": "START -> a b"} {
			p := play(t.Context(), mustCompile(t, wire(ends, map[string]node{"a": writes(nil)})), update{}, graph.RunOptions{})
			if !errors.Is(p.err, graph.ErrInvalidUpdate) || !strings.Contains(p.err.Error(), `"a"`) {
				t.Errorf("%s: error %v", name, p.err)
			}
		}
		g := wire("START -> a", nil)
		g.Input(inp)
		if _, err := mustCompile(t, g).Invoke(t.Context(), update{nil}, nil); !errors.Is(err, graph.ErrInvalidUpdate) {
			t.Errorf("in the input: error %v", err)
		}
	}},
	{"A15/input", func(t *testing.T) {
		app := mustCompile(t, wire("START -> a", nil))
		if _, err := app.Invoke(t.Context(), nil, nil); !errors.Is(err, graph.ErrEmptyInput) {
			t.Errorf("nil input: error %v", err)
		}
		if p := play(t.Context(), app, nil, graph.RunOptions{}); !errors.Is(p.err, graph.ErrEmptyInput) || len(p.events) > 0 {
			t.Errorf("nil input to Stream: %d events, error %v", len(p.events), p.err)
		}
		if out, err := app.Invoke(t.Context(), update{}, nil); err != nil || len(out.Log) != 1 {
			t.Errorf("empty input: %v, %v", out, err)
		}
	}},
}
