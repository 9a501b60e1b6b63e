// Package view groups the events of a run: by superstep the nodes that ran, with their times, model
// calls, hits, changes and questions; by node what its tasks did together. It also compares two
// runs.
//
//	v, err := view.New(records)
//
// Records come from a trace, or one at a time from a server's log: see Builder. The package reads
// model_call and retrieval events, and keeps only the names of other custom events. It does not
// replay runs, infers no graph from events, and prints nothing: package page shows a view as HTML.
package view
