// Package temporal runs compiled graphs on Temporal, so that a run outlives the machine that it
// began on.
//
//	worker, err := temporal.NewWorker(conn, temporal.Apps(research, triage), &temporal.WorkerOptions{Checkpointer: saver})
//	err = worker.Run(ctx)
//
//	runs := temporal.NewClient(conn, nil)
//	err = runs.Start(ctx, temporal.Run{Graph: "research", Fingerprint: app.Fingerprint(), Thread: "t1", Input: input})
//	status, err := runs.Wait(ctx, "t1")          // it asks, or it has ended
//	err = runs.Answer(ctx, "t1", temporal.Reply{ID: status.Pending[0].ID, Value: yes})
//
// A run is one workflow. Its ID is the thread behind a prefix. The workflow runs the graph in
// stretches: a stretch is one activity, from the start or from an answer to the next question or
// the end. All finished work is in the thread's checkpoints, which all workers share, for example
// in PostgreSQL. So a worker that dies loses nothing: another one continues from there, and does
// not repeat a result that graph.Once recorded. The history of a run has about four events for each
// stretch, however many nodes run in it.
//
// Tasks of a node with NodeOptions.Remote are activities on that queue, and spread over all workers
// that serve it. One workflow holds the tasks of a superstep, and their results until the run has
// saved them. A task runs again when its worker dies.
//
// Inputs, answers and results above BlobLimit go through a store; the history has their hashes.
//
// The package does not start a Temporal server, keep the events of a run or move corpora. It does
// not stop a node that ignores its context.
package temporal
