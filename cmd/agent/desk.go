package main

import (
	"context"
	"errors"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/graph/checkpoint/sqlite"
	"example.com/assay/llm"
	"example.com/assay/memory"
	"example.com/assay/memory/qa"
	"example.com/assay/skills"
	"example.com/assay/state"
)

// A desk is what pipelines work with: settings, skills, a model under its limits, and
// what else was asked for. It belongs to one verb, or to one choice of settings of a
// session.
type desk struct {
	*cli.App
	config.Settings
	Set      *skills.Set
	Hashes   map[string]string // of the skills that the pipeline asks, by name
	Model    llm.Model
	Corpus   *memory.Corpus // nil without one
	Exchange *exchange

	threads *sqlite.Saver // nil when runs are not saved
	answers *qa.Memory    // nil when nothing is remembered
	spans   *tracing
	finder  *finder
	own     bool // the exchange is closed with the desk
}

// A want is what a verb needs on its desk.
type want struct {
	Skills []string // that the pipeline asks
	// Corpus opens the corpus. Default: there is none.
	Corpus   func(context.Context, *cli.App, config.Settings, *memory.OpenOptions) (*memory.Corpus, error)
	Threads  bool // runs are saved
	Spans    bool // spans go to the collector of the settings
	Exchange *exchange
}

// openDesk opens what the settings name. An exchange that is given stays its caller's;
// without one the desk makes its own, with the cassette.
func openDesk(ctx context.Context, a *cli.App, s config.Settings, c config.Cassette, w want) (_ *desk, err error) {
	d := &desk{App: a, Exchange: w.Exchange, own: w.Exchange == nil}
	if d.own {
		if d.Exchange, err = openExchange(a, c, &s); err != nil {
			return nil, err
		}
	}
	d.Settings = s
	defer func() {
		if err != nil {
			err = errors.Join(err, d.Close())
		}
	}()
	if d.Set, err = s.LoadSkills(); err != nil {
		return nil, err
	}
	if d.Hashes, err = skillHashes(d.Set, w.Skills); err != nil {
		return nil, err
	}
	if w.Corpus != nil {
		if d.finder, err = openFinder(ctx, a, s, d.Set, d.Exchange); err != nil {
			return nil, err
		}
		if d.Corpus, err = w.Corpus(ctx, a, s, d.finder.options()); err != nil {
			return nil, err
		}
	}
	if w.Threads {
		if d.threads, err = openThreads(ctx, s.Home); err != nil {
			return nil, err
		}
	}
	if d.Model, err = d.Exchange.model(ctx, s); err != nil {
		return nil, err
	}
	if w.Spans {
		d.spans, err = openTracing(ctx, s)
	}
	return d, err
}

// Close releases what was opened, and sends the spans that are left. Lost spans are a
// warning: they change no answer.
func (d *desk) Close() error {
	if d == nil {
		return nil
	}
	if err := d.spans.close(); err != nil {
		d.Warn("%v", err)
	}
	var errs []error
	if d.threads != nil {
		errs = append(errs, d.threads.Close())
	}
	if d.answers != nil {
		errs = append(errs, d.answers.Close())
	}
	if d.Corpus != nil {
		errs = append(errs, d.Corpus.Close())
	}
	errs = append(errs, d.finder.close())
	if d.own {
		errs = append(errs, d.Exchange.close())
	}
	return errors.Join(errs...)
}

// Answers is the memory of answers that the desk opened; nil when nothing is
// remembered.
func (d *desk) Answers() *qa.Memory { return d.answers }

// Threads is the file of saved runs; nil when runs are not saved.
func (d *desk) Threads() *sqlite.Saver { return d.threads }

// IsSample reports whether the embedded sample answers.
func (d *desk) IsSample() bool { return d.Corpus.Name() == sampleCorpus }

// inCorpus says of the end of a run which corpus it read.
func (d *desk) inCorpus(end state.End) state.End {
	if d.Corpus != nil {
		end.In(d.Corpus.Name())
	}
	return end
}
