// Package traceview turns the records of a trace into a view of the run: for each superstep
// the nodes that ran, their duration, their model calls, what they retrieved and what they
// changed.
//
//	view, err := traceview.New(records)
//	fmt.Print(view.Text(traceview.TextOptions{}))
//
// It reads model_call and retrieval events. Of other custom events it shows only the name.
// It does not replay runs.
package traceview
