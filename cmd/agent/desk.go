package main

import (
	"context"
	"errors"

	"example.com/assay/llm"
	"example.com/assay/memory"
	"example.com/assay/skills"
)

// A desk is what a verb's pipeline works with: its settings, its skills, its model
// and its corpus.
type desk struct {
	*app
	settings
	set    *skills.Set
	skills map[string]string // hash by name, of those that the pipeline asks
	asked  llm.Model         // the model, under its limits
	corpus *memory.Corpus    // nil without one
	finder *finder           // the same
}

// openDesk opens what the settings name. Names are the skills of the pipeline; open
// opens the corpus, nil for none.
func (a *app) openDesk(ctx context.Context, s settings, x *exchange, names []string, open func(context.Context, settings, *memory.OpenOptions) (*memory.Corpus, error)) (d desk, err error) {
	d = desk{app: a, settings: s}
	if d.set, err = s.loadSkills(); err != nil {
		return d, err
	}
	if d.skills, err = skillHashes(d.set, names); err != nil {
		return d, err
	}
	if d.asked, err = x.model(ctx, s); err != nil || open == nil {
		return d, err
	}
	if d.finder, err = a.openFinder(ctx, s, d.set, x); err != nil {
		return d, err
	}
	if d.corpus, err = open(ctx, s, d.finder.options()); err != nil {
		return d, errors.Join(err, d.finder.close())
	}
	return d, nil
}

// openConfigured opens the corpus of the settings.
func (a *app) openConfigured(ctx context.Context, s settings, opts *memory.OpenOptions) (*memory.Corpus, error) {
	return a.openCorpus(ctx, s.home, s.corpus, opts)
}

// Close releases the corpus.
func (d *desk) Close() error {
	var errs []error
	if d.corpus != nil {
		errs = append(errs, d.corpus.Close())
	}
	if d.finder != nil {
		errs = append(errs, d.finder.close())
	}
	return errors.Join(errs...)
}
