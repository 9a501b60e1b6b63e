package open

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/graph"
	"example.com/assay/graph/trace"
	"example.com/assay/nodes/follow"
	"example.com/assay/state"
	"example.com/assay/telemetry"
)

// A Traced is one run of a pipeline: its input, and what observes it.
type Traced[S any] struct {
	In   graph.Update[S]
	File string            // receives the trace; empty for none
	Copy io.Writer         // also receives the trace; nil for none
	Keys []string          // keys of settings for the trace
	More map[string]string // more entries for the trace's configuration
	follow.Options[S]
}

// A runner runs a pipeline's graph as follow.Run does.
type runner[S any] func(context.Context, *follow.Options[S]) (S, follow.Took, error)

// Follows is the runner of a graph.
func Follows[S any](g *graph.Compiled[S], in graph.Update[S]) runner[S] {
	return func(ctx context.Context, opts *follow.Options[S]) (S, follow.Took, error) {
		return follow.Run(ctx, g, in, opts)
	}
}

// Run runs a pipeline on a desk: it gives the run an id, writes its trace and sends its
// spans. For a run that did not begin, follow.Took is zero.
func Run[S any](ctx context.Context, d *Desk, t *Traced[S], run runner[S]) (final S, took follow.Took, err error) {
	if t.Run.RunID == "" {
		if t.Run.RunID, err = NewRunID(d.Now(), d.Random); err != nil {
			return final, took, err
		}
	}
	header, err := Header(d, t)
	if err != nil {
		return final, took, err
	}
	return runTraced(ctx, t, header, func(ctx context.Context, opts *follow.Options[S]) (S, follow.Took, error) {
		if d.spans == nil {
			return run(ctx, opts)
		}
		rec := d.spans.recorder(ctx, t.Run.RunID, d.Corpus.Name())
		defer rec.End()
		observe := opts.Observe
		opts.Observe = func(ev graph.Event[S]) {
			telemetry.Observe(rec, ev)
			if observe != nil {
				observe(ev)
			}
		}
		return run(rec.Context(ctx), opts)
	})
}

// runTraced runs a pipeline, and writes its trace if one is wanted. The error of a stopped
// run is the cause of the stop, not the node that it hit.
func runTraced[S any](ctx context.Context, t *Traced[S], header trace.Header, run runner[S]) (final S, took follow.Took, err error) {
	var sinks []io.Writer
	if t.File != "" {
		file, failed := os.Create(t.File)
		if failed != nil {
			return final, took, cli.Usagef("writing the trace: %w", failed)
		}
		sinks = append(sinks, file)
		defer func() {
			if closing := file.Close(); closing != nil {
				err = errors.Join(err, fmt.Errorf("writing the trace: %w", closing))
			}
		}()
	}
	if t.Copy != nil {
		sinks = append(sinks, t.Copy)
	}
	if len(sinks) > 0 {
		t.Trace = trace.NewWriter(io.MultiWriter(sinks...), header)
	}
	final, took, err = run(ctx, &t.Options)
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return final, took, err
}

// Sign adds the data of its run to an answer.
func Sign[S any](d *Desk, answer *state.Answer, t *Traced[S], took follow.Took) {
	answer.RunID, answer.Model, answer.Trace = t.Run.RunID, d.ModelLabel(), t.File
	if d.Corpus != nil {
		answer.Corpus = d.Corpus.Name()
	}
	took.Measure(&answer.Metrics)
}

// Header is the first line of a trace: the input and settings of a run, so that agent
// trace replay can run it again. It names no path and no server, so that traces of equal
// runs on two machines differ only in ids and times.
func Header[S any](d *Desk, t *Traced[S]) (trace.Header, error) {
	keys := t.Keys
	if d.Corpus != nil {
		keys = append(slices.Clone(keys), config.SearchTraced...)
	}
	conf, err := d.Settings.TracedValues(d.App, keys)
	if err != nil {
		return trace.Header{}, err
	}
	maps.Copy(conf, t.More)
	if d.Corpus != nil {
		conf["corpus"], conf[config.TracedFingerprint] = d.Corpus.Name(), d.Corpus.Fingerprint()
	}
	header := trace.Header{RunID: t.Run.RunID, Config: conf, Skills: d.Hashes}
	if t.In != nil {
		if header.Input, err = json.Marshal(t.In); err != nil {
			return header, fmt.Errorf("tracing the input: %w", err)
		}
	}
	return header, nil
}
