package graph

import (
	"context"
	"fmt"
	"sync/atomic"
)

// A Control stops runs from outside. The zero value is ready. Several
// goroutines and runs may share it.
type Control struct{ reason atomic.Pointer[string] }

// Drain asks every run with this control to stop after its current superstep,
// like graph.Drain. The first reason counts.
func (c *Control) Drain(reason string) { c.reason.CompareAndSwap(nil, &reason) }

// Drain asks the run of the node in ctx to stop after its current superstep. It
// returns false outside a run. The run's error is a *DrainedError, unless
// nothing is left to run. The first reason counts.
//
// Inside a subgraph it stops the outermost run. The subgraph continues to its
// end, since a superstep is never half done. A run with its own Control stops
// itself and all other runs with that Control.
func Drain(ctx context.Context, reason string) bool {
	t := taskFrom(ctx)
	if t == nil {
		return false
	}
	t.run.control.Drain(reason)
	return true
}

// DrainedError reports a run that stopped on request with nodes left to run.
// Its last superstep is committed.
type DrainedError struct {
	Reason string
	Next   []string // the nodes that would run next
	Thread string   // empty when the run is not saved
}

func (e *DrainedError) Error() string {
	return fmt.Sprintf("run%s drained (%s) with %s still to run", ofThread(" of", e.Thread), e.Reason, orNone(e.Next))
}
