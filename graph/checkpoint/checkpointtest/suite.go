package checkpointtest

import (
	"testing"

	"example.com/assay/graph"
)

// A check is one thing that a checkpointer owes its callers. The saver it gets
// holds nothing.
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

// Test checks everything that graph.Checkpointer asks for and one process can
// see. The function open returns a saver that holds nothing, a new one each
// time, and closes it in a cleanup of the test it is given. Run it with the
// race detector.
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
