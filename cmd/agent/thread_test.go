package main

import (
	"context"
	"errors"
	"slices"
	"testing"

	"example.com/assay/graph"
	"example.com/assay/nodes/research"
	"example.com/assay/state"
)

// A run that is stopped at a node goes on there, in another process.
func TestResumeAfterStop(t *testing.T) {
	home := t.TempDir()
	ingestText(t, home, permits)
	open := func() *engine {
		a, _, _ := testApp(home)
		s := defaultSettings(false)
		s.home, s.saves = home, true
		e, err := a.openEngine(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := e.Close(); err != nil {
				t.Error(err)
			}
		})
		return e
	}
	const text = "What are the three elements of a valid lantern permit?"
	whole, err := open().ask(t.Context(), question{text: text, thread: "whole"})
	if err != nil || whole.Status != state.StatusAnswered {
		t.Fatal(whole.Status, err)
	}
	for _, node := range []string{research.NodeClassify, research.NodeRetrieve, research.NodeEvaluate} {
		t.Run(node, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			stop := errors.New("stopped by the test")
			stopAt := func(ev graph.Event[state.Agent]) {
				if ev.Kind == graph.NodeStart && ev.Node == node {
					cancel(stop)
				}
			}
			if _, err := open().ask(ctx, question{text: text, thread: node, observe: stopAt}); !errors.Is(err, stop) {
				t.Fatal(err)
			}
			var ran []string
			resumed, err := open().ask(t.Context(), question{thread: node, resume: true, observe: func(ev graph.Event[state.Agent]) {
				if ev.Kind == graph.NodeUpdate {
					ran = append(ran, ev.Node)
				}
			}})
			if err != nil || resumed.Answer != whole.Answer || resumed.Question != text {
				t.Errorf("error %v, answer to %q:\n%s\nwant\n%s", err, resumed.Question, resumed.Answer, whole.Answer)
			}
			if slices.Contains(ran, research.NodeDetectInjection) || node == research.NodeEvaluate && slices.Contains(ran, research.NodeRetrieve) {
				t.Errorf("what was done is done again: %q", ran)
			}
		})
	}
}
