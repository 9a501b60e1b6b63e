// Package view groups the records of a trace into a view of the run: for each superstep the
// nodes that ran, their duration, their model calls, what they retrieved, what they changed
// and what they asked a person.
//
//	v, err := view.New(records)
//
// It reads model_call and retrieval events. Of other custom events it keeps only the name. It
// does not replay runs, and prints nothing: package page shows a view as HTML.
package view
