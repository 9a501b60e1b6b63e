package checkpointtest

import (
	"context"
	"errors"
	"testing"
	"time"

	"example.com/assay/graph"
)

var contextChecks = []check{
	{"one that was cancelled before", func(t *testing.T, s graph.Checkpointer) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		ended(t, s, ctx, context.Canceled)
	}},
	{"a deadline that passed before", func(t *testing.T, s graph.Checkpointer) {
		ctx, cancel := context.WithDeadline(t.Context(), time.Unix(1, 0))
		defer cancel()
		ended(t, s, ctx, context.DeadlineExceeded)
	}},
	{"a change is not made in part when its context ends", func(t *testing.T, s graph.Checkpointer) {
		done := 0
		for i := range 30 {
			ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i)*50*time.Microsecond)
			err := s.Commit(ctx, id(i), graph.Change{
				Add: append(chain(20), in("inner", snapshot(1))), Records: []graph.Record{record(20, "task", graph.RecordUpdate, "", "x")},
			})
			cancel()
			got := list(t, s, graph.Query{Thread: id(i), All: true})
			switch {
			case err == nil && len(got) != 21:
				t.Errorf("a change that was made left %d checkpoints; want 21", len(got))
			case err != nil && len(got) != 0 && len(got) != 21:
				t.Errorf("a change that failed (%v) left %d checkpoints; want none or all", err, len(got))
			case err == nil:
				done++
			case !errors.Is(err, context.DeadlineExceeded):
				t.Errorf("error = %v; want that of the context", err)
			}
		}
		t.Logf("%d of 30 changes were made", done)
		add(t, s, thread, snapshot(1)) // nothing is left locked
	}},
	{"one that ends while a list is read", func(t *testing.T, s graph.Checkpointer) {
		add(t, s, thread, chain(1000)...)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		n := 0
		for _, err := range s.List(ctx, graph.Query{Thread: thread}) {
			if err != nil {
				if !errors.Is(err, context.Canceled) {
					t.Errorf("error = %v; want context.Canceled", err)
				}
				return
			}
			n++
			cancel()
		}
		t.Errorf("%d checkpoints and no error after the context ended", n)
	}},
}

// ended checks that no call does anything after its context has ended.
func ended(t *testing.T, s graph.Checkpointer, ctx context.Context, want error) {
	t.Helper()
	add(t, s, thread, chain(2)...)
	for what, change := range map[string]graph.Change{
		"add":    {Add: []graph.Checkpoint{delta(3, 2, 1)}},
		"record": {Records: []graph.Record{record(2, "task", graph.RecordUpdate, "", "x")}},
		"remove": {Remove: []graph.Key{{ID: id(2)}}},
		"clear":  {Clear: true},
	} {
		if err := s.Commit(ctx, thread, change); !errors.Is(err, want) {
			t.Errorf("Commit to %s: error = %v; want %v", what, err, want)
		}
	}
	if _, _, err := s.Load(ctx, graph.Key{Thread: thread}); !errors.Is(err, want) {
		t.Errorf("Load: error = %v; want %v", err, want)
	}
	if unlock, err := s.Lock(ctx, thread); !errors.Is(err, want) {
		if err == nil {
			unlock()
		}
		t.Errorf("Lock: error = %v; want %v", err, want)
	}
	if err := listError(ctx, s, graph.Query{Thread: thread}); !errors.Is(err, want) {
		t.Errorf("List: error = %v; want %v", err, want)
	}
	if err := threadsError(ctx, s); !errors.Is(err, want) {
		t.Errorf("Threads: error = %v; want %v", err, want)
	}
	loads(t, s, graph.Key{Thread: thread}, chain(2))
	lock(t, s, thread)
}

// listError returns the first error of a list.
func listError(ctx context.Context, s graph.Checkpointer, query graph.Query) error {
	for _, err := range s.List(ctx, query) {
		if err != nil {
			return err
		}
	}
	return nil
}

func threadsError(ctx context.Context, s graph.Checkpointer) error {
	for _, err := range s.Threads(ctx) {
		if err != nil {
			return err
		}
	}
	return nil
}
