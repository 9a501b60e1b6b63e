package graph

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
)

// A Control asks runs to stop from outside; the zero value is ready. It may be
// used by any goroutine, and by several runs at once.
type Control struct{ reason atomic.Pointer[string] }

// Drain asks every run with this control to stop after its current superstep,
// as graph.Drain does. Of several reasons the first counts.
func (c *Control) Drain(reason string) { c.reason.CompareAndSwap(nil, &reason) }

// Drain asks the run that the node in ctx belongs to to stop when its current
// superstep is committed, and reports false outside a run. If nothing is left
// to run by then, it ends as usual; else its error is a *DrainedError. Of
// several reasons the first counts.
//
// In a graph that runs inside a node, it is the outermost run that stops. The
// inner one goes on to its end, since a superstep is not left half done; but a
// run that was given a Control of its own stops itself, and whatever else has
// that control.
func Drain(ctx context.Context, reason string) bool {
	t := taskFrom(ctx)
	if t == nil {
		return false
	}
	t.run.control.Drain(reason)
	return true
}

// DrainedError is a run that stopped because it was asked to, with work left
// to do. Its state is that of the last superstep, which was committed.
type DrainedError struct {
	Reason string
	Next   []string // the nodes that would have run
}

func (e *DrainedError) Error() string {
	return fmt.Sprintf("run drained (%s) with %s still to run", e.Reason, strings.Join(e.Next, ", "))
}
