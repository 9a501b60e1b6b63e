package memory_test

import (
	"fmt"
	"sync"
	"testing"

	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/checkpointtest"
	"example.com/assay/graph/checkpoint/memory"
)

func TestSaver(t *testing.T) {
	checkpointtest.Test(t, func(*testing.T) graph.Checkpointer { return memory.New() })
}

// A commit that has found a thread must not change it after another commit has
// emptied it and the saver let go of it. Only many tries meet that moment.
func TestThreadThatIsEmptyNowAndThen(t *testing.T) {
	s := memory.New()
	var wg sync.WaitGroup
	for w := range 4 {
		c := graph.Checkpoint{ID: fmt.Sprint(w), Base: fmt.Sprint(w)}
		wg.Go(func() {
			for i := range 5000 {
				err := s.Commit(t.Context(), "t", graph.Change{Add: []graph.Checkpoint{c}})
				if err == nil {
					_, _, err = s.Load(t.Context(), graph.Key{Thread: "t", ID: c.ID})
				}
				if err == nil {
					err = s.Commit(t.Context(), "t", graph.Change{Remove: []graph.Key{{ID: c.ID}}})
				}
				if err != nil {
					t.Errorf("round %d of %s: %v", i, c.ID, err)
					return
				}
			}
		})
	}
	wg.Wait()
}

// A thread of 1,000 supersteps is begun anew, so that the benchmark measures a
// thread and not the machine's memory.
func BenchmarkCommit(b *testing.B) {
	ids := make([]string, 1000)
	for i := range ids {
		ids[i] = fmt.Sprintf("%016d", i)
	}
	data := make([]byte, 200)
	s, n := memory.New(), 0
	b.ReportAllocs()
	for b.Loop() {
		c := graph.Checkpoint{
			ID: ids[n], Base: ids[0], Source: graph.SourceLoop, Step: n,
			Run: "run", Graph: "graph", Fingerprint: "fingerprint", Data: data,
		}
		if n > 0 {
			c.Parent = ids[n-1]
		}
		if err := s.Commit(b.Context(), "thread", graph.Change{Add: []graph.Checkpoint{c}}); err != nil {
			b.Fatal(err)
		}
		if n++; n == len(ids) {
			n, s = 0, memory.New()
		}
	}
}
