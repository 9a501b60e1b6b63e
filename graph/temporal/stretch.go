package temporal

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"example.com/assay/graph"
)

// activities run graphs and tasks in this process.
type activities struct {
	WorkerOptions
	blobs
	find Find
	conn client.Client // nil in tests without a server
}

// stretch runs a graph until it asks or ends. It continues where an earlier attempt lost its
// worker.
func (a *activities) stretch(ctx context.Context, in stretch) (stop, error) {
	defer beat(ctx)()
	app, release, err := a.open(ctx, in.Graph, in.Fingerprint, in.Config)
	if err != nil {
		return stop{}, err
	}
	defer release()
	elsewhere := a.elsewhere(in)
	defer elsewhere.close()
	opts := &graph.RunOptions{
		Thread: in.Thread, RunID: in.RunID, Metadata: in.Metadata, RecursionLimit: in.RecursionLimit,
		Concurrency: a.Concurrency, Modes: cmp.Or(a.Modes, graph.Updates), Control: new(graph.Control), Remote: elsewhere.run,
	}
	defer a.drain(ctx, opts.Control)()
	events, err := a.begin(ctx, app, in, opts)
	if err != nil {
		return stop{}, a.explained(ctx, err)
	}
	each, end := func(graph.Event[json.RawMessage]) {}, func(context.Context) error { return nil }
	if a.Observe != nil {
		each, end = a.Observe(in.Run, in.RunID)
	}
	for ev, failed := range events {
		if failed != nil {
			err = failed
		} else {
			each(ev)
		}
	}
	if late := end(context.WithoutCancel(ctx)); late != nil {
		return stop{}, late // another attempt continues the run from there
	}
	if asked, is := errors.AsType[*graph.InterruptedError](err); is {
		return a.asks(ctx, asked)
	}
	return stop{}, a.explained(ctx, err)
}

// begin begins the run, or continues it if its thread has a checkpoint of the run.
func (a *activities) begin(ctx context.Context, app graph.App, in stretch, opts *graph.RunOptions) (sequence, error) {
	at, err := app.State(ctx, graph.Key{Thread: in.Thread})
	if err != nil && !errors.Is(err, graph.ErrNoCheckpoint) {
		return nil, err
	}
	if in.Input != nil && (err != nil || at.Run != in.RunID) {
		input, err := a.get(ctx, *in.Input)
		if err != nil {
			return nil, err
		}
		return sequence(app.Stream(ctx, input, opts)), nil
	}
	if err != nil {
		return nil, err
	}
	for _, r := range in.Answers {
		if !slices.ContainsFunc(at.Interrupts, func(p graph.PendingInterrupt) bool { return p.ID == r.ID }) {
			continue // an earlier attempt gave this answer
		}
		value, err := a.get(ctx, r.Value)
		if err != nil {
			return nil, err
		}
		opts.Resume = append(opts.Resume, graph.ReplyTo(r.ID, value))
	}
	return sequence(app.StreamResume(ctx, nil, opts)), nil
}

type sequence func(yield func(graph.Event[json.RawMessage], error) bool)

// open finds the graph of a run or a task, and checks that its structure is the caller's.
func (a *activities) open(ctx context.Context, name, fingerprint string, config map[string]string) (graph.App, func(), error) {
	app, release, err := a.find(ctx, name, config)
	if err != nil {
		return app, nil, temporal.NewNonRetryableApplicationError(err.Error(), errFailed, err)
	}
	done := func() {
		if release == nil {
			return
		}
		if err := release(); err != nil { // the run already has its outcome
			activity.GetLogger(ctx).Error("closing a graph", "graph", name, "error", err)
		}
	}
	if fingerprint != "" && fingerprint != app.Fingerprint() {
		done()
		err := &graph.FingerprintError{Graph: name, Began: fingerprint, Now: app.Fingerprint()}
		return app, nil, temporal.NewNonRetryableApplicationError(err.Error(), errFingerprint, err)
	}
	return app.With(a.Checkpointer), done, nil
}

// asks is the result of a stretch that asks.
func (a *activities) asks(ctx context.Context, asked *graph.InterruptedError) (stop, error) {
	out := stop{Asks: true, Next: asked.Next}
	for _, p := range asked.Pending {
		data, err := a.put(ctx, p.Payload)
		if err != nil {
			return stop{}, err
		}
		p.Payload = nil
		out.Pending = append(out.Pending, question{p, data})
	}
	return out, nil
}

// explained separates failures of the graph, which end the run, from failures of the worker and of
// checkpoints, which another attempt can overcome.
func (a *activities) explained(ctx context.Context, err error) error {
	var drained *graph.DrainedError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &drained): // another worker continues at once
		return temporal.NewApplicationErrorWithOptions(err.Error(), "Drained", temporal.ApplicationErrorOptions{NextRetryDelay: time.Millisecond, Cause: err})
	case ctx.Err() != nil:
		return temporal.NewCanceledError(err.Error())
	case errors.Is(err, graph.ErrThreadBusy): // a disconnected worker still runs it
		return err
	case isOwn(err) && !errors.Is(err, graph.ErrCheckpointer) || activity.GetInfo(ctx).Attempt >= maxAttempts:
		kind := ""
		if a.Kind != nil {
			kind = a.Kind(err)
		}
		return temporal.NewNonRetryableApplicationError(err.Error(), errFailed, err, kind)
	}
	return err
}

// maxAttempts bounds attempts after failures that may pass, such as an unavailable database: about
// two minutes.
const maxAttempts = 30

// isOwn reports whether an error comes from the graph and would recur.
func isOwn(err error) bool {
	var (
		node      *graph.NodeError
		recursion *graph.RecursionError
		route     *graph.RouteError
		channel   *graph.UnknownChannelError
		compile   *graph.CompileError
	)
	return errors.As(err, &node) || errors.As(err, &recursion) || errors.As(err, &route) || errors.As(err, &channel) || errors.As(err, &compile) ||
		errors.Is(err, graph.ErrInvalidUpdate) || errors.Is(err, graph.ErrAnswer) || errors.Is(err, graph.ErrNoCheckpoint) || errors.Is(err, graph.ErrEmptyInput)
}

// drain stops the run after its superstep when the worker stops.
func (a *activities) drain(ctx context.Context, c *graph.Control) (stop func()) {
	done := make(chan struct{})
	go func() {
		select {
		case <-activity.GetWorkerStopChannel(ctx):
			c.Drain("the worker stops")
		case <-done:
		}
	}()
	return func() { close(done) }
}

// beats is how many heartbeats fit into the time after which an activity counts as lost.
const beats = 4

// beat tells the server that the activity is alive, through which it also learns of a cancellation.
func beat(ctx context.Context) (stop func()) {
	every := max(activity.GetInfo(ctx).HeartbeatTimeout/beats, 10*time.Millisecond)
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			activity.RecordHeartbeat(ctx)
			select {
			case <-tick.C:
			case <-done:
				return
			}
		}
	}()
	return func() { // it also waits for the goroutine
		close(done)
		<-ended
	}
}
