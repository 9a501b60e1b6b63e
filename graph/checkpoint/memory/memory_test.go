package memory_test

import (
	"fmt"
	"testing"

	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/checkpointtest"
	"example.com/assay/graph/checkpoint/memory"
)

func TestSaver(t *testing.T) {
	checkpointtest.Test(t, func(*testing.T) graph.Checkpointer { return memory.New() })
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
