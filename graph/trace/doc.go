// Package trace writes a run's events as JSON Lines, reads them back, removes what changes from run
// to run, and finds where two traces differ.
//
//	w := trace.NewWriter(file, trace.Header{RunID: id})
//	for ev, err := range app.Stream(ctx, in, &graph.RunOptions{Modes: graph.Updates | graph.Custom | graph.Debug}) {
//		if err := trace.Add(w, ev); err != nil { … }
//	}
//
// One event is one line, written when it happens, so a killed run leaves a trace up to its last
// event. A golden trace is a normalised trace in a repository; every test run compares it.
//
// A Recording replays a run from its trace up to a node or an event. From there on the nodes run.
//
// A trace does not hold states, values of Untracked channels, or tokens, so the package cannot
// restore them.
package trace
