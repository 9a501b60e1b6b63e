package graph_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/checkpointtest"
	"example.com/assay/graph/checkpoint/memory"
	"example.com/assay/graph/checkpoint/sqlite"
)

// A notebook holds what nodes note.
type notebook struct {
	mu    sync.Mutex
	lines []string
}

func (n *notebook) note(line string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.lines = append(n.lines, line)
}

// tear takes out what is written.
func (n *notebook) tear() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	lines := n.lines
	n.lines = nil
	return lines
}

// A survival is a run that fails because of its saver, and one that goes on.
type survival struct {
	plan      crashPlan
	notes     *notebook
	good      crashGraphs // on a saver that works
	opts      graph.RunOptions
	want      board
	reference found
}

func newSurvival(t *testing.T, rounds int, pause time.Duration, saver graph.Checkpointer, mode graph.Durability) *survival {
	s := &survival{notes: &notebook{}, opts: graph.RunOptions{Durability: mode, Modes: graph.Updates | graph.Checkpoints}}
	s.plan = crashPlan{rounds: rounds, pause: pause, note: s.notes.note}
	s.good = s.plan.graphs(t, saver)
	s.want, s.reference = s.plan.graphs(t, memory.New()).reference(t, s.opts)
	s.notes.tear()
	return s
}

// survive runs a thread on a saver that may fail, and then on the good one. It
// returns the error of the first.
func (s *survival) survive(t *testing.T, thread string, bad graph.Checkpointer, meanwhile func()) error {
	t.Helper()
	_, failure := s.good.with(bad).drive(t.Context(), thread, s.opts, s.plan.publishes)
	before := s.look(t, thread, found{})
	meanwhile()
	got, err := s.good.drive(t.Context(), thread, s.opts, s.plan.publishes)
	if err != nil {
		t.Fatalf("%s: going on: %v", thread, err)
	}
	if diff := differ(s.want, got); diff != "" {
		t.Fatalf("%s: final state (-want +got):\n%s", thread, diff)
	}
	after := s.look(t, thread, before)
	// With DurabilityExit each failure leaves a checkpoint of its own.
	if s.opts.Durability != graph.DurabilityExit && !slices.Equal(after.rows, s.reference.rows) {
		t.Fatalf("%s: the history is\n%s\nand not\n%s", thread, strings.Join(after.rows, "\n"), strings.Join(s.reference.rows, "\n"))
	}
	return failure
}

func (s *survival) look(t *testing.T, thread string, before found) found {
	t.Helper()
	lines := s.notes.tear()
	after, err := s.good.find(t.Context(), thread)
	if err != nil {
		t.Fatalf("%s: %v", thread, err)
	}
	for _, wrong := range wronged(lines, before, after, s.opts.Durability == graph.DurabilitySync) {
		t.Errorf("%s: %s", thread, wrong)
	}
	return after
}

// TestSaverFailsAtEveryCall lets each call in turn fail, with and without its
// effect. The run says so, and the thread goes on as if nothing had been.
func TestSaverFailsAtEveryCall(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long, and -short was asked for")
	}
	kinds := map[string]func(graph.Checkpointer, int) *checkpointtest.FaultySaver{"faulty": checkpointtest.Faulty, "lossy": checkpointtest.Lossy}
	everyCall := func(t *testing.T, s *survival, fresh func() graph.Checkpointer, faulty func(graph.Checkpointer, int) *checkpointtest.FaultySaver) {
		for n := 1; ; n++ {
			saver := fresh()
			s.good = s.good.with(saver)
			bad := faulty(saver, n)
			err := s.survive(t, fmt.Sprintf("thread %d", n), bad, func() {})
			if bad.Calls() < n {
				if err != nil {
					t.Errorf("no call failed, and the run did: %v", err)
				}
				t.Logf("%d calls", n-1)
				break
			}
			if !errors.Is(err, checkpointtest.ErrFault) {
				t.Errorf("call %d failed, and the run says %v", n, err)
			}
			if t.Failed() {
				return
			}
		}
	}
	for name, faulty := range kinds {
		for _, mode := range durabilities {
			t.Run(fmt.Sprintf("memory/%s/durability_%d", name, mode), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := newSurvival(t, 2, ms, memory.New(), mode)
					everyCall(t, s, func() graph.Checkpointer { return memory.New() }, faulty)
				})
			})
		}
		t.Run("sqlite/"+name, func(t *testing.T) {
			if testing.Short() {
				t.Skip("-short")
			}
			saver := openSQLite(t, filepath.Join(t.TempDir(), "x.db"), sqlite.Normal)
			everyCall(t, newSurvival(t, 1, 0, saver, graph.DurabilitySync), func() graph.Checkpointer { return saver }, faulty)
		})
	}
}

func openSQLite(t testing.TB, path string, synchronous sqlite.Synchronous) *sqlite.Saver {
	t.Helper()
	saver, err := sqlite.Open(context.Background(), path, &sqlite.Options{Synchronous: synchronous})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := saver.Close(); err != nil {
			t.Error(err)
		}
	})
	return saver
}
