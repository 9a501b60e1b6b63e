package eval

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"example.com/assay/graph"
	"example.com/assay/llm"
	"example.com/assay/memory"
	"example.com/assay/memory/retrieval"
	"example.com/assay/nodes/causal"
	"example.com/assay/nodes/evidence"
	"example.com/assay/nodes/extract"
	"example.com/assay/nodes/research"
	"example.com/assay/nodes/verify"
	"example.com/assay/skills"
)

// Deps are the dependencies of cases of the five pipelines. Without Model and Skills a bench has
// only registered graphs, and without Corpora it returns an error for cases with a corpus.
type Deps struct {
	Model   llm.Model
	Skills  *skills.Set
	Corpora *Corpora
	// Inspect detects prompt injections in passages. Optional.
	Inspect retrieval.Inspect
}

// BenchOptions adjust a Bench. Nil is the zero value.
type BenchOptions struct {
	// Label is the model's name in traces. Default "offline".
	Label string
	// The pipelines' options, before those of a case.
	Research research.Options
	Comply   evidence.Options
	Edges    causal.Options
	Extract  extract.Options
	Verify   verify.Options
}

// A Bench runs cases of the five pipelines and of the graphs that Register adds. Cases do not share
// state.
type Bench struct {
	Deps
	opts     BenchOptions
	names    []string // of prepares, in the order in which they were registered
	prepares map[string]func(context.Context, *Prepared, *memory.Corpus) error
}

// NewBench makes a bench. The error is that a model has no skills, or skills no model.
func NewBench(deps Deps, opts *BenchOptions) (*Bench, error) {
	if (deps.Model == nil) != (deps.Skills == nil) {
		return nil, errors.New("making a bench: a model and skills are needed together")
	}
	b := &Bench{Deps: deps, prepares: map[string]func(context.Context, *Prepared, *memory.Corpus) error{}}
	if opts != nil {
		b.opts = *opts
	}
	if b.opts.Label == "" {
		b.opts.Label = "offline"
	}
	if deps.Model != nil {
		register(b, Research, b.research)
		register(b, Comply, b.comply)
		register(b, Edges, b.edges)
		register(b, Extract, b.extract)
		register(b, Verify, b.verify)
	}
	return b, nil
}

// A Prepared case can be run several times, and at the same time as others.
type Prepared struct {
	Case   Case
	Corpus string            // fingerprint of its corpus; empty without
	Inputs string            // hash of its files other than the corpus
	Skills map[string]string // hash by name
	// Document is the text that an extraction reads; empty for other pipelines.
	Document string
	// Repeat is the number of this run among several of the case, from 1; 0 for a single one.
	Repeat int
	run    func(context.Context, graph.RunOptions) (Run, error)
	conditions,
	name string // of the corpus
}

// Run runs the case once. Opts are passed to the engine, without their Modes. An error of
// the graph is part of the run; a returned error says that the case could not be run.
func (p *Prepared) Run(ctx context.Context, opts *graph.RunOptions) (Run, error) {
	var o graph.RunOptions
	if opts != nil {
		o = *opts
	}
	r, err := p.run(ctx, o)
	if err != nil {
		return r, fmt.Errorf("running case %q: %w", p.Case.Name, err)
	}
	r.Answer.Corpus = p.name
	r.Answer.In(p.name)
	return r, nil
}

// Key returns a hash of everything that a run depends on: the case, its files, the corpus, the
// skills, the settings and the model's name.
func (p *Prepared) Key() string {
	parts := []string{p.Case.Name, p.Case.Hash, p.Inputs, p.Corpus, p.conditions}
	for _, name := range sortedKeys(p.Skills) {
		parts = append(parts, name+"="+p.Skills[name])
	}
	return hashOf([]byte(strings.Join(parts, "\x00")))
}

// PrepareAll prepares cases one after the other. It first looks whether it knows all of
// their pipelines; the error names each case of another.
func (b *Bench) PrepareAll(ctx context.Context, cases []Case) ([]*Prepared, error) {
	var unknown []error
	for _, c := range cases {
		unknown = append(unknown, b.knows(c))
	}
	if err := errors.Join(unknown...); err != nil {
		return nil, err
	}
	ready := make([]*Prepared, len(cases))
	for i, c := range cases {
		var err error
		if ready[i], err = b.Prepare(ctx, c); err != nil {
			return nil, err
		}
	}
	return ready, nil
}

// Prepare reads the files of a case, ingests its corpus and prepares its graph.
func (b *Bench) Prepare(ctx context.Context, c Case) (*Prepared, error) {
	if err := b.knows(c); err != nil {
		return nil, err
	}
	p := &Prepared{Case: c, Skills: map[string]string{}}
	var corpus *memory.Corpus
	if c.Corpus != "" {
		if b.Corpora == nil {
			return nil, fmt.Errorf("preparing case %q: it has a corpus, and the bench was made without Corpora", c.Name)
		}
		var err error
		if corpus, err = b.Corpora.Open(ctx, c.CorpusDir()); err != nil {
			return nil, fmt.Errorf("preparing case %q: %w", c.Name, err)
		}
		p.Corpus, p.name = corpus.Fingerprint(), corpus.Name()
	}
	if err := b.prepares[c.Pipeline](ctx, p, corpus); err != nil {
		return nil, fmt.Errorf("preparing case %q: %w", c.Name, err)
	}
	return p, nil
}

// knows returns an error for a case whose pipeline the bench does not have.
func (b *Bench) knows(c Case) error {
	known := "none is registered"
	switch {
	case b.prepares[c.Pipeline] != nil:
		return nil
	case slices.Contains(pipelines, c.Pipeline):
		known = "it needs a bench with a model and skills"
	case len(b.names) > 0:
		known = "known are " + strings.Join(b.names, ", ")
	}
	return fmt.Errorf("preparing case %q: %s: pipeline is %q; %s", c.Name, c.File, c.Pipeline, known)
}

func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])[:16]
}
