package temporal

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"example.com/assay/graph"
	"example.com/assay/graph/store"
)

// Find returns a graph by its name and the run's configuration. The returned function, which may be
// nil, is called when the graph is no longer needed. Find is called for every stretch and task; its
// error ends the run.
type Find func(ctx context.Context, name string, config map[string]string) (graph.App, func() error, error)

// Apps finds graphs by their names and ignores the configuration.
func Apps(list ...graph.App) Find {
	byName := map[string]graph.App{}
	for _, app := range list {
		byName[app.Name()] = app
	}
	return func(_ context.Context, name string, _ map[string]string) (graph.App, func() error, error) {
		app, known := byName[name]
		if !known {
			return app, nil, fmt.Errorf("this worker has no graph %q; it has %q", name, slices.Sorted(maps.Keys(byName)))
		}
		return app, nil, nil
	}
}

// WorkerOptions configure a worker.
type WorkerOptions struct {
	// Checkpointer holds the threads. All workers of a queue share it. It is required.
	Checkpointer graph.Checkpointer
	// Blobs holds payloads above BlobLimit. Workers and clients share it. Default: a larger payload
	// is an error. AtOnce is how many stretches and remote tasks together run at the same time in
	// this worker. Default 100.
	Blobs store.Store
	// Queue is the task queue. Default DefaultQueue.
	Queue string
	// AtOnce is how many stretches and remote tasks run at the same time in this worker,
	// together. Default 100.
	AtOnce int
	// Concurrency is how many nodes of a superstep run at the same time. Default: all.
	Concurrency int
	// Heartbeat is how long a worker may be silent before it counts as lost and another one
	// continues its stretches. Default 10 seconds.
	Heartbeat time.Duration
	// Longest limits a stretch and a task. Default 24 hours.
	Longest time.Duration
	// Drain is how long a worker that stops waits for the supersteps and tasks that run.
	// Default 30 seconds.
	Drain time.Duration
	// Observe is called when a stretch begins. It returns a function that gets the stretch's events
	// in order, and one that is called at the stretch's end, before anybody learns the outcome; see
	// Logged. A stretch that lost its worker reports events again that were not saved. Default:
	// none.
	Observe func(r Run, runID string) (each func(graph.Event[json.RawMessage]), end func(context.Context) error)
	// Modes selects the events. Default graph.Updates.
	Modes graph.Mode
	// Kind classifies a run's failure, for RemoteError.Kind. Default: no kind.
	Kind func(error) string
	// Deployment and BuildID name the program, for Temporal's worker versions. Workers of the
	// version on which a run began finish it, and its remote tasks if their queue has such workers.
	// MakeCurrent sets the version for new runs. Default: workers have no version, and a graph of
	// another structure is refused.
	Deployment, BuildID string
}

// A Worker runs graphs from a task queue.
type Worker struct{ plain worker.Worker }

// NewWorker makes a worker.
func NewWorker(conn client.Client, find Find, opts *WorkerOptions) (*Worker, error) {
	var o WorkerOptions
	if opts != nil {
		o = *opts
	}
	switch {
	case o.Checkpointer == nil:
		return nil, errors.New("making a worker: it needs a checkpointer that all workers share")
	case find == nil:
		return nil, errors.New("making a worker: it has no graphs")
	case (o.Deployment == "") != (o.BuildID == ""):
		return nil, errors.New("making a worker: a version is a deployment and a build ID")
	}
	o.Queue = cmp.Or(o.Queue, DefaultQueue)
	own := worker.Options{
		MaxConcurrentActivityExecutionSize: cmp.Or(o.AtOnce, 100),
		WorkerStopTimeout:                  cmp.Or(o.Drain, 30*time.Second),
		MaxHeartbeatThrottleInterval:       cmp.Or(o.Heartbeat, 10*time.Second) / beats, // a longer one would report a cancellation late
	}
	if o.BuildID != "" {
		own.DeploymentOptions = worker.DeploymentOptions{
			UseVersioning: true, Version: worker.WorkerDeploymentVersion{DeploymentName: o.Deployment, BuildID: o.BuildID},
			DefaultVersioningBehavior: workflow.VersioningBehaviorPinned,
		}
	}
	w := worker.New(conn, o.Queue, own)
	register(w, o, find, conn)
	return &Worker{w}, nil
}

// registry is implemented by a worker and by a test environment.
type registry interface {
	RegisterWorkflowWithOptions(w any, options workflow.RegisterOptions)
	RegisterActivityWithOptions(a any, options activity.RegisterOptions)
}

func register(r registry, o WorkerOptions, find Find, conn client.Client) {
	l := limits{cmp.Or(o.Heartbeat, 10*time.Second), cmp.Or(o.Longest, 24*time.Hour)}
	a := &activities{WorkerOptions: o, blobs: blobs{o.Blobs}, find: find, conn: conn}
	r.RegisterWorkflowWithOptions(l.run, workflow.RegisterOptions{Name: workflowRun})
	r.RegisterWorkflowWithOptions(l.tasks, workflow.RegisterOptions{Name: workflowTasks})
	r.RegisterActivityWithOptions(a.stretch, activity.RegisterOptions{Name: activityRun})
	r.RegisterActivityWithOptions(a.task, activity.RegisterOptions{Name: activityTask})
}

// Run works until ctx ends. Then it takes no more work, and each run stops after its superstep;
// another worker continues it.
func (w *Worker) Run(ctx context.Context) error {
	if err := w.plain.Start(); err != nil {
		return fmt.Errorf("starting the worker: %w", err)
	}
	<-ctx.Done()
	w.plain.Stop()
	return nil
}
