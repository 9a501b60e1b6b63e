// Package eventlog keeps the events of runs in PostgreSQL, so that other processes can
// read them while a run goes on and after it.
//
//	log, err := eventlog.Open(ctx, pool, "")
//	out := log.Recorder(runID)
//	out.Add(data)                       // does not wait for the database
//	err = out.Close(ctx)                // all that was added is there
//
//	for ev, err := range log.Read(ctx, runID, 0) { … }   // waits for more until ctx ends
//
// Readers are woken by NOTIFY, and look again every second in case a notice is lost.
// The events of a run have an order, and a reader that comes back names the last one it
// has seen. A server that crashes may lose the last events of the runs that go on, never
// their checkpoints.
//
// The package does not know what an event is, and does not tell a run that has ended.
package eventlog
