package eval

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
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

// Deps are what cases of every pipeline are run with.
type Deps struct {
	Model   llm.Model
	Skills  *skills.Set
	Corpora *Corpora
	// Inspect looks for orders in what is read. Nil looks for none.
	Inspect retrieval.Inspect
}

// BenchOptions adjust a Bench. Nil is the zero value.
type BenchOptions struct {
	// Label is what traces call the model. Default "offline".
	Label string
	// The pipelines' options, before those of a case.
	Research research.Options
	Comply   evidence.Options
	Edges    causal.Options
	Extract  extract.Options
	Verify   verify.Options
	// Run is passed to the engine.
	Run graph.RunOptions
}

// A Bench runs cases of every pipeline. It carries no memory from one case to the next.
type Bench struct {
	Deps
	opts BenchOptions
}

// NewBench makes a bench. The error is that something is missing.
func NewBench(deps Deps, opts *BenchOptions) (*Bench, error) {
	if deps.Model == nil || deps.Skills == nil || deps.Corpora == nil {
		return nil, errors.New("making a bench: a model, skills and corpora are needed")
	}
	b := &Bench{Deps: deps}
	if opts != nil {
		b.opts = *opts
	}
	if b.opts.Label == "" {
		b.opts.Label = "offline"
	}
	return b, nil
}

// A Prepared case can be run several times, and at the same time as others.
type Prepared struct {
	Case   Case
	Corpus string            // fingerprint of what it searches; empty without
	Inputs string            // hash of the files that it names besides the corpus
	Skills map[string]string // hash by name
	// Document is the text that an extraction reads; empty of other pipelines.
	Document string
	// Repeat is which of several runs of the case this is, from 1; 0 for the only one.
	Repeat int
	run    func(ctx context.Context) (Run, error)
	conditions,
	name string // of the corpus
}

// Run runs the case once. An error of the pipeline is part of the run; a returned error
// says that the case could not be run.
func (p *Prepared) Run(ctx context.Context) (Run, error) {
	r, err := p.run(ctx)
	if err != nil {
		return r, fmt.Errorf("running case %q: %w", p.Case.Name, err)
	}
	r.Answer.Corpus = p.name
	r.Answer.In(p.name)
	return r, nil
}

// Key is a hash of everything that a run depends on: the case, its files, the corpus, the
// skills, the settings and the model's name.
func (p *Prepared) Key() string {
	parts := []string{p.Case.Name, p.Case.Hash, p.Inputs, p.Corpus, p.conditions}
	for _, name := range sortedKeys(p.Skills) {
		parts = append(parts, name+"="+p.Skills[name])
	}
	return hashOf([]byte(strings.Join(parts, "\x00")))
}

// Prepare reads the files of a case, ingests its corpus and compiles its pipeline.
func (b *Bench) Prepare(ctx context.Context, c Case) (*Prepared, error) {
	p := &Prepared{Case: c, Skills: map[string]string{}}
	var corpus *memory.Corpus
	if c.Corpus != "" {
		var err error
		if corpus, err = b.Corpora.Open(ctx, c.CorpusDir()); err != nil {
			return nil, fmt.Errorf("preparing case %q: %w", c.Name, err)
		}
		p.Corpus, p.name = corpus.Fingerprint(), corpus.Name()
	}
	of := map[string]func(context.Context, *Prepared, *memory.Corpus) error{
		Research: b.research, Comply: b.comply, Edges: b.edges, Extract: b.extract, Verify: b.verify,
	}[c.Pipeline]
	if of == nil {
		return nil, fmt.Errorf("preparing case %q: pipeline is %q", c.Name, c.Pipeline)
	}
	if err := of(ctx, p, corpus); err != nil {
		return nil, fmt.Errorf("preparing case %q: %w", c.Name, err)
	}
	return p, nil
}

// uses notes the skills and the options of a case's pipeline.
func (b *Bench) uses(p *Prepared, names []string, options any) error {
	for _, name := range names {
		skill, err := b.Skills.Get(name)
		if err != nil {
			return err
		}
		p.Skills[name] = skill.Hash
	}
	p.conditions = fmt.Sprintf("%s %+v", b.opts.Label, options)
	return nil
}

func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])[:16]
}
