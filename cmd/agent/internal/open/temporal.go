//go:build !lean

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
	"time"

	"github.com/rs/zerolog"
	"go.temporal.io/sdk/client"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/graph"
	"example.com/assay/graph/eventlog"
	"example.com/assay/graph/temporal"
	"example.com/assay/graph/trace"
	"example.com/assay/nodes/follow"
	"example.com/assay/state"
)

// Workers are the workers of a Temporal server, with what they and their callers share in the store.
type Workers struct {
	Conn   client.Client
	Runs   *temporal.Client
	Events *eventlog.Log
	Blobs  Notes
	// Queue is the task queue. Each schema of a store has its own, since a worker must have the
	// threads of its callers.
	Queue string
	// Deployment is the Temporal deployment, which has the versions of the queue's workers.
	Deployment string
}

// NewWorkers connects to the server of the settings. It makes the search attributes of runs.
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
	if r.Conn, err = DialTemporal(ctx, a, s); err != nil {
		return nil, err
	}
	conn := r.Conn
	if err := temporal.MakeAttributes(ctx, conn, s.Temporal.Namespace); err != nil {
		return nil, fmt.Errorf("%w (docs/scale.md has the command for who may not make them)", err)
	}
	if r.Events, err = store.Events(ctx); err != nil {
		return nil, err
	}
	if r.Blobs, err = store.Notes(ctx); err != nil {
		return nil, err
	}
	r.Queue, r.Deployment = QueueOf(s), "assay-"+s.Store.Schema
	r.Runs = temporal.NewClient(conn, &temporal.ClientOptions{Blobs: r.Blobs, Queue: r.Queue, Prefix: s.Store.Schema + "/"})
	return r, nil
}

// QueueOf is the task queue of the settings' workers.
func QueueOf(s config.Settings) string { return "assay " + s.Store.Schema }

// DialTemporal connects to the Temporal server of the settings. The caller closes it.
func DialTemporal(ctx context.Context, a *cli.App, s config.Settings) (client.Client, error) {
	o := client.Options{HostPort: s.Temporal.Address, Namespace: s.Temporal.Namespace, Logger: sdkLog{a}, ConnectionOptions: client.ConnectionOptions{TLS: s.Temporal.TLS}}
	if key := a.Env.Get(config.EnvTemporalKey); key != "" {
		if s.Temporal.TLS == nil {
			return nil, cli.Usagef("%s is set, and the connection to %s is not encrypted: write tls://%s, or unset it", config.EnvTemporalKey, s.Temporal.Shown, s.Temporal.Shown)
		}
		o.Credentials = client.NewAPIKeyStaticCredentials(key)
	}
	conn, err := client.DialContext(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("connecting to the Temporal server at %s: %w", s.Temporal.Shown, err)
	}
	return conn, nil
}

// Close ends the connections. It accepts nil.
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

// Info describes a thread without a checkpoint, because no worker has begun its run. The error is
// graph.ErrNoCheckpoint if the thread has no run.
func (r *Workers) Info(ctx context.Context, thread string) (ThreadInfo, error) {
	run, err := r.Runs.Status(ctx, thread)
	if errors.Is(err, temporal.ErrUnknownRun) || err == nil && run.Phase != temporal.Running {
		return ThreadInfo{}, graph.ErrNoCheckpoint
	}
	m := run.Metadata
	return ThreadInfo{Thread: thread, Graph: run.Graph, Question: m[ThreadQuestion], Corpus: m[ThreadCorpus], Updated: run.Began, Fingerprint: m[ThreadFingerprint]}, err
}

// elsewhere lets the desk's workers run a graph, with the configuration of its trace. A run without
// a thread gets its own. When the context ends, the run is cancelled and followed to its end.
func (d *Desk) elsewhere(app graph.App, opts *follow.Options[json.RawMessage], header trace.Header) {
	if opts.Run.Thread == "" {
		opts.Run.Thread = app.Name() + "-" + header.RunID
	}
	conf := maps.Clone(header.Config)
	conf[ConfigPrompts] = d.Prompts()
	opts.Stream = func(ctx context.Context, _ graph.Update[json.RawMessage], opts *graph.RunOptions) iter.Seq2[graph.Event[json.RawMessage], error] {
		return func(yield func(graph.Event[json.RawMessage], error) bool) {
			run := temporal.Run{Graph: app.Name(), Fingerprint: app.Fingerprint(), Config: conf, Thread: opts.Thread, Metadata: opts.Metadata, Input: header.Input}
			err := d.Workers.begin(ctx, run)
			following, stop := d.cancelsWith(ctx, run.Thread)
			defer stop()
			if err != nil {
				yield(graph.Event[json.RawMessage]{}, err)
				return
			}
			for ev, err := range temporal.Follow(following, d.Workers.Runs, d.Workers.Events, app, run.Thread) {
				if failed, ok := errors.AsType[*temporal.RemoteError](err); ok && failed.Kind != "" {
					err = remoteFailure{failed}
				}
				if !yield(ev, err) {
					if err == nil { // the reader stopped early
						d.cancel(ctx, run.Thread)
					}
					return
				}
			}
		}
	}
}

// begin starts a run. It does nothing to resume a thread whose run still goes on: the caller that
// began it has left.
func (r *Workers) begin(ctx context.Context, run temporal.Run) error {
	if run.Input == nil {
		switch status, err := r.Runs.Status(ctx, run.Thread); {
		case errors.Is(err, temporal.ErrUnknownRun): // the thread began without workers
		case err != nil:
			return err
		case status.Phase == temporal.Running:
			return nil
		}
	}
	return r.Runs.Start(ctx, run)
}

// lastWords bounds how long a cancelled run is followed.
const lastWords = 5 * time.Second

// cancelsWith returns a context for following a run. When ctx ends, the run is cancelled, and the
// context ends at most lastWords later.
func (d *Desk) cancelsWith(ctx context.Context, thread string) (following context.Context, stop func()) {
	following, end := context.WithCancelCause(context.WithoutCancel(ctx))
	done := make(chan struct{})
	undo := context.AfterFunc(ctx, func() {
		defer close(done)
		d.cancel(ctx, thread)
		select {
		case <-time.After(lastWords):
			end(context.Cause(ctx))
		case <-following.Done():
		}
	})
	return following, func() {
		end(nil)
		if !undo() {
			<-done
		}
	}
}

// cancel cancels a run that goes on. It works after the end of ctx, too.
func (d *Desk) cancel(ctx context.Context, thread string) {
	ctx, end := context.WithTimeout(context.WithoutCancel(ctx), lastWords)
	defer end()
	if err := d.Workers.Runs.Cancel(ctx, thread); err != nil && !errors.Is(err, temporal.ErrUnknownRun) {
		d.Warn("%v", err)
	}
}

// ConfigPrompts is the entry of a run's configuration that identifies the caller's prompts.
const ConfigPrompts = "prompts"

// Prompts is a hash of the desk's prompts.
func (d *Desk) Prompts() string {
	sum := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(d.Hashes)) {
		fmt.Fprintln(sum, name, d.Hashes[name])
	}
	return hex.EncodeToString(sum.Sum(nil)[:8])
}

// remoteFailure is the failure of a run with its cause.
type remoteFailure struct{ *temporal.RemoteError }

func (f remoteFailure) Unwrap() error { return f.RemoteError }

// Cause is what the worker said.
func (f remoteFailure) Cause() state.Cause { return state.Cause(f.Kind) }

// sdkLog is the log of Temporal's library. The library retries what it warns about.
type sdkLog struct{ *cli.App }

func (l sdkLog) log() *zerolog.Logger {
	log := l.Logger()
	return &log
}

func (l sdkLog) Debug(string, ...any)           {}
func (l sdkLog) Info(text string, rest ...any)  { l.log().Debug().Fields(rest).Msg(text) }
func (l sdkLog) Warn(text string, rest ...any)  { l.log().Debug().Fields(rest).Msg(text) }
func (l sdkLog) Error(text string, rest ...any) { l.log().Info().Fields(rest).Msg(text) }
