// Package traceview prints the view of a run (package view) for people at a terminal.
//
//	fmt.Print(traceview.Text(v, traceview.TextOptions{}))
package traceview
