// Package trace writes a run's events as JSON Lines, reads them back, removes
// what changes from run to run, and finds where two traces part.
//
//	w := trace.NewWriter(file, trace.Header{RunID: id})
//	for ev, err := range app.Stream(ctx, in, &graph.RunOptions{Modes: graph.Updates | graph.Custom | graph.Debug}) {
//		if err := trace.Add(w, ev); err != nil { … }
//	}
//
// One event is one line, written as it happens, so a run that is killed leaves
// a trace up to its last moment. A golden trace is a normalised trace, kept in
// a repository and compared on every test run.
//
// A Recording replays a run from its trace, up to a node or an event, and live from
// there.
//
// The package does not bring back what a trace does not hold: states, Untracked
// channels, tokens.
package trace
