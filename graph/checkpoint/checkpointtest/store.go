package checkpointtest

import (
	"io"
	"testing"

	"example.com/assay/graph"
)

// TestStore tests a store that outlives its savers: another saver must see what one has committed,
// and savers that are open at the same time must exclude each other. Store makes an empty store and
// returns a function that opens a saver on it, as another process would. Savers with a Close method
// are closed, some more than once.
func TestStore(t *testing.T, store func(t *testing.T) (open func() graph.Checkpointer)) {
	t.Helper()
	for _, c := range []struct {
		name string
		run  func(t *testing.T, open func() graph.Checkpointer)
	}{
		{"what was committed is there after closing", outlives},
		{"savers see each other's changes", seesOthers},
		{"locks hold between savers", locksBetween},
		{"one of many savers adds an ID", func(t *testing.T, open func() graph.Checkpointer) {
			savers := []graph.Checkpointer{open(), open(), open(), open()}
			add(t, savers[0], thread, snapshot(1))
			for n := 2; n < 7; n++ {
				raceToAdd(t, savers, n)
			}
			if got := list(t, savers[1], graph.Query{Thread: thread}); len(got) != 6 {
				t.Errorf("%d checkpoints; want 6", len(got))
			}
		}},
		{"many savers extend one thread", func(t *testing.T, open func() graph.Checkpointer) {
			savers := []graph.Checkpointer{open(), open(), open()}
			add(t, savers[0], thread, snapshot(1))
			extend(t, savers, 10)
		}},
	} {
		t.Run(c.name, func(t *testing.T) { c.run(t, store(t)) })
	}
}

func outlives(t *testing.T, open func() graph.Checkpointer) {
	r := record(3, "task", graph.RecordInterrupt, "", "question")
	s := open()
	commit(t, s, thread, graph.Change{Add: chain(3), Records: []graph.Record{r}})
	add(t, s, "thread-2", in("inner", snapshot(1)))
	for range 3 {
		closeSaver(t, s)
		s = open()
		loads(t, s, graph.Key{Thread: thread}, chain(3), r)
		loads(t, s, graph.Key{Thread: "thread-2", Namespace: "inner"}, []graph.Checkpoint{in("inner", snapshot(1))})
		refused(t, s, thread, graph.Change{Add: []graph.Checkpoint{delta(3, 2, 1)}})
		if got := threads(t, s); len(got) != 2 {
			t.Errorf("%d threads; want 2", len(got))
		}
	}
}

func seesOthers(t *testing.T, open func() graph.Checkpointer) {
	a, b := open(), open()
	add(t, a, thread, snapshot(1))
	loads(t, b, graph.Key{Thread: thread}, chain(1))
	add(t, b, thread, delta(2, 1, 1))
	refused(t, a, thread, graph.Change{Add: []graph.Checkpoint{delta(2, 1, 1)}})
	add(t, a, thread, delta(3, 2, 1))
	lists(t, b, graph.Query{Thread: thread}, id(3), id(2), id(1))
	commit(t, b, thread, graph.Change{Clear: true})
	missing(t, a, graph.Key{Thread: thread})
	refused(t, a, thread, graph.Change{Add: []graph.Checkpoint{delta(4, 3, 1)}})
}

func locksBetween(t *testing.T, open func() graph.Checkpointer) {
	a, b := open(), open()
	unlock := lock(t, a, thread)
	busy(t, b, thread)
	other := lock(t, b, "thread-2")
	busy(t, a, "thread-2")
	unlock()
	unlock = lock(t, b, thread)
	busy(t, a, thread)
	busy(t, b, thread)
	unlock()
	lock(t, a, thread)
	busy(t, a, "thread-2")
	other()
	lock(t, a, "thread-2")

	// A closed saver frees its locks, as a process that ends does.
	if closeSaver(t, a) {
		lock(t, b, thread)
		lock(t, b, "thread-2")
	}
}

// closeSaver closes a saver, and reports whether it has a Close method.
func closeSaver(t *testing.T, s graph.Checkpointer) bool {
	t.Helper()
	switch c := s.(type) {
	case io.Closer:
		if err := c.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
		return true
	case interface{ Close() }:
		c.Close()
		return true
	}
	return false
}
