package main

import (
	"cmp"
	"context"
	"strconv"

	"example.com/assay/graph"
	"example.com/assay/graph/trace"
	"example.com/assay/llm"
	"example.com/assay/memory"
	"example.com/assay/nodes/causal"
	"example.com/assay/nodes/evidence"
	"example.com/assay/nodes/extract"
	"example.com/assay/nodes/research"
	"example.com/assay/nodes/verify"
	"example.com/assay/skills"
	"example.com/assay/state"
)

// A tracedRun is what a trace says of a run, and what it needs to be run again.
type tracedRun struct {
	*app
	settings
	path   string
	first  trace.Record
	set    *skills.Set
	model  llm.Model
	corpus *memory.Corpus // nil without one
}

// openRerun makes the pipeline of a trace as its settings say.
func (a *app) openRerun(ctx context.Context, s settings, x *exchange, path string, first trace.Record) (_ *rerunner, err error) {
	r, t := &rerunner{}, &tracedRun{app: a, settings: s, path: path, first: first}
	defer func() {
		if err != nil {
			err = also(err, r.close())
		}
	}()
	if t.set, err = s.loadSkills(); err != nil {
		return nil, err
	}
	if t.model, err = x.model(ctx, s); err != nil {
		return nil, err
	}
	pipelines := map[string]struct {
		again  func(*tracedRun, *rerunner) error
		corpus bool // it cannot be without one
	}{
		"research": {(*tracedRun).research, true}, "comply": {(*tracedRun).comply, true}, "edges": {(*tracedRun).edges, true},
		"extract": {(*tracedRun).extract, false}, "verify": {(*tracedRun).verify, false},
	}
	of, known := pipelines[first.Graph]
	switch named := first.Header.Config["corpus"] != ""; {
	case !known:
		return nil, usagef("%s: it is of graph %q; what can be run again is research, comply, edges, extract and verify", path, first.Graph)
	case of.corpus && !named:
		return nil, usagef("%s: it does not say which corpus was read; a golden trace is replayed with --case", path)
	case named:
		if err := t.openCorpus(ctx, x, r); err != nil {
			return nil, err
		}
	}
	return r, of.again(t, r)
}

// openCorpus opens the corpus that the run read, and refuses another.
func (t *tracedRun) openCorpus(ctx context.Context, x *exchange, r *rerunner) error {
	found, err := t.openFinder(ctx, t.settings, t.set, x)
	if err != nil {
		return err
	}
	r.closers = append(r.closers, found.close)
	if t.corpus, err = t.app.openCorpus(ctx, t.home, t.settings.corpus, found.options()); err != nil {
		return err
	}
	r.closers = append(r.closers, t.corpus.Close)
	if was, is := t.first.Header.Config[tracedFingerprint], t.corpus.Fingerprint(); was != is {
		return usagef("%s: the run read corpus %q when its fingerprint was %.12s; now it is %.12s, and other passages may be found: ingest the documents as they were, or make a new trace", t.path, t.settings.corpus, was, is)
	}
	return nil
}

// tracedAgain makes the rerunner run a pipeline that asks the skills of names and
// follows the settings of keys.
func tracedAgain[S any](t *tracedRun, r *rerunner, g *graph.Compiled[S], keys, names []string, conclude func(S, error) (state.Answer, error)) error {
	hashes, err := skillHashes(t.set, names)
	if err != nil {
		return err
	}
	more := map[string]string{}
	for _, key := range []string{tracedSchema, tracedIterations, tracedOpinion, tracedReview} {
		if value, ok := t.first.Header.Config[key]; ok {
			more[key] = value
		}
	}
	header, err := traceHeader[S](t.app, t.settings, "", nil, hashes, t.corpus, keys, more)
	if err != nil {
		return err
	}
	header.Input = t.first.Header.Input
	return runsAgain(r, t.path, g, header, conclude)
}

func (t *tracedRun) research(r *rerunner) error {
	opts, err := t.pipelineOptions(t.settings)
	if err != nil {
		return err
	}
	deps := research.Deps{Model: t.model, Skills: t.set, Corpus: t.corpus, Inspect: ordersIn}
	if t.memory {
		deps.Memory = rehearsal{}
	}
	p, err := research.New(deps, opts)
	if err != nil {
		return err
	}
	return tracedAgain(t, r, p.Graph(), askTraced, research.Skills(), func(final state.Agent, runErr error) (state.Answer, error) {
		return research.Result(final, runErr, t.corpus), nil
	})
}

// rehearsal stands in for memory: it has never heard of anything, and keeps
// nothing.
type rehearsal struct{}

func (rehearsal) Lookup(context.Context, string) (research.Recall, bool, error) {
	return research.Recall{}, false, nil
}

func (rehearsal) Store(context.Context, string, research.Recall, float64) error { return nil }

func (t *tracedRun) comply(r *rerunner) error {
	opts := &evidence.Options{ModelReview: t.first.Header.Config[tracedReview] == "true"}
	p, err := evidence.New(evidence.Deps{Model: t.model, Skills: t.set, Corpus: t.corpus, Inspect: ordersIn}, opts)
	if err != nil {
		return err
	}
	return tracedAgain(t, r, p.Graph(), nil, evidence.Skills(), func(final state.Comply, runErr error) (state.Answer, error) {
		return evidence.Result(final, runErr, t.corpus).Answer, nil
	})
}

func (t *tracedRun) edges(r *rerunner) error {
	deps := causal.Deps{Model: t.model, Skills: t.set, Corpus: t.corpus, Embedder: t.corpus, Inspect: ordersIn}
	p, err := causal.New(deps, t.grounding.options(t.limits.Concurrency))
	if err != nil {
		return err
	}
	return tracedAgain(t, r, p.Graph(), causalTraced, causal.Skills(), func(final state.Causal, runErr error) (state.Answer, error) {
		answer, err := causal.Result(final, runErr, t.corpus)
		return answer.Answer, err
	})
}

func (t *tracedRun) extract(r *rerunner) error {
	config := t.first.Header.Config
	schema, err := extract.ParseSchema([]byte(config[tracedSchema]))
	if err != nil {
		return usagef("%s: reading the schema of its first line: %w", t.path, err)
	}
	iterations, err := strconv.Atoi(cmp.Or(config[tracedIterations], "0"))
	if err != nil || iterations < 0 {
		return usagef("%s: %s is %q in its first line: it must be a whole number", t.path, tracedIterations, config[tracedIterations])
	}
	opts := &extract.Options{MaxIterations: iterations, Review: config[tracedOpinion] == "true"}
	p, err := extract.New(extract.Deps{Model: t.model, Skills: t.set, Schema: schema}, opts)
	if err != nil {
		return err
	}
	return tracedAgain(t, r, p.Graph(), nil, extract.Skills(), func(final state.Extract, runErr error) (state.Answer, error) {
		answer := schema.Answer(final, runErr)
		answer.Answer.Answer = string(answer.Result)
		return answer.Answer, nil
	})
}

func (t *tracedRun) verify(r *rerunner) error {
	deps, files := verify.Deps{Model: t.model, Skills: t.set, Inspect: ordersIn}, verify.Locator(&memory.Texts{})
	if t.corpus != nil {
		deps.Corpus, files = t.corpus, t.corpus
	}
	p, err := verify.New(deps, t.verification.options())
	if err != nil {
		return err
	}
	return tracedAgain(t, r, p.Graph(), verifyTraced, verify.Skills(), func(final state.Verify, runErr error) (state.Answer, error) {
		return verify.Result(final, runErr, files).Answer, nil
	})
}
