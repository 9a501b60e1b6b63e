// Package traceview turns the records of a trace into what a reader wants to
// know of a run: superstep by superstep, which node ran, how long, which
// models it asked, what it retrieved and what it changed.
//
//	view, err := traceview.New(records)
//	fmt.Print(view.Text(traceview.TextOptions{}))
//
// It reads model_call and retrieval events of the research nodes and names
// other custom events without looking into them. It does not replay runs.
package traceview
