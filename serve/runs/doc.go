// Package runs runs graphs on threads for callers who come and go. A run continues when nobody
// reads it. Its events can be read from any event on, during the run and after it. After its
// process dies, it is resumed.
//
//	m, err := runs.Open(ctx, []runs.Graph{{Name: "chain", App: chain.App()}}, runs.Options{
//		Checkpointer: saver, Store: rows, Log: log,
//	})
//	mine := m.Space(runs.DefaultTenant)
//	run, err := mine.Begin(ctx, runs.Spec{Thread: id, Create: true, Graph: "chain", Input: input})
//	for ev, err := range mine.Events(ctx, run.ID, 0) { … }
//	run, err = mine.Wait(ctx, run.ID)
//
// A thread has one run at a time; further ones are refused or wait for their turn. Callers of one
// Space do not see the threads and runs of another.
//
// Several processes may share the checkpointer, the store and the log. The process that took a run
// executes it. If that process dies, another one continues the run.
//
// A [Cron] begins runs by a schedule. A [Notice] tells others about a run: a [Teller] of a protocol
// writes it. A thread with a [TTL] is removed when nobody uses it. One of the processes does each of
// these things.
//
// The package knows no protocol. It does not authenticate callers or limit requests. Its queue does
// not survive a restart: waiting runs are then taken up in the order of their creation.
package runs
