// Package worker is agent worker, which runs pipelines for other processes.
package worker

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/graph"
	"example.com/assay/graph/temporal"
	"example.com/assay/state"
)

// Command is agent worker.
func Command(a *cli.App) *cobra.Command {
	var flags config.Flags
	var w worker
	cmd := &cobra.Command{
		Use:   "worker",
		Short: "Run the pipelines of other commands, which name a Temporal server",
		Long: `Worker takes runs from a Temporal server, until it is stopped: those of agent ask,
comply, edges verify, extract and verify with --temporal. Any number of workers share the
work. What a worker has finished is in the store; when it dies, another goes on from there.
On SIGTERM or Ctrl-C a worker takes no more work, and its runs stop after their current
step, for another worker to go on with.

A run brings its input, corpus, model and other settings from the command that began it.
The keys of providers, the addresses of servers and the limits are the worker's own. The
corpus must be on the worker's machine and have the fingerprint that the caller knows.`,
		Example: `  agent worker --temporal 127.0.0.1:7233 --store postgres://assay@localhost/assay
  agent ask --temporal 127.0.0.1:7233 --store postgres://assay@localhost/assay "What is consideration?"`,
		Args: cli.Exactly(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			w.App, w.cmd, w.flags = a, cmd, &flags
			return w.run(cmd.Context())
		},
	}
	flags.Register(cmd, false)
	config.RegisterTemporal(cmd.Flags())
	cmd.Flags().IntVar(&w.atOnce, "at-once", 8, "how many runs go on at the same time")
	cmd.Flags().DurationVar(&w.drain, "drain", 30*time.Second, "how long to wait for the current steps when the worker is stopped, a `DURATION`")
	cmd.Flags().StringVar(&w.build, "build", "", "`ID` of this program's version for Temporal's worker versions: runs are finished by the version that began them")
	cmd.Flags().BoolVar(&w.current, "current", false, "runs that begin from now on go to workers of this --build, or without one to workers without a version")
	return cmd
}

type worker struct {
	*cli.App
	cmd    *cobra.Command
	flags  *config.Flags
	atOnce int
	drain  time.Duration
	build  string
	// current makes the version of the build the one of new runs.
	current bool
}

func (w *worker) run(ctx context.Context) (err error) {
	s, err := config.Resolve(w.App, w.cmd, w.flags)
	switch {
	case err != nil:
		return err
	case s.Temporal.Address == "":
		return cli.Usagef("a worker needs the address of a Temporal server: add --temporal HOST:PORT (ASSAY_TEMPORAL)")
	case w.atOnce < 1:
		return cli.Usagef("--at-once is %d: it must be at least 1", w.atOnce)
	}
	store := open.NewStore(s)
	defer store.Close()
	remote, err := open.NewWorkers(ctx, w.App, s, store)
	if err != nil {
		return err
	}
	defer func() { err = cli.Also(err, remote.Close()) }()
	threads, err := store.Threads(ctx)
	if err != nil {
		return err
	}
	defer func() { err = cli.Also(err, threads.Close()) }()
	o := &temporal.WorkerOptions{
		Checkpointer: threads, Blobs: remote.Blobs, Queue: remote.Queue, AtOnce: w.atOnce, Drain: w.drain,
		Observe: temporal.Logged(remote.Events), Modes: graph.Debug | graph.Tokens, Kind: kind,
	}
	if w.build != "" {
		o.Deployment, o.BuildID = remote.Deployment, w.build
	}
	runs, err := temporal.NewWorker(remote.Conn, w.find, o)
	if err != nil {
		return err
	}
	fmt.Fprintf(w.Stdout, "worker on %s, queue %q, %d runs at a time; store %s\n", s.Temporal.Shown, remote.Queue, w.atOnce, s.Store.Shown)
	if !w.current {
		return runs.Run(ctx)
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	made := make(chan error, 1)
	go func() {
		err := temporal.MakeCurrent(ctx, remote.Conn, remote.Deployment, w.build)
		if err != nil && ctx.Err() == nil {
			stop() // it would wait for runs that do not come
		} else {
			err = nil
		}
		made <- err
	}()
	return errors.Join(runs.Run(ctx), <-made)
}

// kind is the cause of a run's failure.
func kind(err error) string { return string(state.CauseOf(err)) }

// find opens a desk with the settings of a run, and makes its pipeline's graph.
func (w *worker) find(ctx context.Context, name string, conf map[string]string) (graph.App, func() error, error) {
	p, err := open.PipelineOf(name)
	if err != nil {
		return graph.App{}, nil, err
	}
	flags := *w.flags
	if flags.Traced, err = config.TracedSettings(w.App, "the run", conf, true); err != nil {
		return graph.App{}, nil, err
	}
	s, err := config.Resolve(w.App, w.cmd, &flags)
	if err != nil {
		return graph.App{}, nil, err
	}
	d, err := open.New(ctx, w.App, s, config.Cassette{}, p.Want(conf))
	if err != nil {
		return graph.App{}, nil, err
	}
	if err := fits(d, conf); err != nil {
		return graph.App{}, nil, errors.Join(err, d.Close())
	}
	made, err := p.On(ctx, d, conf)
	if err != nil {
		return graph.App{}, nil, errors.Join(err, d.Close())
	}
	return made.App, d.Close, nil
}

// fits refuses a desk with other documents or prompts than the command has that began the
// run.
func fits(d *open.Desk, conf map[string]string) error {
	if d.Corpus != nil {
		if was, is := conf[config.TracedFingerprint], d.Corpus.Fingerprint(); was != is {
			return fmt.Errorf("the run reads corpus %q with fingerprint %.12s; on this worker it is %.12s: ingest the same documents here", d.Corpus.Name(), was, is)
		}
	}
	if conf[open.ConfigPrompts] != d.Prompts() {
		return errors.New("the run has other prompts than this worker: give both the same --skills")
	}
	return nil
}
