package temporal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"

	"example.com/assay/graph"
	"example.com/assay/graph/eventlog"
)

// Logged is a WorkerOptions.Observe that writes the events to a log, for Follow.
func Logged(log *eventlog.Log) func(Run, string) (func(graph.Event[json.RawMessage]), func(context.Context) error) {
	return func(_ Run, runID string) (func(graph.Event[json.RawMessage]), func(context.Context) error) {
		out := log.Recorder(runID)
		var bad error
		each := func(ev graph.Event[json.RawMessage]) {
			data, err := json.Marshal(ev)
			if err != nil {
				bad = errors.Join(bad, err)
				return
			}
			out.Add(data)
		}
		return each, func(ctx context.Context) error { return errors.Join(out.Close(ctx), bad) }
	}
}

// A RemoteError reports the failure of a run in another process.
type RemoteError struct {
	Thread string
	Phase  Phase
	Kind   string // see WorkerOptions.Kind
	Text   string
}

func (e *RemoteError) Error() string {
	if e.Phase == Cancelled {
		return fmt.Sprintf("the run of thread %q was cancelled", e.Thread)
	}
	return e.Text
}

// Is puts context.Canceled into the chain of a cancelled run's error.
func (e *RemoteError) Is(target error) bool {
	return e.Phase == Cancelled && target == context.Canceled
}

// A Decoder reads the events of a graph: a *graph.Compiled[S], or a graph.App.
type Decoder[S any] interface {
	DecodeEvent(data []byte) (graph.Event[S], error)
}

// Follow yields the events of a thread's last run as Compiled.Stream does, from the log that its
// workers write: all from the beginning, and new ones as they come. A run that asks ends the
// sequence with a *graph.InterruptedError, a failed or cancelled run with a *RemoteError. Breaking
// the loop, or the end of ctx, does not stop the run: see Cancel.
func Follow[S any](ctx context.Context, c *Client, log *eventlog.Log, app Decoder[S], thread string) iter.Seq2[graph.Event[S], error] {
	return func(yield func(graph.Event[S], error) bool) {
		if err := follow(ctx, c, log, app, thread, 0, yield); err != nil && !errors.Is(err, errLeft) {
			yield(graph.Event[S]{}, err)
		}
	}
}

// StreamAnswer answers a waiting run, and yields the events after that, as Follow does.
func StreamAnswer[S any](ctx context.Context, c *Client, log *eventlog.Log, app Decoder[S], thread string, answers ...Reply) iter.Seq2[graph.Event[S], error] {
	return func(yield func(graph.Event[S], error) bool) {
		s, err := c.Status(ctx, thread)
		var seen int64
		if err == nil {
			seen, err = log.Last(ctx, s.RunID)
		}
		if err == nil {
			err = c.Answer(ctx, thread, answers...)
		}
		if err == nil {
			err = follow(ctx, c, log, app, thread, seen, yield)
		}
		if err != nil && !errors.Is(err, errLeft) {
			yield(graph.Event[S]{}, err)
		}
	}
}

// errLeft says that the reader has left.
var errLeft = errors.New("the reader has left")

// follow yields a run's events after a number until the run asks or ends.
func follow[S any](ctx context.Context, c *Client, log *eventlog.Log, app Decoder[S], thread string, after int64, yield func(graph.Event[S], error) bool) error {
	s, err := c.Status(ctx, thread)
	if err != nil {
		return err
	}
	waiting, stop := context.WithCancel(ctx)
	defer stop()
	var final Status
	var failed error
	waited := make(chan struct{})
	go func() {
		defer close(waited)
		final, failed = c.Wait(waiting, thread)
	}()
	for e, err := range log.Read(ctx, s.RunID, after, waited) {
		var ev graph.Event[S]
		if err == nil {
			ev, err = app.DecodeEvent(e.Data)
		}
		if err == nil && !yield(ev, nil) {
			err = errLeft
		}
		if err != nil {
			stop()
			<-waited
			return err
		}
	}
	switch {
	case failed != nil:
		return failed
	case final.Phase == Waiting:
		return &graph.InterruptedError{Pending: final.Pending, Next: final.Next}
	case final.Phase != Ended:
		return &RemoteError{Thread: thread, Phase: final.Phase, Kind: final.Kind, Text: final.Error}
	}
	return nil
}
