// Package eventlog keeps the events of runs, so that others can read them during a run and after
// it: in an SQLite file, for one machine, or in PostgreSQL.
//
//	log, err := eventlog.OpenFile(ctx, "events.db")   // or Open(ctx, pool, "")
//	out := log.Recorder(runID)
//	out.Add(data)                       // does not wait for the disk
//	err = out.Close(ctx)                // all added events are in the log
//
//	for ev, err := range log.Read(ctx, runID, 0, nil) { … }   // waits for more until ctx ends
//
// A reader gets an event only after it is stored, so a number that a reader has seen means the same
// event for ever. Events of all runs are written together, in batches. Readers in the writing
// process are woken at once, readers in other processes by PostgreSQL's NOTIFY. All readers also
// poll every second. A slow reader delays nobody.
//
// A killed process loses its last events, none of which anybody has read; it never loses
// checkpoints. A machine that loses power may also lose events that were read.
//
// The package does not interpret events, and does not know whether a run has ended.
package eventlog
