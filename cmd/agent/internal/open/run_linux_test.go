package open

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"example.com/assay/graph"
	"example.com/assay/graph/trace"
	"example.com/assay/nodes/follow"
)

// A trace that could not be closed may be cut: the run says so.
func TestTraceThatCannotBeClosed(t *testing.T) {
	type said struct{ Text string }
	text := graph.LastValue("text", func(s *said) *string { return &s.Text })
	g := graph.NewStateGraph[said](text)
	g.AddNode("a", func(context.Context, said) (graph.Update[said], error) { return graph.Update[said]{text.Set("x")}, nil })
	g.AddEdge(graph.Start, "a")
	app, err := g.Compile(nil)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "run.jsonl")
	opts := follow.Options[said]{Observe: func(ev graph.Event[said]) {
		if ev.Kind == graph.RunEnd { // nothing is written after it
			if err := syscall.Close(descriptor(t, file)); err != nil {
				t.Error(err)
			}
		}
	}}
	final, _, err := runTraced(t.Context(), &Traced[said]{Graph: app, In: graph.Update[said]{}, File: file, Options: opts}, trace.Header{})
	if final.Text != "x" || err == nil {
		t.Errorf("%+v, error %v", final, err)
	}
}

// descriptor is that of a file that this process has open.
func descriptor(t *testing.T, path string) int {
	t.Helper()
	for fd := 3; fd < 1024; fd++ {
		if name, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", fd)); err == nil && name == path {
			return fd
		}
	}
	t.Fatalf("%s is not open", path)
	return -1
}
