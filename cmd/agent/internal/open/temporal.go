package open

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/rs/zerolog"
	"go.temporal.io/sdk/client"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/graph"
	"example.com/assay/graph/eventlog"
	"example.com/assay/graph/temporal"
	"example.com/assay/state"
)

// Workers are a Temporal server, and what its workers and their callers share in the store.
type Workers struct {
	Conn   client.Client
	Runs   *temporal.Client
	Events *eventlog.Log
	Blobs  Notes
	// Queue is the task queue. Schemas have queues of their own, since a worker must have
	// the threads of its callers.
	Queue string
}

// NewWorkers connects to the server of the settings. It makes the search attributes that
// runs have.
func NewWorkers(ctx context.Context, a *cli.App, s config.Settings, store *Store) (_ *Workers, err error) {
	if !store.Shared() {
		return nil, cli.Usagef("runs on a Temporal server need a store that its workers share: add --store postgres://… (ASSAY_STORE)")
	}
	r := &Workers{}
	defer func() {
		if err != nil {
			err = errors.Join(err, r.Close())
		}
	}()
	conn, err := client.DialContext(ctx, client.Options{HostPort: s.Temporal.Address, Namespace: s.Temporal.Namespace, Logger: sdkLog{a}})
	if err != nil {
		return nil, fmt.Errorf("connecting to the Temporal server at %s: %w", s.Temporal.Address, err)
	}
	r.Conn = conn
	if err := temporal.MakeAttributes(ctx, conn, s.Temporal.Namespace); err != nil {
		return nil, fmt.Errorf("%w (docs/scale.md has the command for who may not make them)", err)
	}
	if r.Events, err = store.Events(ctx); err != nil {
		return nil, err
	}
	if r.Blobs, err = store.Notes(ctx); err != nil {
		return nil, err
	}
	r.Queue = "assay " + s.Store.Schema
	r.Runs = temporal.NewClient(conn, &temporal.ClientOptions{Blobs: r.Blobs, Queue: r.Queue})
	return r, nil
}

// Close ends the connections. It is for nil, too.
func (r *Workers) Close() error {
	if r == nil {
		return nil
	}
	if r.Conn != nil {
		r.Conn.Close()
	}
	var err error
	if r.Events != nil {
		err = r.Events.Close()
	}
	if r.Blobs != nil {
		err = errors.Join(err, r.Blobs.Close())
	}
	return err
}

// Info describes a thread of which nothing is saved yet, because no worker has begun its
// run. A thread without a run is graph.ErrNoCheckpoint.
func (r *Workers) Info(ctx context.Context, thread string) (ThreadInfo, error) {
	run, err := r.Runs.Status(ctx, thread)
	if errors.Is(err, temporal.ErrUnknownRun) || err == nil && run.Phase != temporal.Running {
		return ThreadInfo{}, graph.ErrNoCheckpoint
	}
	m := run.Metadata
	return ThreadInfo{Thread: thread, Question: m[ThreadQuestion], Corpus: m[ThreadCorpus], Updated: run.Began, Fingerprint: m[ThreadFingerprint]}, err
}

// Elsewhere is the stream of a pipeline's graph that workers run with the desk's settings.
// When ctx ends, the run is cancelled.
func Elsewhere[S any](d *Desk, r *Workers, app *graph.Compiled[S], keys []string) func(context.Context, graph.Update[S], *graph.RunOptions) iter.Seq2[graph.Event[S], error] {
	return func(ctx context.Context, in graph.Update[S], opts *graph.RunOptions) iter.Seq2[graph.Event[S], error] {
		return func(yield func(graph.Event[S], error) bool) {
			run, err := remoteRun(d, app, in, opts, keys)
			var status temporal.Status
			if err == nil && in == nil {
				if status, err = r.Runs.Status(ctx, run.Thread); errors.Is(err, temporal.ErrUnknownRun) {
					err = nil // it began in a process
				}
			}
			if err != nil {
				yield(graph.Event[S]{}, err)
				return
			}
			events := temporal.Stream(ctx, r.Runs, r.Events, app, run)
			if status.Phase == temporal.Running { // whoever began it has left
				events = temporal.Follow(ctx, r.Runs, r.Events, app, run.Thread)
			}
			for ev, err := range events {
				if failed, ok := errors.AsType[*temporal.RemoteError](err); ok && failed.Kind != "" {
					err = remoteFailure{failed}
				}
				if !yield(ev, err) {
					break
				}
			}
			if ctx.Err() != nil {
				if err := r.Runs.Cancel(context.WithoutCancel(ctx), run.Thread); err != nil && !errors.Is(err, temporal.ErrUnknownRun) {
					d.Warn("%v", err)
				}
			}
		}
	}
}

// ConfigPrompts is the entry of a run's configuration that names the caller's prompts.
const ConfigPrompts = "prompts"

// Prompts identifies the desk's prompts: another one gives another text.
func (d *Desk) Prompts() string {
	sum := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(d.Hashes)) {
		fmt.Fprintln(sum, name, d.Hashes[name])
	}
	return hex.EncodeToString(sum.Sum(nil)[:8])
}

func remoteRun[S any](d *Desk, app *graph.Compiled[S], in graph.Update[S], opts *graph.RunOptions, keys []string) (temporal.Run, error) {
	header, err := Header(d, &Traced[S]{Keys: keys})
	if err != nil {
		return temporal.Run{}, err
	}
	header.Config[ConfigPrompts] = d.Prompts()
	run := temporal.Run{Graph: app.Name(), Fingerprint: app.Fingerprint(), Config: header.Config, Thread: opts.Thread, Metadata: opts.Metadata}
	if in != nil {
		if run.Input, err = json.Marshal(in); err != nil {
			return run, fmt.Errorf("sending the input: %w", err)
		}
	}
	return run, nil
}

// remoteFailure is the failure of a run with its cause.
type remoteFailure struct{ *temporal.RemoteError }

func (f remoteFailure) Unwrap() error { return f.RemoteError }

// Cause is what the worker said.
func (f remoteFailure) Cause() state.Cause { return state.Cause(f.Kind) }

// sdkLog is the log of Temporal's library. What it warns of is retried by itself.
type sdkLog struct{ *cli.App }

func (l sdkLog) log() *zerolog.Logger {
	log := l.Logger()
	return &log
}

func (l sdkLog) Debug(string, ...any)           {}
func (l sdkLog) Info(text string, rest ...any)  { l.log().Debug().Fields(rest).Msg(text) }
func (l sdkLog) Warn(text string, rest ...any)  { l.log().Debug().Fields(rest).Msg(text) }
func (l sdkLog) Error(text string, rest ...any) { l.log().Info().Fields(rest).Msg(text) }
