package open

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"example.com/assay/graph"
	"example.com/assay/graph/trace"
	"example.com/assay/nodes/follow"
	"example.com/assay/nodes/pipeline"
)

// A trace that could not be closed may be cut off: the run says so.
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
	opts := follow.Options[json.RawMessage]{Observe: func(ev graph.Event[json.RawMessage]) {
		if ev.Kind == graph.RunEnd { // nothing is written after it
			if err := syscall.Close(descriptor(t, file)); err != nil {
				t.Error(err)
			}
		}
	}}
	r := Run{Made: pipeline.Instance{App: app.App()}, Input: []byte("[]"), File: file}
	final, _, err := new(Desk).run(t.Context(), r, trace.Header{}, &opts)
	if !strings.Contains(string(final), `"x"`) || err == nil {
		t.Errorf("%s, error %v", final, err)
	}
}

// descriptor finds the descriptor of a file that this process has open.
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
