package checkpointtest

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"example.com/assay/graph"
)

var concurrencyChecks = []check{
	{"one of many adds an ID", func(t *testing.T, s graph.Checkpointer) {
		add(t, s, thread, snapshot(1))
		for round := range 5 {
			n := round + 2
			raceToAdd(t, []graph.Checkpointer{s}, n)
			got := list(t, s, graph.Query{Thread: thread})
			if len(got) != n {
				t.Fatalf("%d checkpoints after round %d; want %d", len(got), round, n)
			}
		}
	}},
	{"many extend one thread", func(t *testing.T, s graph.Checkpointer) {
		add(t, s, thread, snapshot(1))
		extend(t, []graph.Checkpointer{s, s, s, s}, 10)
	}},
	{"many threads at once", func(t *testing.T, s graph.Checkpointer) {
		const workers, steps = 8, 20
		var wg sync.WaitGroup
		for w := range workers {
			name := fmt.Sprintf("worker %d", w)
			wg.Go(func() {
				all := chain(steps)
				for i := range all {
					if err := s.Commit(t.Context(), name, graph.Change{Add: all[i : i+1]}); err != nil {
						t.Errorf("step %d of %s: %v", i, name, err)
						return
					}
					loads(t, s, graph.Key{Thread: name}, all[:i+1])
				}
			})
		}
		wg.Wait()
		got := threads(t, s)
		if len(got) != workers {
			t.Fatalf("%d threads; want %d", len(got), workers)
		}
		for _, th := range got {
			if th.Checkpoints != steps {
				t.Errorf("thread %q has %d checkpoints; want %d", th.ID, th.Checkpoints, steps)
			}
		}
	}},
	{"records of many tasks at once", func(t *testing.T, s graph.Checkpointer) {
		add(t, s, thread, snapshot(1))
		want := make([]graph.Record, 40)
		var wg sync.WaitGroup
		for i := range want {
			want[i] = record(1, id(i), graph.RecordUpdate, "", "update")
			wg.Go(func() {
				if err := s.Commit(t.Context(), thread, graph.Change{Records: want[i : i+1]}); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		loads(t, s, graph.Key{Thread: thread}, chain(1), want...)
	}},
	{"a thread that is empty now and then", func(t *testing.T, s graph.Checkpointer) {
		var wg sync.WaitGroup
		for w := range 4 {
			c := graph.Checkpoint{ID: id(w), Base: id(w)}
			wg.Go(func() {
				for range 40 {
					if err := s.Commit(t.Context(), thread, graph.Change{Add: []graph.Checkpoint{c}}); err != nil {
						t.Error(err)
						return
					}
					loads(t, s, graph.Key{Thread: thread, ID: c.ID}, []graph.Checkpoint{c})
					if err := s.Commit(t.Context(), thread, graph.Change{Remove: []graph.Key{{ID: c.ID}}}); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		wg.Wait()
		if got := threads(t, s); len(got) != 0 {
			t.Errorf("threads = %v; want none", got)
		}
	}},
	{"nothing is added to a thread while it is cleared", func(t *testing.T, s graph.Checkpointer) {
		for round := range 40 {
			add(t, s, thread, snapshot(1))
			var wg sync.WaitGroup
			for n := 2; n < 5; n++ {
				wg.Go(func() {
					err := s.Commit(t.Context(), thread, graph.Change{Add: []graph.Checkpoint{delta(n, 1, 1)}})
					if err != nil && !errors.Is(err, graph.ErrStale) {
						t.Error(err)
					}
				})
			}
			wg.Go(func() {
				if err := s.Commit(t.Context(), thread, graph.Change{Clear: true}); err != nil {
					t.Error(err)
				}
			})
			wg.Wait()
			if got := list(t, s, graph.Query{Thread: thread}); len(got) != 0 {
				t.Fatalf("round %d left %d checkpoints without their parent", round, len(got))
			}
		}
	}},
	{"a reader never sees half of a change", func(t *testing.T, s graph.Checkpointer) {
		full := graph.Change{Clear: true, Add: chain(3), Records: []graph.Record{record(3, "task", graph.RecordUpdate, "", "x")}}
		commit(t, s, thread, full)
		var wg sync.WaitGroup
		var done atomic.Bool
		wg.Go(func() {
			defer done.Store(true)
			for range 50 {
				if err := s.Commit(t.Context(), thread, full); err != nil {
					t.Error(err)
					return
				}
			}
		})
		for !done.Load() {
			loads(t, s, graph.Key{Thread: thread}, chain(3), full.Records...)
			if t.Failed() {
				break
			}
		}
		wg.Wait()
	}},
}

// raceToAdd lets eight goroutines add the n-th checkpoint after the first.
func raceToAdd(t *testing.T, savers []graph.Checkpointer, n int) {
	t.Helper()
	const racers = 8
	var won atomic.Int32
	var wg sync.WaitGroup
	start := make(chan struct{})
	for i := range racers {
		wg.Go(func() {
			<-start
			c := delta(n, 1, 1)
			c.Data = fmt.Appendf(nil, "racer %d", i)
			err := savers[i%len(savers)].Commit(t.Context(), thread, graph.Change{Add: []graph.Checkpoint{c}})
			switch {
			case err == nil:
				won.Add(1)
			case !errors.Is(err, graph.ErrStale):
				t.Errorf("error = %v; want ErrStale", err)
			}
		})
	}
	close(start)
	wg.Wait()
	if won.Load() != 1 {
		t.Errorf("%d of %d added the same ID; want 1", won.Load(), racers)
	}
}

// extend lets each saver add steps to a thread that begins with snapshot 1. A saver that loses a
// step to another tries again after the newest checkpoint.
func extend(t *testing.T, savers []graph.Checkpointer, steps int) {
	t.Helper()
	var wg sync.WaitGroup
	for _, s := range savers {
		wg.Go(func() {
			for done := 0; done < steps; {
				lineage, _, err := s.Load(t.Context(), graph.Key{Thread: thread})
				if err != nil {
					t.Error(err)
					return
				}
				last := lineage[len(lineage)-1].Step
				err = s.Commit(t.Context(), thread, graph.Change{Add: []graph.Checkpoint{delta(last+1, last, 1)}})
				if err == nil {
					done++
				} else if !errors.Is(err, graph.ErrStale) {
					t.Errorf("step %d: %v", last+1, err)
					return
				}
			}
		})
	}
	wg.Wait()
	loads(t, savers[0], graph.Key{Thread: thread}, chain(1+steps*len(savers)))
}
