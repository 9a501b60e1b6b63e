package checkpointtest

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/assay/graph"
)

var lockChecks = []check{
	{"a second one is busy at once", func(t *testing.T, s graph.Checkpointer) {
		lock(t, s, thread)
		start := time.Now()
		busy(t, s, thread)
		if took := time.Since(start); took > 3*time.Second {
			t.Errorf("a busy thread was reported after %v; want at once", took)
		}
	}},
	{"unlock frees, any number of times", func(t *testing.T, s graph.Checkpointer) {
		for range 3 {
			unlock := lock(t, s, thread)
			busy(t, s, thread)
			unlock()
		}
		old := lock(t, s, thread)
		old()
		old()
		lock(t, s, thread)
		old() // must not free the lock that another holder has now
		busy(t, s, thread)
	}},
	{"other threads are free", func(t *testing.T, s graph.Checkpointer) {
		unlock := lock(t, s, thread)
		for i := range 20 {
			defer lock(t, s, id(i))()
		}
		unlock()
		for i := range 20 {
			busy(t, s, id(i))
		}
	}},
	{"it does not end with its context", func(t *testing.T, s graph.Checkpointer) {
		ctx, cancel := context.WithCancel(t.Context())
		unlock, err := s.Lock(ctx, thread)
		if err != nil {
			t.Fatal(err)
		}
		cancel()
		time.Sleep(20 * time.Millisecond) // for a saver that unlocks when its context ends
		busy(t, s, thread)
		unlock()
		lock(t, s, thread)()
	}},
	{"reading and committing need none", func(t *testing.T, s graph.Checkpointer) {
		lock(t, s, thread)
		add(t, s, thread, chain(2)...)
		loads(t, s, graph.Key{Thread: thread}, chain(2))
		lists(t, s, graph.Query{Thread: thread}, id(2), id(1))
		commit(t, s, thread, graph.Change{Clear: true})
		busy(t, s, thread)
	}},
	{"one of many at once", func(t *testing.T, s graph.Checkpointer) {
		var inside, locked atomic.Int32
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				for range 25 {
					unlock, err := s.Lock(t.Context(), thread)
					if errors.Is(err, graph.ErrThreadBusy) {
						continue
					}
					if err != nil {
						t.Error(err)
						return
					}
					if n := inside.Add(1); n != 1 {
						t.Errorf("%d hold the lock", n)
					}
					locked.Add(1)
					inside.Add(-1)
					unlock()
				}
			})
		}
		wg.Wait()
		if locked.Load() == 0 {
			t.Error("nobody got the lock")
		}
		lock(t, s, thread)
	}},
}

// lock locks a thread and returns its unlock function. The end of the test also unlocks.
func lock(t *testing.T, s graph.Checkpointer, thread string) func() {
	t.Helper()
	unlock, err := s.Lock(t.Context(), thread)
	if err != nil {
		t.Fatalf("Lock(%q): %v", thread, err)
	}
	t.Cleanup(unlock)
	return unlock
}

// busy checks that a thread cannot be locked.
func busy(t *testing.T, s graph.Checkpointer, thread string) {
	t.Helper()
	unlock, err := s.Lock(t.Context(), thread)
	if err == nil {
		unlock()
	}
	if !errors.Is(err, graph.ErrThreadBusy) {
		t.Errorf("Lock(%q): error = %v; want ErrThreadBusy", thread, err)
	}
}
