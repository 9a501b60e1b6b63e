package main

import (
	"context"
	"errors"
	"io"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// Every run checks its own result, so that it is enough for none to fail.
func TestEveryGraphGivesTheRightResult(t *testing.T) {
	ran := 0
	for _, e := range []struct {
		name   string
		graphs makers
	}{{"floor", floor()}, {"assay", assay()}, {"eino", eino()}} {
		for _, w := range workloads() {
			graph, ok := e.graphs[w.name]
			if !ok {
				t.Errorf("%s says nothing of %q: it needs a graph or a reason", e.name, w.name)
				continue
			}
			once, err := graph()
			if reason, none := err.(absent); none {
				t.Logf("%s has no %q: %s", e.name, w.name, reason)
				continue
			}
			if err != nil {
				t.Errorf("%s, %q: %v", e.name, w.name, err)
				continue
			}
			if err := once(t.Context()); err != nil {
				t.Errorf("%s, %q: %v", e.name, w.name, err)
			}
			ran++
		}
	}
	// The floor has all five; both engines have loop, fanout and chain.
	if ran < 11 {
		t.Errorf("only %d graphs ran", ran)
	}
}

func TestWrongResultsAreErrors(t *testing.T) {
	list := make([]int, fanOutWidth)
	for i := range list {
		list[i] = i + 1
	}
	if err := checkList(list); err != nil {
		t.Error(err)
	}
	if checkList(list[:fanOutWidth-1]) == nil {
		t.Error("a list that is too short passes")
	}
	list[3], list[4] = list[4], list[3]
	if checkList(list) == nil {
		t.Error("a list in the wrong order passes")
	}
	if err := checkCount(job{Count: 7}, 7); err != nil {
		t.Error(err)
	}
	if checkCount(job{Count: 6}, 7) == nil {
		t.Error("a count that is too small passes")
	}
}

func TestLangGraphGivesTheRightResult(t *testing.T) {
	if _, err := exec.LookPath("node"); err != nil || !installed("langgraph") {
		t.Skip("needs node and the packages in langgraph/node_modules")
	}
	e, stop := langGraph(t.Context(), "langgraph", io.Discard)
	for _, w := range workloads() {
		w.batch = 1
		ns, err := e.measure(t.Context(), w, 0)
		if err != nil || ns <= 0 {
			t.Errorf("%q: %v ns, %v", w.name, ns, err)
		}
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
	if !strings.Contains(e.version, "Node.js") {
		t.Errorf("the version is %q", e.version)
	}
}

func TestWithoutNodeTheColumnSaysSo(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	e, stop := langGraph(t.Context(), "langgraph", io.Discard)
	_, err := e.measure(t.Context(), workloads()[0], time.Second)
	if reason, none := err.(absent); !none || !strings.Contains(reason.reason, "node") {
		t.Errorf("got %v", err)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}

func TestMeasureStopsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	runs := 0
	graph := func() (run, error) {
		return func(context.Context) error {
			switch runs++; runs {
			case 3:
				cancel()
			case 100: // else the run would go on for an hour
				return errors.New("still running")
			}
			return nil
		}, nil
	}
	if _, err := measure(ctx, workload{units: 1, batch: 100}, graph, time.Hour); err != context.Canceled {
		t.Errorf("got %v", err)
	}
	if runs != 3 {
		t.Errorf("%d runs, not 3", runs)
	}
}
