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

// brief is ephemeral, conn untracked; each has a field of the board's.
var (
	brief = graph.Ephemeral("brief", func(s *board) *string { return &s.Inp })
	conn  = graph.Untracked("conn", func(s *board) *string { return &s.Priv })
)

// peeks notes what it reads of both, then makes these writes.
func peeks(name string, w ...graph.Write[board]) node {
	return func(_ context.Context, s board) (update, error) {
		return append(update{log.Add(fmt.Sprintf("%s:%s:%s", name, s.Inp, s.Priv))}, w...), nil
	}
}

// wireBrief is wire with the two channels.
func wireBrief(lines string, nodes map[string]node) *graph.StateGraph[board] {
	return wireOn(graph.NewStateGraph[board](log, seen, brief, conn), lines, nodes)
}

func rowsScratch() []row {
	start := graph.Start
	return []row{
		{
			id: "H10", in: update{conn.Set("in")}, steps: "a | b | c", want: board{Log: []string{"a::in", "b::set", "c::set"}, Priv: "set"},
			build: func() *graph.StateGraph[board] {
				return wireBrief("START -> a -> b -> c", map[string]node{"a": peeks("a", conn.Set("set")), "b": peeks("b"), "c": peeks("c")})
			},
			check: func(t *testing.T, p played) {
				if got := p.pick(graph.NodeUpdate)[0]; got != `node_update a [{"channel":"log","op":"add","value":["a::in"]},{"channel":"conn","op":"set"}]` {
					t.Errorf("the first update reads %s", got)
				}
			},
		},
		{
			id: "H10/in_a_subgraph", in: update{conn.Set("secret")}, steps: "sub", want: board{Log: []string{"i::secret"}, Priv: "other"},
			build: func() *graph.StateGraph[board] {
				child, err := wireBrief("START -> i", map[string]node{"i": peeks("i", conn.Set("other"))}).Compile(nil)
				if err != nil {
					panic(err)
				}
				g := graph.NewStateGraph[board](log, brief, conn, seen)
				g.AddSubgraph("sub", child)
				g.AddEdge(start, "sub")
				return g
			},
			check: func(t *testing.T, p played) {
				states := 0
				for _, ev := range p.events {
					if ev.Namespace == "" {
						continue
					}
					if ev.Kind == graph.StateValue {
						states++
					}
					if data := line(ev); strings.Contains(data, `"priv"`) || strings.Contains(data, `"other"`) {
						t.Errorf("the child's event has the value in it: %s", data)
					}
				}
				if states != 2 {
					t.Errorf("%d states of the child", states)
				}
			},
		},
		{
			// Visible for one superstep, whether or not the next one writes.
			id: "A16/ephemeral", in: update{brief.Set("in")}, steps: "a | b | c | d", want: board{Log: []string{"a:in:", "b:1:", "d::"}},
			build: func() *graph.StateGraph[board] {
				return wireBrief("START -> a -> b -> c -> d", map[string]node{
					"a": peeks("a", brief.Set("1")), "b": peeks("b"), "c": writes(), "d": peeks("d")})
			},
		},
		{
			id: "A16/ephemeral_silence", in: update{}, steps: "a | b | c", want: board{Log: []string{"a::", "c::"}},
			build: func() *graph.StateGraph[board] {
				return wireBrief("START -> a -> b -> c", map[string]node{"a": peeks("a", brief.Set("1")), "b": writes(), "c": peeks("c")})
			},
		},
		{
			id: "A16/ephemeral_at_the_end", in: update{}, steps: "a | b", want: board{Log: []string{"a::", "b:1:"}, Inp: "2"},
			build: func() *graph.StateGraph[board] {
				return wireBrief("START -> a -> b", map[string]node{"a": peeks("a", brief.Set("1")), "b": peeks("b", brief.Set("2"))})
			},
		},
		{
			id: "A16/ephemeral_overwrite", in: update{}, steps: "a b | c", want: board{Log: []string{"a::", "b::", "c:2:"}},
			build: func() *graph.StateGraph[board] {
				return wireBrief("START -> a b -> c", map[string]node{"a": peeks("a", brief.Set("1")), "b": peeks("b", brief.Overwrite("2")), "c": peeks("c")})
			},
		},
		{
			// A child's ephemeral writes before its last superstep have expired for
			// the parent too.
			id: "A16/ephemeral_in_a_subgraph", in: update{}, steps: "new old | c", want: board{Log: []string{"i1::", "i2:1:", "i1::", "i2:1:", "c:2:"}},
			build: func() *graph.StateGraph[board] {
				child := func(last ...graph.Write[board]) *graph.Compiled[board] {
					app, err := wireBrief("START -> i1 -> i2", map[string]node{"i1": peeks("i1", brief.Set("1")), "i2": peeks("i2", last...)}).Compile(nil)
					if err != nil {
						panic(err)
					}
					return app
				}
				g := graph.NewStateGraph[board](log, seen, brief, conn)
				g.AddSubgraph("old", child())
				g.AddSubgraph("new", child(brief.Set("2")))
				g.AddNode("c", peeks("c"))
				g.AddEdge(start, "old")
				g.AddEdge(start, "new")
				g.AddEdge("old", "c")
				return g
			},
		},
	}
}

var factsScratch = []fact{
	{"A3/ephemeral", func(t *testing.T) {
		for name, w := range map[string]graph.Write[board]{"brief": brief.Set("x"), "conn": conn.Set("x")} {
			app := mustCompile(t, wireBrief("START -> a b", map[string]node{"a": writes(w), "b": writes(w)}))
			var conflict *graph.ConflictError
			if _, err := app.Invoke(t.Context(), update{}, nil); !errors.As(err, &conflict) || conflict.Channel != name || !slices.Equal(conflict.Writers, []string{"a", "b"}) {
				t.Errorf("error %v", err)
			}
		}
	}},
	{"A16/ephemeral_router", func(t *testing.T) {
		// A router reads what its node read, for a lone task and for one of several.
		for _, beside := range []string{"", " z"} {
			read := ""
			for want, w := range map[string][]graph.Write[board]{"in": nil, "own": {brief.Set("own")}} {
				g := wireBrief("START -> a"+beside, map[string]node{"a": peeks("a", w...), "z": writes()})
				g.AddConditionalEdges("a", func(_ context.Context, s board) (graph.Route, error) {
					read = s.Inp
					return graph.Nowhere(), nil
				}, graph.End)
				if _, err := mustCompile(t, g).Invoke(t.Context(), update{brief.Set("in")}, nil); err != nil || read != want {
					t.Errorf("the router reads %q, want %q; error %v", read, want, err)
				}
			}
		}
	}},
	{"H10/no_json", func(t *testing.T) {
		// A value without JSON can be shared, and the updates still be printed.
		type office struct{ Call func() string }
		line := graph.Untracked("line", func(s *office) *func() string { return &s.Call })
		g := graph.NewStateGraph[office](line)
		g.AddNode("a", func(context.Context, office) (graph.Update[office], error) {
			return graph.Update[office]{line.Set(func() string { return "hello" })}, nil
		})
		g.AddNode("b", func(_ context.Context, s office) (graph.Update[office], error) {
			if s.Call() != "hello" {
				return nil, errBoom
			}
			return nil, nil
		})
		g.AddEdge(graph.Start, "a")
		g.AddEdge("a", "b")
		for ev, err := range mustCompile(t, g).Stream(t.Context(), graph.Update[office]{}, nil) {
			if err != nil {
				t.Fatal(err)
			}
			if data, err := ev.UpdateJSON(); err != nil || ev.Node == "a" && string(data) != `[{"channel":"line","op":"set"}]` {
				t.Errorf("%s, %v", data, err)
			}
		}
	}},
}

func TestKindsHaveNames(t *testing.T) {
	for kind, want := range map[graph.ChannelKind]string{graph.KindEphemeral: "ephemeral", graph.KindUntracked: "untracked"} {
		if kind.String() != want {
			t.Errorf("%s, want %s", kind, want)
		}
	}
	if brief.Kind() != graph.KindEphemeral || conn.Kind() != graph.KindUntracked {
		t.Error("the channels are of another kind")
	}
}
