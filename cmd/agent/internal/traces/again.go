package traces

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/cmd/agent/internal/render"
	"example.com/assay/graph"
	"example.com/assay/graph/trace"
	"example.com/assay/memory"
	"example.com/assay/nodes/follow"
	"example.com/assay/nodes/pipeline"
	"example.com/assay/state"
)

// openRerun makes the pipeline of a trace with the trace's settings.
func openRerun(ctx context.Context, a *cli.App, s config.Settings, x *open.Exchange, path string, first trace.Record) (_ *rerunner, err error) {
	conf := first.Header.Config
	p, err := open.PipelineOf(first.Graph)
	switch {
	case err != nil:
		return nil, cli.Usagef("%s: a run of this graph cannot be repeated: %w", path, err)
	case p.Corpus == pipeline.Always && conf["corpus"] == "":
		return nil, cli.Usagef("%s: it does not name its corpus; replay a golden trace with --case", path)
	}
	w := p.Want(conf)
	w.Corpus, w.Exchange, w.Forgets = nil, x, true
	if conf["corpus"] != "" {
		w.Corpus = open.Corpus
	}
	d, err := open.New(ctx, a, s, config.Cassette{}, w)
	if err != nil {
		return nil, err
	}
	r := &rerunner{closers: []func() error{d.Close}}
	if err = r.prepare(ctx, d, p, path, first); err != nil {
		return nil, cli.Also(err, r.close())
	}
	return r, nil
}

// prepare makes the rerunner repeat the run of a trace on a desk.
func (r *rerunner) prepare(ctx context.Context, d *open.Desk, p open.Pipeline, path string, first trace.Record) error {
	conf := first.Header.Config
	if d.Corpus != nil {
		if was, is := conf[config.TracedFingerprint], d.Corpus.Fingerprint(); was != is {
			return cli.Usagef("%s: the run read corpus %q with fingerprint %.12s; its fingerprint is now %.12s, so the results may differ: ingest the earlier documents, or make a new trace", path, d.Settings.Corpus, was, is)
		}
	}
	made, err := p.On(ctx, d, conf)
	if err != nil {
		return cli.Usagef("%s: its first line: %w", path, err)
	}
	more := map[string]string{}
	for _, key := range []string{config.TracedSchema, config.TracedIterations, config.TracedOpinion, config.TracedReview} {
		if value, ok := conf[key]; ok {
			more[key] = value
		}
	}
	header, err := d.Header(p.Traced, more)
	if err != nil {
		return err
	}
	header.Input = first.Header.Input
	files := pipeline.Library(&memory.Texts{})
	if d.Corpus != nil {
		files = d.Corpus
	}
	conclude := func(final json.RawMessage, runErr error) (state.Answer, error) {
		answer, err := made.Answer(final, runErr, files)
		if err != nil {
			return state.Answer{}, err
		}
		return compared(p, answer)
	}
	r.run = func(ctx context.Context, from graph.Recording, shown *render.Progress) (out rerun, err error) {
		var lines bytes.Buffer
		opts := &follow.Options[json.RawMessage]{Run: graph.RunOptions{Replay: from}, Trace: trace.NewWriter(&lines, header)}
		if r.ends {
			opts.End = func(final json.RawMessage, err error) state.End {
				answer, bad := conclude(final, err)
				if bad != nil {
					return state.Outcome{Err: bad}.End()
				}
				answer.In(conf["corpus"])
				return answer.End
			}
		}
		if shown != nil {
			opts.Observe = func(ev graph.Event[json.RawMessage]) { render.Observe(shown, ev) }
		}
		final, _, runErr := follow.App(ctx, made.App, header.Input, opts)
		if ctx.Err() != nil {
			return out, context.Cause(ctx)
		}
		if out.answer, err = conclude(final, runErr); err != nil {
			return out, err
		}
		out.err = runErr
		out.records, err = trace.Read(&lines)
		return out, err
	}
	return nil
}

// compared is an answer as a replay compares it: what a schema describes is its text.
func compared(p open.Pipeline, answer pipeline.Answer) (state.Answer, error) {
	out := *answer.Common()
	data, err := json.Marshal(answer)
	if err != nil {
		return out, fmt.Errorf("encoding the answer: %w", err)
	}
	shown, err := p.Proof(data)
	if len(shown.Result) > 0 {
		out.Answer = string(shown.Result)
	}
	return out, err
}
