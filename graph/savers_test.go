package graph_test

import (
	"testing"

	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/memory"
	opened "example.com/assay/graph/internal/savers"
)

// savers are the checkpointers that cases run on.
var savers = []struct {
	name string
	open func(t *testing.T) graph.Checkpointer
}{
	{"memory", func(*testing.T) graph.Checkpointer { return memory.New() }},
	{"sqlite", opened.SQLite},
	{"postgres", func(t *testing.T) graph.Checkpointer { return opened.Postgres(t) }},
}

// onSavers runs a check on every saver. Each open is a new store.
func onSavers(t *testing.T, check func(t *testing.T, open func() graph.Checkpointer)) {
	t.Helper()
	for _, s := range savers {
		t.Run(s.name, func(t *testing.T) { check(t, func() graph.Checkpointer { return s.open(t) }) })
	}
}
