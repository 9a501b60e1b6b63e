// Package run shows one run as parts of a page: the graph with the path taken, the steps, the
// timeline, and the comparison of two runs. It can also write all of them as one file:
//
//	err := run.File(w, &run.Run{View: view, App: &app}, nil)
//
// It shows only what its view contains: no edge, reader or prompt that was not recorded. It reads
// no log and no checkpoint, and knows no server; package page puts the parts on pages.
package run
