package eval

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"example.com/assay/graph"
	"example.com/assay/internal/plainfile"
	"example.com/assay/memory"
	"example.com/assay/nodes/causal"
	"example.com/assay/nodes/causal/edgefile"
	"example.com/assay/nodes/evidence"
	"example.com/assay/nodes/extract"
	"example.com/assay/nodes/extract/docfile"
	"example.com/assay/nodes/pipeline"
	"example.com/assay/nodes/research"
	"example.com/assay/nodes/verify"
	"example.com/assay/state"
	"example.com/assay/state/proof"
)

// Proof reads the result of a case in the form of all pipelines. A result of a graph that
// is not one of them is read as a state.Answer.
func Proof(pipelines []pipeline.Pipeline, name string, result json.RawMessage) (proof.Proof, error) {
	read := func(result json.RawMessage) (proof.Proof, error) { return proof.Read(result, research.Proof) }
	for _, p := range pipelines {
		if p.Name == name {
			read = p.Proof
		}
	}
	out, err := read(result)
	if err != nil {
		return out, fmt.Errorf("reading the answer of %s: %w", name, err)
	}
	return out, nil
}

// always returns one graph to every run.
func always[S any](g *graph.Compiled[S]) func() (*graph.Compiled[S], error) {
	return func() (*graph.Compiled[S], error) { return g, nil }
}

func (b *Bench) research(_ context.Context, c Case, corpus *memory.Corpus) (job Job[state.Agent], err error) {
	opts := c.Settings.research(b.opts.Research, c.SkipInjectionCheck)
	pipeline, err := research.New(research.Deps{Model: b.Model, Skills: b.Skills, Corpus: corpus, Memory: forgetful{}, Inspect: b.Inspect}, opts)
	if err != nil {
		return job, err
	}
	verification := opts.Verify
	opts.Verify = nil // the key must not depend on its address
	job = Job[state.Agent]{Graph: always(pipeline.Graph()), Input: research.Input(c.question()), Options: []any{*opts, *verification}}
	job.Result = func(final state.Agent, runErr error) (Result, error) {
		if final.Objective == "" {
			final.Objective = c.question()
		}
		answer := research.Result(final, runErr, corpus)
		return Result{Whole: &answer, Answer: &answer, Steps: len(final.Plan)}, nil
	}
	job.Skills, err = b.Skills.Hashes(research.Skills())
	return job, err
}

// forgetful is a memory that stores and finds nothing, so that a case does not depend on earlier
// ones.
type forgetful struct{}

func (forgetful) Lookup(context.Context, string) (research.Recall, bool, error) {
	return research.Recall{}, false, nil
}

func (forgetful) Store(context.Context, string, research.Recall, float64) error { return nil }

func (b *Bench) comply(_ context.Context, c Case, corpus *memory.Corpus) (job Job[evidence.State], err error) {
	opts := c.Settings.comply(b.opts.Comply)
	pipeline, err := evidence.New(evidence.Deps{Model: b.Model, Skills: b.Skills, Corpus: corpus, Inspect: b.Inspect}, opts)
	if err != nil {
		return job, err
	}
	in := evidence.Input{Question: c.question(), Filter: evidence.Filter{
		Topic: c.Filter.Topic, Section: c.Filter.Section, Category: c.Filter.Category, SourceType: evidence.SourceType(c.Filter.SourceType),
	}}
	used, err := b.Skills.Hashes(evidence.Skills())
	job = Job[evidence.State]{Graph: always(pipeline.Graph()), Input: in.Update(), Skills: used, Options: *opts}
	job.Result = func(final evidence.State, runErr error) (Result, error) {
		final.Question, final.Filter = in.Question, in.Filter
		audit := evidence.Result(final, runErr, corpus)
		audit.Skills, audit.Fingerprint = used, corpus.Fingerprint()
		out := Result{Whole: &audit, Answer: &audit.Answer, Grounding: audit.Grounding}
		if runErr == nil {
			for _, problem := range evidence.Check(audit).Problems {
				out.Faults = append(out.Faults, "the audit does not hold: "+problem)
			}
		}
		return out, nil
	}
	return job, err
}

func (b *Bench) edges(_ context.Context, c Case, corpus *memory.Corpus) (job Job[causal.State], err error) {
	opts := c.Settings.edges(b.opts.Edges)
	data, err := plainfile.Read(c.path(c.Edges), 0)
	if err != nil {
		return job, err
	}
	edges, err := edgefile.Read(c.path(c.Edges), data)
	if err != nil {
		return job, err
	}
	pipeline, err := causal.New(causal.Deps{Model: b.Model, Skills: b.Skills, Corpus: corpus, Embedder: corpus, Inspect: b.Inspect}, opts)
	if err != nil {
		return job, err
	}
	job = Job[causal.State]{Graph: always(pipeline.Graph()), Input: causal.Input(edges), Options: *opts, Inputs: hashOf(data)}
	job.Result = func(final causal.State, runErr error) (Result, error) {
		answer, err := causal.Result(final, runErr, corpus)
		return Result{Whole: &answer, Answer: &answer.Answer, Scores: edgeScores(c.Gold.Edges, answer.Edges)}, err
	}
	job.Skills, err = b.Skills.Hashes(causal.Skills())
	return job, err
}

func (b *Bench) extract(ctx context.Context, c Case, _ *memory.Corpus) (job Job[extract.State], err error) {
	opts := c.Settings.extract(b.opts.Extract)
	data, err := plainfile.Read(c.path(c.Schema), 0)
	if err != nil {
		return job, err
	}
	schema, err := extract.ParseSchema(data)
	if err != nil {
		return job, fmt.Errorf("%s: %w", c.path(c.Schema), err)
	}
	docs, err := docfile.Read(ctx, c.path(c.Document))
	if err != nil {
		return job, err
	}
	if len(docs) != 1 {
		return job, fmt.Errorf("%s holds %d documents: a case is about one", c.path(c.Document), len(docs))
	}
	doc := docs[0].FieldDocument
	doc.Source = c.Document // the same wherever the case lies
	pipeline, err := extract.New(extract.Deps{Model: b.Model, Skills: b.Skills, Schema: schema}, opts)
	if err != nil {
		return job, err
	}
	job = Job[extract.State]{
		Graph: always(pipeline.Graph()), Input: extract.Update(doc), Options: *opts,
		Inputs: hashOf(fmt.Appendf(nil, "%s\n%s\n%v", data, doc.Text, doc.Boxes)), Document: doc.Text,
	}
	job.Result = func(final extract.State, runErr error) (Result, error) {
		answer := schema.Answer(final, runErr)
		return Result{Whole: &answer, Answer: &answer.Answer, Scores: fieldScores(c.Gold.Fields, answer)}, nil
	}
	job.Skills, err = b.Skills.Hashes(extract.Skills())
	return job, err
}

func (b *Bench) verify(ctx context.Context, c Case, corpus *memory.Corpus) (job Job[verify.State], err error) {
	opts := c.Settings.verify(b.opts.Verify)
	response, err := plainfile.Read(c.path(c.Response), 0)
	if err != nil {
		return job, err
	}
	texts := &memory.Texts{}
	if len(c.Context) > 0 {
		var paths []string
		for _, path := range c.Context {
			paths = append(paths, c.path(path))
		}
		if texts, err = memory.ReadTexts(ctx, paths); err != nil {
			return job, err
		}
	}
	if len(texts.Skipped) > 0 {
		return job, fmt.Errorf("%s cannot be read: %s", texts.Skipped[0].Path, texts.Skipped[0].Reason)
	}
	in := verify.Input{Query: c.question(), Response: string(response), Evidence: verify.Labelled(texts.Passages, b.Inspect)}
	deps, files := verify.Deps{Model: b.Model, Skills: b.Skills, Inspect: b.Inspect}, locators{texts}
	if corpus != nil {
		deps.Corpus, files = corpus, append(files, corpus)
	}
	pipeline, err := verify.New(deps, opts)
	if err != nil {
		return job, err
	}
	job = Job[verify.State]{Graph: always(pipeline.Graph()), Input: in.Update(), Options: *opts, Inputs: hashOf(fmt.Appendf(nil, "%s\n%+v", response, in.Evidence))}
	job.Result = func(final verify.State, runErr error) (Result, error) {
		answer := verify.Result(final, runErr, files)
		return Result{Whole: &answer, Answer: &answer.Answer}, nil
	}
	job.Skills, err = b.Skills.Hashes(verify.Skills())
	return job, err
}

// locators find a source in the first locator that has it.
type locators []verify.Locator

func (l locators) TextPath(source string) (path, original string, err error) {
	var errs []error
	for _, files := range l {
		if path, original, err = files.TextPath(source); err == nil {
			return path, original, nil
		}
		errs = append(errs, err)
	}
	return "", "", errors.Join(errs...)
}
