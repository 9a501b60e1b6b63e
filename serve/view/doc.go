// Package view groups the events of a run into a view of it: for each superstep the nodes
// that ran, when, their model calls, what they retrieved, what they changed and what they
// asked a person; for each node what its tasks did together; and what differs between two
// runs.
//
//	v, err := view.New(records)
//
// Records come from a trace, or one at a time from a server's log: see Builder. It reads
// model_call and retrieval events. Of other custom events it keeps only the name. It does
// not replay runs, infers no graph from events, and prints nothing: package page shows a
// view as HTML.
package view
