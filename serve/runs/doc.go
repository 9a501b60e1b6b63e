// Package runs runs graphs on threads for callers who come and go: a run goes on when
// nobody reads it, can be read from any event on while it goes on and after it, and is
// resumed when its process was killed. It knows no wire.
//
//	m, err := runs.Open(ctx, []runs.Graph{{Name: "chain", App: chain.App()}}, runs.Options{
//		Checkpointer: saver, Store: rows, Log: log,
//	})
//	mine := m.Space(runs.DefaultTenant)
//	run, err := mine.Begin(ctx, runs.Spec{Thread: id, Create: true, Graph: "chain", Input: input})
//	for ev, err := range mine.Events(ctx, run.ID, 0) { … }
//	run, err = mine.Wait(ctx, run.ID)
//
// A thread has one run at a time; further ones are refused, or wait for their turn. What
// a caller of one Space makes, a caller of another does not see.
//
// Several processes may share the checkpointer, the store and the log. A run is carried out
// by the process that took it, and by another when that has died.
//
// The package does not check who a caller is, and does not bound what callers send. It
// keeps no queue in an order that survives a restart: runs that wait are then taken up by
// the time at which they were made.
package runs
