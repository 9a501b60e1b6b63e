package traces

import (
	"context"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/graph"
	"example.com/assay/graph/trace"
	"example.com/assay/memory"
	"example.com/assay/nodes/causal"
	"example.com/assay/nodes/evidence"
	"example.com/assay/nodes/extract"
	"example.com/assay/nodes/research"
	"example.com/assay/nodes/verify"
	"example.com/assay/state"
)

// A tracedRun is a run as its trace describes it, and the desk to repeat it on.
type tracedRun struct {
	*open.Desk
	path  string
	first trace.Record
}

// openRerun makes the pipeline of a trace with the trace's settings.
func openRerun(ctx context.Context, a *cli.App, s config.Settings, x *open.Exchange, path string, first trace.Record) (_ *rerunner, err error) {
	again := map[string]func(*tracedRun, context.Context, *rerunner) error{
		"research": (*tracedRun).research, "comply": (*tracedRun).comply, "edges": (*tracedRun).edges, "extract": (*tracedRun).extract, "verify": (*tracedRun).verify,
	}
	kind, err := open.KindOf(first.Graph)
	switch {
	case err != nil:
		return nil, cli.Usagef("%s: a run of this graph cannot be repeated: %w", path, err)
	case kind.Corpus && first.Header.Config["corpus"] == "":
		return nil, cli.Usagef("%s: it does not name its corpus; replay a golden trace with --case", path)
	}
	w := kind.Want(first.Header.Config)
	w.Exchange = x
	d, err := open.New(ctx, a, s, config.Cassette{}, w)
	if err != nil {
		return nil, err
	}
	r, t := &rerunner{closers: []func() error{d.Close}}, &tracedRun{d, path, first}
	if err = t.sameCorpus(); err == nil {
		err = again[first.Graph](t, ctx, r)
	}
	if err != nil {
		return nil, cli.Also(err, r.close())
	}
	return r, nil
}

// sameCorpus refuses a corpus that differs from the one that the run read.
func (t *tracedRun) sameCorpus() error {
	if t.Corpus == nil {
		return nil
	}
	if was, is := t.first.Header.Config[config.TracedFingerprint], t.Corpus.Fingerprint(); was != is {
		return cli.Usagef("%s: the run read corpus %q with fingerprint %.12s; its fingerprint is now %.12s, so the results may differ: ingest the earlier documents, or make a new trace", t.path, t.Settings.Corpus, was, is)
	}
	return nil
}

// tracedAgain makes the rerunner run a pipeline that follows the settings of keys.
func tracedAgain[S any](t *tracedRun, r *rerunner, g *graph.Compiled[S], keys []string, conclude func(S, error) (state.Answer, error)) error {
	more := map[string]string{}
	for _, key := range []string{config.TracedSchema, config.TracedIterations, config.TracedOpinion, config.TracedReview} {
		if value, ok := t.first.Header.Config[key]; ok {
			more[key] = value
		}
	}
	header, err := open.Header(t.Desk, &open.Traced[S]{Keys: keys, More: more})
	if err != nil {
		return err
	}
	header.Input = t.first.Header.Input
	return runsAgain(r, t.path, g, header, conclude)
}

func (t *tracedRun) research(ctx context.Context, r *rerunner) error {
	p, err := t.Research(ctx, open.NoMemory{})
	if err != nil {
		return err
	}
	return tracedAgain(t, r, p.Graph(), config.AskTraced, func(final state.Agent, runErr error) (state.Answer, error) {
		return research.Result(final, runErr, t.Corpus), nil
	})
}

func (t *tracedRun) comply(_ context.Context, r *rerunner) error {
	p, err := t.Comply(t.first.Header.Config[config.TracedReview] == "true")
	if err != nil {
		return err
	}
	return tracedAgain(t, r, p.Graph(), nil, func(final evidence.State, runErr error) (state.Answer, error) {
		return evidence.Result(final, runErr, t.Corpus).Answer, nil
	})
}

func (t *tracedRun) edges(_ context.Context, r *rerunner) error {
	p, err := t.Edges()
	if err != nil {
		return err
	}
	return tracedAgain(t, r, p.Graph(), config.CausalTraced, func(final causal.State, runErr error) (state.Answer, error) {
		answer, err := causal.Result(final, runErr, t.Corpus)
		return answer.Answer, err
	})
}

func (t *tracedRun) extract(_ context.Context, r *rerunner) error {
	p, schema, err := t.ExtractAgain(t.first.Header.Config)
	if err != nil {
		return cli.Usagef("%s: its first line: %w", t.path, err)
	}
	return tracedAgain(t, r, p.Graph(), nil, func(final extract.State, runErr error) (state.Answer, error) {
		answer := schema.Answer(final, runErr)
		answer.Answer.Answer = string(answer.Result)
		return answer.Answer, nil
	})
}

func (t *tracedRun) verify(_ context.Context, r *rerunner) error {
	files := verify.Locator(&memory.Texts{})
	if t.Corpus != nil {
		files = t.Corpus
	}
	p, err := t.Verify()
	if err != nil {
		return err
	}
	return tracedAgain(t, r, p.Graph(), config.VerifyTraced, func(final verify.State, runErr error) (state.Answer, error) {
		return verify.Result(final, runErr, files).Answer, nil
	})
}
