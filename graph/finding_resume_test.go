package graph_test

import (
	"errors"
	"strings"
	"testing"

	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/memory"
)

// Invoke begins a turn and Resume continues a thread. Neither does the other's
// work.
func TestFindingE15ResumingIsACallOfItsOwn(t *testing.T) {
	app := compileOn(t, memory.New(), wire("START -> a -> ask -> b", map[string]node{"ask": asks("h", "q?")}))
	refused := func(what string, err, is error, part string) {
		t.Helper()
		if !errors.Is(err, is) || !strings.Contains(err.Error(), part) {
			t.Errorf("%s: %v; want %v that says %q", what, err, is, part)
		}
	}
	_, err := app.Resume(t.Context(), nil, on("1"))
	refused("resuming what is not there", err, graph.ErrEmptyInput, "does not exist")
	_, err = app.Invoke(t.Context(), update{}, on("1"))
	pendingIn(t, err, "ask: q?")
	_, err = app.Invoke(t.Context(), nil, on("1"))
	refused("no input for a thread that waits", err, graph.ErrEmptyInput, "call Resume")
	_, err = app.Invoke(t.Context(), nil, on("1", graph.Reply("yes")))
	refused("an answer to Invoke", err, graph.ErrAnswer, "call Resume")
	_, err = app.Invoke(t.Context(), update{graph.Goto[board]("b")}, on("1"))
	refused("a command to Invoke", err, graph.ErrInvalidUpdate, "command")
	if p := play(t.Context(), app, update{}, graph.RunOptions{Thread: "1", Resume: []graph.Answer{graph.Reply("yes")}}); !errors.Is(p.err, graph.ErrAnswer) {
		t.Errorf("an answer to Stream: %v", p.err)
	}
	if s := nextOf(t, app, "1", "ask"); len(s.Interrupts) != 1 {
		t.Errorf("what was refused changed the thread: %+v", s)
	}
	_, err = app.Resume(t.Context(), update{log.Add("u")}, on("1"))
	pendingIn(t, err, "ask: q?")
	out, err := app.Resume(t.Context(), nil, on("1", graph.Reply("yes")))
	logged(t, out, err, "a", "u", "h:yes", "b")
	out, err = app.Resume(t.Context(), nil, on("1"))
	logged(t, out, err, "a", "u", "h:yes", "b") // nothing was left to run
	_, err = app.Invoke(t.Context(), nil, on("1"))
	refused("no input for a thread at rest", err, graph.ErrEmptyInput, "nothing left to run")
	// A turn begins, whatever is pending.
	_, err = app.Invoke(t.Context(), update{}, on("1"))
	pendingIn(t, err, "ask: q?")
	if out, err = app.Invoke(t.Context(), update{}, on("1")); len(out.Log) != 6 {
		t.Errorf("log %q, error %v", out.Log, err)
	}
	if _, err = mustCompile(t, wire("START -> a -> ask -> b", map[string]node{"ask": asks("h", "q?")})).Resume(t.Context(), nil, nil); !errors.Is(err, graph.ErrNoCheckpointer) {
		t.Errorf("without a checkpointer: %v", err)
	}
}
