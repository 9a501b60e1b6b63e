package open

import (
	"context"
	"encoding/base32"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"time"

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

// A Run is one run of a pipeline: its input, and what observes it.
type Run struct {
	Pipeline Pipeline
	Made     pipeline.Instance
	Input    json.RawMessage   // nil to resume the thread of Options
	Title    string            // what the list of threads shows of the run
	Settings map[string]string // of the pipeline, by name; the trace records them
	File     string            // receives the trace; empty for none
	Copy     io.Writer         // also receives the trace; nil for none
	Files    pipeline.Library  // holds the answer's sources. Default: the desk's corpus
	Observe  func(graph.Event[json.RawMessage])
	Options  graph.RunOptions
}

// Answer runs a pipeline on the desk or on its workers. It gives the run an id, describes its
// thread, writes its trace, sends its spans and signs the answer. When the run was stopped or
// failed, Answer returns a complete answer and the error. The answer is nil when the run did not
// begin.
func (d *Desk) Answer(ctx context.Context, r Run) (answer pipeline.Answer, err error) {
	opts := &follow.Options[json.RawMessage]{Observe: r.Observe, Resume: r.Input == nil, Run: r.Options}
	if opts.Run.RunID == "" {
		if opts.Run.RunID, err = NewRunID(d.Now(), d.Random); err != nil {
			return nil, err
		}
	}
	header, err := d.Header(r.Pipeline.Traced, r.Settings)
	if err != nil {
		return nil, err
	}
	header.RunID, header.Input = opts.Run.RunID, r.Input
	if d.Workers != nil {
		d.elsewhere(r.Made.App, opts, header)
	}
	if opts.Run.Thread != "" {
		opts.Run.Metadata = d.describe(r.Title, opts.Run.Metadata)
	}
	if rec := d.Recorder(ctx, opts.Run.RunID); rec != nil {
		defer rec.End()
		ctx = rec.Context(ctx)
		opts.Observe = func(ev graph.Event[json.RawMessage]) {
			telemetry.Observe(rec, ev)
			if r.Observe != nil {
				r.Observe(ev)
			}
		}
	}
	files := r.Files
	switch {
	case files != nil:
	case d.Corpus != nil:
		files = d.Corpus
	default:
		files = pipeline.Elsewhere{}
	}
	opts.End = func(final json.RawMessage, err error) state.End {
		answer, bad := r.Made.Answer(final, err, files)
		if answer == nil {
			return state.Outcome{Err: bad}.End()
		}
		return d.InCorpus(answer.Common().End)
	}
	final, took, runErr := d.run(ctx, r, header, opts)
	if took.Node == nil {
		return nil, runErr
	}
	answer, err = r.Made.Answer(final, runErr, files)
	if answer != nil {
		answer.Sign(d.Signature(opts.Run.RunID, r.File))
		took.Measure(&answer.Common().Metrics)
	}
	return answer, cli.Also(runErr, err)
}

// describe returns the metadata of a run, with what the list of threads shows.
func (d *Desk) describe(question string, more map[string]string) map[string]string {
	out := map[string]string{ThreadQuestion: llm.Cut(Printable(question), MaxThreadQuestion)}
	if d.Corpus != nil {
		out[ThreadCorpus], out[ThreadFingerprint] = d.Corpus.Name(), d.Corpus.Fingerprint()
	}
	maps.Copy(out, more)
	return out
}

// run runs a pipeline, and writes its trace if one is wanted. The error of a stopped run is the
// cause of the stop, not the error of the node that it stopped. Took is zero if the run did not
// begin.
func (d *Desk) run(ctx context.Context, r Run, header trace.Header, opts *follow.Options[json.RawMessage]) (final json.RawMessage, took follow.Took, err error) {
	var sinks []io.Writer
	if r.File != "" {
		file, failed := os.Create(r.File)
		if failed != nil {
			return nil, took, cli.Usagef("writing the trace: %w", failed)
		}
		sinks, ctx = append(sinks, file), llm.Verbatim(ctx)
		defer func() {
			if closing := file.Close(); closing != nil {
				err = errors.Join(err, fmt.Errorf("writing the trace: %w", closing))
			}
		}()
	}
	if r.Copy != nil {
		sinks = append(sinks, r.Copy)
	}
	if len(sinks) > 0 {
		opts.Trace = trace.NewWriter(io.MultiWriter(sinks...), header)
	}
	final, took, err = follow.App(ctx, r.Made.App, r.Input, opts)
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return final, took, err
}

// Signature is the part of an answer that says how it was made: run, models, skills and corpus. The
// file of the trace is "" for none.
func (d *Desk) Signature(run, traceFile string) state.Signature {
	s := state.Signature{RunID: run, Model: d.ModelLabel(), Trace: traceFile, Skills: d.Hashes}
	if d.Corpus != nil {
		s.Corpus, s.Fingerprint = d.Corpus.Name(), d.Corpus.Fingerprint()
	}
	return s
}

// Header is the first line of a trace, without the run's id and input. It holds the settings of a
// run, so that it can be run again. It names no path and no server, so that traces of equal runs
// on two machines differ only in ids and times.
func (d *Desk) Header(keys []string, more map[string]string) (trace.Header, error) {
	if d.Corpus != nil {
		keys = append(slices.Clone(keys), config.SearchTraced...)
	}
	conf, err := d.Settings.TracedValues(d.App, keys)
	if err != nil {
		return trace.Header{}, err
	}
	maps.Copy(conf, more)
	if d.Corpus != nil {
		conf["corpus"], conf[config.TracedFingerprint] = d.Corpus.Name(), d.Corpus.Fingerprint()
	}
	return trace.Header{Config: conf, Skills: d.Hashes}, nil
}

// idAlphabet is sorted, so that ids sort like their numbers. It leaves out i, l, o and u, which are
// easily misread.
var idAlphabet = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

// NewRunID returns 26 characters: 48 bits of the time in milliseconds, then
// 80 random bits. Ids of later milliseconds sort after earlier ones.
func NewRunID(now time.Time, random io.Reader) (string, error) {
	var id [16]byte
	ms := uint64(now.UnixMilli())
	for i := range 6 {
		id[i] = byte(ms >> (40 - 8*i))
	}
	if _, err := io.ReadFull(random, id[6:]); err != nil {
		return "", fmt.Errorf("making a run id: %w", err)
	}
	return idAlphabet.EncodeToString(id[:]), nil
}
