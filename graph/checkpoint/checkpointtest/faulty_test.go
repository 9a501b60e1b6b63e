package checkpointtest_test

import (
	"context"
	"errors"
	"testing"

	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/checkpointtest"
	"example.com/assay/graph/checkpoint/memory"
)

// script makes one call of each kind, two of Commit, and returns the errors.
func script(ctx context.Context, s graph.Checkpointer) []error {
	var errs []error
	unlock, err := s.Lock(ctx, "t")
	if err == nil {
		unlock()
	}
	errs = append(errs, err)
	errs = append(errs, s.Commit(ctx, "t", graph.Change{Add: []graph.Checkpoint{{ID: "1", Base: "1"}}}))
	_, _, err = s.Load(ctx, graph.Key{Thread: "t"})
	errs = append(errs, err)
	err = nil
	for _, e := range s.List(ctx, graph.Query{Thread: "t"}) {
		err = e
	}
	errs = append(errs, err)
	err = nil
	for _, e := range s.Threads(ctx) {
		err = e
	}
	return append(errs, err, s.Commit(ctx, "t", graph.Change{Clear: true}))
}

func TestFaultyFailsItsNthCall(t *testing.T) {
	for n := range 8 {
		s := checkpointtest.Faulty(memory.New(), n)
		for i, err := range script(t.Context(), s) {
			// Without its checkpoint the load finds nothing.
			want := i+1 == n || n == 2 && i == 2
			if (err != nil) != want || i+1 == n && !errors.Is(err, checkpointtest.ErrFault) {
				t.Errorf("fault at %d: call %d returned %v", n, i+1, err)
			}
		}
		if s.Calls() != 6 {
			t.Errorf("%d calls; want 6", s.Calls())
		}
	}
}

func TestLossyCommitTakesEffect(t *testing.T) {
	for _, c := range []struct {
		name string
		wrap func(graph.Checkpointer, int) *checkpointtest.FaultySaver
		want bool
	}{{"faulty", checkpointtest.Faulty, false}, {"lossy", checkpointtest.Lossy, true}} {
		store := memory.New()
		change := graph.Change{Add: []graph.Checkpoint{{ID: "1", Base: "1"}}}
		if err := c.wrap(store, 1).Commit(t.Context(), "t", change); !errors.Is(err, checkpointtest.ErrFault) {
			t.Errorf("%s: error = %v; want a fault", c.name, err)
		}
		_, _, err := store.Load(t.Context(), graph.Key{Thread: "t"})
		if got := err == nil; got != c.want {
			t.Errorf("%s: the checkpoint is there: %v (%v); want %v", c.name, got, err, c.want)
		}
		if err := c.wrap(store, 1).Commit(t.Context(), "t", graph.Change{Replace: []graph.Checkpoint{{ID: "9"}}}); err == nil {
			t.Errorf("%s: a stale change succeeded", c.name)
		}
	}
}
