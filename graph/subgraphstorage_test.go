package graph_test

import (
	"context"
	"strconv"
	"strings"
	"testing"

	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/memory"
)

// stored is how many bytes a thread has in a saver.
func stored(t *testing.T, saver graph.Checkpointer, thread string) int {
	t.Helper()
	n := 0
	for c, err := range saver.List(t.Context(), graph.Query{Thread: thread, All: true}) {
		if err != nil {
			t.Fatal(err)
		}
		n += len(c.Data)
	}
	return n
}

// TestSubgraphsDoNotSaveTheStateAgain: a subgraph in a loop starts from the
// outer state, which the outer checkpoint holds. Twice the rounds take twice the
// bytes.
func TestSubgraphsDoNotSaveTheStateAgain(t *testing.T) {
	line := strings.Repeat("x", 200)
	child := mustCompile(t, wire("START -> s", map[string]node{"s": writes(log.Add(line))}))
	saver := memory.New()
	bytes := func(rounds int) int {
		g := newBoard()
		g.AddSubgraph("sub", child)
		g.AddEdge(graph.Start, "sub")
		g.AddConditionalEdges("sub", func(_ context.Context, s board) (graph.Route, error) {
			if len(s.Log) < rounds {
				return graph.To("sub"), nil
			}
			return graph.Nowhere(), nil
		}, "sub")
		app, err := g.Compile(&graph.CompileOptions{Checkpointer: saver})
		if err != nil {
			t.Fatal(err)
		}
		thread := strconv.Itoa(rounds)
		out, err := app.Invoke(t.Context(), update{}, &graph.RunOptions{Thread: thread})
		if err != nil || len(out.Log) != rounds {
			t.Fatal(len(out.Log), err)
		}
		s, err := app.State(t.Context(), graph.Key{Thread: thread, ID: "0000000100"})
		if err != nil {
			t.Fatal(err)
		}
		inner, err := child.With(saver).State(t.Context(), s.Tasks[0].Child)
		if err != nil {
			t.Fatal(err)
		}
		if len(inner.State.Log) != len(s.State.Log)+1 {
			t.Errorf("the child ended with %d lines, after a parent with %d", len(inner.State.Log), len(s.State.Log))
		}
		return stored(t, saver, thread)
	}
	few, many := bytes(200), bytes(800)
	if many > 5*few {
		t.Errorf("200 rounds take %d bytes, 800 take %d", few, many)
	}
}
