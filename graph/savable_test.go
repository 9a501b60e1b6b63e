package graph_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/memory"
)

type own struct{ hidden int }

func (o own) MarshalJSON() ([]byte, error) { return []byte("{}"), nil }
func (o *own) UnmarshalJSON([]byte) error  { o.hidden = 1; return nil }

type nested struct {
	At    time.Time
	Deep  []map[string]*deep
	Again *nested // types may contain themselves
}

type deep struct {
	Fine  int
	Left  func() `json:"-"`
	Err   error
	Empty struct{}
}

type hold[T any] struct{ V T }

// compileHold compiles a graph with one channel of a type.
func compileHold[T any](t *testing.T, saver graph.Checkpointer) error {
	t.Helper()
	g := graph.NewStateGraph[hold[T]](graph.LastValue("v", func(s *hold[T]) *T { return &s.V }))
	g.AddNode("n", func(context.Context, hold[T]) (graph.Update[hold[T]], error) { return nil, nil })
	g.AddEdge(graph.Start, "n")
	_, err := g.Compile(&graph.CompileOptions{Checkpointer: saver})
	return err
}

// TestCompileFindsWhatCannotBeSaved: Compile refuses it before a run can lose it.
func TestCompileFindsWhatCannotBeSaved(t *testing.T) {
	for _, c := range []struct {
		name    string
		compile func(*testing.T, graph.Checkpointer) error
		want    string // in the problem; empty for none
	}{
		{"int", compileHold[int], ""},
		{"time", compileHold[time.Time], ""},
		{"any", compileHold[any], ""},
		{"own", compileHold[own], ""},
		{"pointer to own", compileHold[*own], ""},
		{"chan", compileHold[chan int], "JSON has no chan int"},
		{"func in a list", compileHold[[]func()], "JSON has no func()"},
		{"complex", compileHold[complex128], "JSON has no complex128"},
		{"interface", compileHold[error], "JSON does not say which error it was"},
		{"deep", compileHold[nested], "at Deep[].Err: JSON does not say which error it was"},
		{"not exported", compileHold[struct {
			A int
			b int
		}], "at b: JSON leaves out"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if err := c.compile(t, nil); err != nil {
				t.Errorf("without a checkpointer: %v", err)
			}
			err := c.compile(t, memory.New())
			var problems *graph.CompileError
			switch {
			case c.want == "" && err != nil:
				t.Error(err)
			case c.want != "" && (!errors.As(err, &problems) || !strings.Contains(err.Error(), c.want) || problems.Problems[0].Node != "v"):
				t.Errorf("error %v, want %q of channel v", err, c.want)
			}
		})
	}
}
