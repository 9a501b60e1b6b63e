package main

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/graph"
	"example.com/assay/nodes/research"
	"example.com/assay/state"
)

// A run that is stopped at a node goes on there, in another process.
func TestResumeAfterStop(t *testing.T) {
	home := t.TempDir()
	ingestText(t, home, permits)
	open := func() *asker {
		a, _, _ := testApp(home)
		s := config.Default(false)
		s.Home, s.Saves = home, true
		e, err := openAsker(t.Context(), a, s, config.Cassette{}, open.PlainExchange(a, s))
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

// A file of threads that has grown is told with what makes room in it.
func TestDoctorOnManyThreads(t *testing.T) {
	home := t.TempDir()
	ctx := t.Context()
	if f := checkThreads(ctx, home, 1); f.Status != statusOK {
		t.Errorf("without a file: %+v", f)
	}
	saver, err := open.Threads(ctx, home)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := saver.Close(); err != nil {
			t.Error(err)
		}
	}()
	if f := checkThreads(ctx, home, 1); f.Status != statusOK { // there is nothing to sweep
		t.Errorf("without a thread: %+v", f)
	}
	for _, thread := range []string{"a", "b"} {
		if err := saver.Commit(ctx, thread, graph.Change{Add: []graph.Checkpoint{{ID: "1", Base: "1"}}}); err != nil {
			t.Fatal(err)
		}
	}
	f := checkThreads(ctx, home, 1)
	if f.Status != statusWarn || !strings.HasPrefix(f.Detail, "2 threads, ") || !strings.HasPrefix(f.Do, "agent threads sweep --older-than ") {
		t.Errorf("a large file: %+v", f)
	}
	if f := checkThreads(ctx, home, largeThreads); f.Status != statusOK || f.Do != "" {
		t.Errorf("a small file: %+v", f)
	}
}
