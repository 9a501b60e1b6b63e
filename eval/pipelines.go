package eval

import (
	"context"
	"errors"
	"fmt"
	"os"

	"example.com/assay/memory"
	"example.com/assay/nodes/causal"
	"example.com/assay/nodes/causal/edgefile"
	"example.com/assay/nodes/evidence"
	"example.com/assay/nodes/extract"
	"example.com/assay/nodes/extract/docfile"
	"example.com/assay/nodes/research"
	"example.com/assay/nodes/verify"
	"example.com/assay/state"
)

func (b *Bench) research(_ context.Context, p *Prepared, corpus *memory.Corpus) error {
	c, opts := p.Case, p.Case.Settings.research(b.opts.Research, p.Case.SkipInjectionCheck)
	pipeline, err := research.New(research.Deps{Model: b.Model, Skills: b.Skills, Corpus: corpus, Memory: forgetful{}, Inspect: b.Inspect}, opts)
	if err != nil {
		return err
	}
	verification := opts.Verify
	opts.Verify = nil // its address is no condition
	if err := b.uses(p, research.Skills(), []any{*opts, *verification}); err != nil {
		return err
	}
	p.run = func(ctx context.Context) (Run, error) {
		return run(ctx, b, p, pipeline.Graph(), research.Input(c.question()), func(final state.Agent, runErr error) (result, error) {
			if final.Objective == "" {
				final.Objective = c.question()
			}
			answer := research.Result(final, runErr, corpus)
			return result{Whole: &answer, Answer: &answer, Steps: len(final.Plan)}, nil
		})
	}
	return nil
}

// forgetful is a memory that finds nothing and keeps nothing, so that a case does not depend
// on earlier ones.
type forgetful struct{}

func (forgetful) Lookup(context.Context, string) (research.Recall, bool, error) {
	return research.Recall{}, false, nil
}

func (forgetful) Store(context.Context, string, research.Recall, float64) error { return nil }

func (b *Bench) comply(_ context.Context, p *Prepared, corpus *memory.Corpus) error {
	c, opts := p.Case, p.Case.Settings.comply(b.opts.Comply)
	pipeline, err := evidence.New(evidence.Deps{Model: b.Model, Skills: b.Skills, Corpus: corpus, Inspect: b.Inspect}, opts)
	if err != nil {
		return err
	}
	in := evidence.Input{Question: c.question(), Filter: evidence.Filter{
		Topic: c.Filter.Topic, Section: c.Filter.Section, Category: c.Filter.Category, SourceType: evidence.SourceType(c.Filter.SourceType),
	}}
	if err := b.uses(p, evidence.Skills(), *opts); err != nil {
		return err
	}
	p.run = func(ctx context.Context) (Run, error) {
		return run(ctx, b, p, pipeline.Graph(), in.Update(), func(final evidence.State, runErr error) (result, error) {
			final.Question, final.Filter = in.Question, in.Filter
			audit := evidence.Result(final, runErr, corpus)
			audit.Skills, audit.Fingerprint = p.Skills, corpus.Fingerprint()
			out := result{Whole: &audit, Answer: &audit.Answer, Grounding: audit.Grounding}
			if runErr == nil {
				for _, problem := range evidence.Check(audit).Problems {
					out.Faults = append(out.Faults, "the audit does not hold: "+problem)
				}
			}
			return out, nil
		})
	}
	return nil
}

func (b *Bench) edges(_ context.Context, p *Prepared, corpus *memory.Corpus) error {
	c, opts := p.Case, p.Case.Settings.edges(b.opts.Edges)
	data, err := os.ReadFile(c.path(c.Edges))
	if err != nil {
		return err
	}
	edges, err := edgefile.Read(c.path(c.Edges), data)
	if err != nil {
		return err
	}
	p.Inputs = hashOf(data)
	pipeline, err := causal.New(causal.Deps{Model: b.Model, Skills: b.Skills, Corpus: corpus, Embedder: corpus, Inspect: b.Inspect}, opts)
	if err != nil {
		return err
	}
	if err := b.uses(p, causal.Skills(), *opts); err != nil {
		return err
	}
	p.run = func(ctx context.Context) (Run, error) {
		return run(ctx, b, p, pipeline.Graph(), causal.Input(edges), func(final causal.State, runErr error) (result, error) {
			answer, err := causal.Result(final, runErr, corpus)
			return result{Whole: &answer, Answer: &answer.Answer, Scores: edgeScores(c.Gold.Edges, answer.Edges)}, err
		})
	}
	return nil
}

func (b *Bench) extract(ctx context.Context, p *Prepared, _ *memory.Corpus) error {
	c, opts := p.Case, p.Case.Settings.extract(b.opts.Extract)
	data, err := os.ReadFile(c.path(c.Schema))
	if err != nil {
		return err
	}
	schema, err := extract.ParseSchema(data)
	if err != nil {
		return fmt.Errorf("%s: %w", c.path(c.Schema), err)
	}
	docs, err := docfile.Read(ctx, c.path(c.Document))
	if err != nil {
		return err
	}
	if len(docs) != 1 {
		return fmt.Errorf("%s holds %d documents: a case is about one", c.path(c.Document), len(docs))
	}
	doc := docs[0].FieldDocument
	doc.Source = c.Document // the same wherever the case lies
	p.Document, p.Inputs = doc.Text, hashOf(fmt.Appendf(nil, "%s\n%s\n%v", data, doc.Text, doc.Boxes))
	pipeline, err := extract.New(extract.Deps{Model: b.Model, Skills: b.Skills, Schema: schema}, opts)
	if err != nil {
		return err
	}
	if err := b.uses(p, extract.Skills(), *opts); err != nil {
		return err
	}
	p.run = func(ctx context.Context) (Run, error) {
		return run(ctx, b, p, pipeline.Graph(), extract.Update(doc), func(final extract.State, runErr error) (result, error) {
			answer := schema.Answer(final, runErr)
			return result{Whole: &answer, Answer: &answer.Answer, Scores: fieldScores(c.Gold.Fields, answer)}, nil
		})
	}
	return nil
}

func (b *Bench) verify(ctx context.Context, p *Prepared, corpus *memory.Corpus) error {
	c, opts := p.Case, p.Case.Settings.verify(b.opts.Verify)
	response, err := os.ReadFile(c.path(c.Response))
	if err != nil {
		return err
	}
	texts := &memory.Texts{}
	if len(c.Context) > 0 {
		var paths []string
		for _, path := range c.Context {
			paths = append(paths, c.path(path))
		}
		if texts, err = memory.ReadTexts(ctx, paths); err != nil {
			return err
		}
	}
	if len(texts.Skipped) > 0 {
		return fmt.Errorf("%s cannot be read: %s", texts.Skipped[0].Path, texts.Skipped[0].Reason)
	}
	in := verify.Input{Query: c.question(), Response: string(response), Evidence: verify.Labelled(texts.Passages)}
	p.Inputs = hashOf(fmt.Appendf(nil, "%s\n%+v", response, in.Evidence))
	deps, files := verify.Deps{Model: b.Model, Skills: b.Skills, Inspect: b.Inspect}, locators{texts}
	if corpus != nil {
		deps.Corpus, files = corpus, append(files, corpus)
	}
	pipeline, err := verify.New(deps, opts)
	if err != nil {
		return err
	}
	if err := b.uses(p, verify.Skills(), *opts); err != nil {
		return err
	}
	p.run = func(ctx context.Context) (Run, error) {
		return run(ctx, b, p, pipeline.Graph(), in.Update(), func(final verify.State, runErr error) (result, error) {
			answer := verify.Result(final, runErr, files)
			return result{Whole: &answer, Answer: &answer.Answer}, nil
		})
	}
	return nil
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
