// Package eventlog keeps the events of runs, so that others can read them while a run
// goes on and after it: in an SQLite file, for one machine, or in PostgreSQL.
//
//	log, err := eventlog.OpenFile(ctx, "events.db")   // or Open(ctx, pool, "")
//	out := log.Recorder(runID)
//	out.Add(data)                       // does not wait for the disk
//	err = out.Close(ctx)                // all that was added is there
//
//	for ev, err := range log.Read(ctx, runID, 0, nil) { … }   // waits for more until ctx ends
//
// A reader gets an event when it is kept, never before, so that a number which a reader
// has seen means the same event for ever. The events of all runs are written together, as
// many at a time as came meanwhile. Readers in the writing process are woken at once, those
// of other processes by PostgreSQL's NOTIFY. All look again every second. A slow reader
// delays nobody.
//
// A process that is killed loses the last events that nobody has read yet, never
// checkpoints. So does a machine that loses its power, though of those that were read.
//
// The package does not know what an event is, and does not tell a run that has ended.
package eventlog
