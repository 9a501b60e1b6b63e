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
	"example.com/assay/llm"
	"example.com/assay/nodes/follow"
	"example.com/assay/nodes/pipeline"
	"example.com/assay/state"
	"example.com/assay/telemetry"
)

// A Traced is one run of a pipeline: its input, and what observes it.
type Traced[S any] struct {
	Graph    *graph.Compiled[S]
	In       graph.Update[S]   // nil to resume
	Input    json.RawMessage   // in place of In, where Options.Stream begins with it
	Question string            // what the list of threads shows of the run
	File     string            // receives the trace; empty for none
	Copy     io.Writer         // also receives the trace; nil for none
	Keys     []string          // keys of settings for the trace
	More     map[string]string // more entries for the trace's configuration
	follow.Options[S]
}

// Run runs a pipeline on a desk, or on its workers: it gives the run an id, describes its
// thread, writes its trace and sends its spans. For a run that did not begin, follow.Took
// is zero.
func Run[S any](ctx context.Context, d *Desk, t *Traced[S]) (final S, took follow.Took, err error) {
	if t.Run.RunID == "" {
		if t.Run.RunID, err = NewRunID(d.Now(), d.Random); err != nil {
			return final, took, err
		}
	}
	header, err := Header(d, t)
	if err != nil {
		return final, took, err
	}
	if d.Workers != nil {
		elsewhere(d, t, header)
	}
	if t.Run.Thread != "" {
		t.Run.Metadata = d.describe(t.Question, t.Run.Metadata)
	}
	if rec := d.Recorder(ctx, t.Run.RunID); rec != nil {
		defer rec.End()
		ctx = rec.Context(ctx)
		observe := t.Observe
		t.Observe = func(ev graph.Event[S]) {
			telemetry.Observe(rec, ev)
			if observe != nil {
				observe(ev)
			}
		}
	}
	return runTraced(ctx, t, header)
}

// describe adds what the list of threads shows to the metadata of a run.
func (d *Desk) describe(question string, more map[string]string) map[string]string {
	out := map[string]string{ThreadQuestion: llm.Cut(Printable(question), MaxThreadQuestion)}
	if d.Corpus != nil {
		out[ThreadCorpus], out[ThreadFingerprint] = d.Corpus.Name(), d.Corpus.Fingerprint()
	}
	maps.Copy(out, more)
	return out
}

// runTraced runs a pipeline, and writes its trace if one is wanted. The error of a stopped
// run is the cause of the stop, not the node that it hit.
func runTraced[S any](ctx context.Context, t *Traced[S], header trace.Header) (final S, took follow.Took, err error) {
	var sinks []io.Writer
	if t.File != "" {
		file, failed := os.Create(t.File)
		if failed != nil {
			return final, took, cli.Usagef("writing the trace: %w", failed)
		}
		sinks, ctx = append(sinks, file), llm.Verbatim(ctx)
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
	final, took, err = follow.Run(ctx, t.Graph, t.In, &t.Options)
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return final, took, err
}

// Sign adds the data of its run to an answer.
func Sign[S any](d *Desk, answer pipeline.Answer, t *Traced[S], took follow.Took) {
	answer.Sign(d.Signature(t.Run.RunID, t.File))
	took.Measure(&answer.Common().Metrics)
}

// Signature is what answers say of a run on the desk, which has written a trace unless
// the file is empty.
func (d *Desk) Signature(run, traceFile string) state.Signature {
	s := state.Signature{RunID: run, Model: d.ModelLabel(), Trace: traceFile, Skills: d.Hashes}
	if d.Corpus != nil {
		s.Corpus, s.Fingerprint = d.Corpus.Name(), d.Corpus.Fingerprint()
	}
	return s
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
	if header.Input = t.Input; t.In != nil {
		if header.Input, err = json.Marshal(t.In); err != nil {
			return header, fmt.Errorf("tracing the input: %w", err)
		}
	}
	return header, nil
}
