//go:build !lean

package worker

import (
	"context"
	"errors"
	"fmt"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/graph"
	"example.com/assay/graph/temporal"
	"example.com/assay/state"
)

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
			stop() // the worker would wait for runs that never come
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

// fits refuses a desk whose documents or prompts differ from those of the command that began the run.
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
