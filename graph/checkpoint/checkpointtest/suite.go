package checkpointtest

import (
	"testing"

	"example.com/assay/graph"
)

// A check tests one part of the contract. It gets an empty saver.
type check struct {
	name string
	run  func(t *testing.T, saver graph.Checkpointer)
}

var groups = map[string][]check{
	"add":         addChecks,
	"change":      changeChecks,
	"records":     recordChecks,
	"load":        loadChecks,
	"list":        listChecks,
	"threads":     threadChecks,
	"names":       nameChecks,
	"lock":        lockChecks,
	"context":     contextChecks,
	"concurrency": concurrencyChecks,
	"large":       largeChecks,
}

// Test tests the whole contract of graph.Checkpointer, as far as one process can see it. Open
// returns a new, empty saver for each check, and closes it in a cleanup of the given test. Run it
// with the race detector.
func Test(t *testing.T, open func(t *testing.T) graph.Checkpointer) {
	t.Helper()
	for _, group := range sorted(groups) {
		t.Run(group, func(t *testing.T) {
			for _, c := range groups[group] {
				t.Run(c.name, func(t *testing.T) { c.run(t, open(t)) })
			}
		})
	}
}
