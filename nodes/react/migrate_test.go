package react_test

import (
	"strings"
	"testing"

	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/memory"
	"example.com/assay/llm"
	"example.com/assay/nodes/react"
)

// A conversation goes on with another agent; one that waits for a person does not, since its call
// would be made.
func TestMigrate(t *testing.T) {
	saver := memory.New()
	compile := func(m llm.Model, version int, tools ...react.Tool) *graph.Compiled[react.State] {
		t.Helper()
		g, err := react.New(m, tools, nil)
		if err != nil {
			t.Fatal(err)
		}
		app, err := g.Compile(&graph.CompileOptions{Name: "agent", Checkpointer: saver, Version: version, Migrate: react.Migrate})
		if err != nil {
			t.Fatal(err)
		}
		return app
	}
	asks := echo(t, "pay")
	asks.Approve = react.Always
	was := compile(says(calls(`pay {"town":"a"}`), text("Paid.")), 0, asks)
	if _, err := was.Invoke(t.Context(), react.Say("Pay."), &graph.RunOptions{Thread: "waits"}); !isInterrupted(err) {
		t.Fatal(err)
	}
	rests := compile(says(text("Hello.")), 0, asks)
	if _, err := rests.Invoke(t.Context(), react.Say("Hi."), &graph.RunOptions{Thread: "rests"}); err != nil {
		t.Fatal(err)
	}
	is := compile(says(text("Again.")), 1, echo(t, "pay"), echo(t, "look"))
	s, err := is.Invoke(t.Context(), react.Say("And now?"), &graph.RunOptions{Thread: "rests"})
	if err != nil || react.Answer(s) != "Again." || len(s.Messages) != 4 {
		t.Errorf("%v\n%s", err, shown(s))
	}
	if _, err := is.Resume(t.Context(), nil, &graph.RunOptions{Thread: "waits"}); err == nil || !strings.Contains(err.Error(), "in the middle of a round of calls") {
		t.Errorf("a call that waited for a person: %v", err)
	}
}
