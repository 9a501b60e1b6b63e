// Package open opens what settings name, and runs pipelines on it. A [Desk] holds what a pipeline
// needs: skills, a model under its limits, a corpus with embedder and reranker, saved runs and
// spans. [Pipelines] lists the pipelines of the program. [Desk.Answer] runs one of them, with an
// id, a trace and spans.
//
//	d, err := open.New(ctx, app, settings, cassette, open.Want{Skills: evidence.Skills(), Corpus: open.Corpus})
//	p, err := d.Comply(false)
//	answer, err := d.Answer(ctx, open.Run{Pipeline: comply, Made: p.Instance(), Input: input})
//
// If the settings name a Temporal server and the verb wants it, workers run the graph instead. They
// find the pipeline by [PipelineOf].
//
// It knows no verb, and prints only warnings.
package open

import (
	"context"
	"errors"
	"maps"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/llm"
	"example.com/assay/llm/offline"
	"example.com/assay/memory"
	"example.com/assay/memory/qa"
	"example.com/assay/memory/retrieval"
	"example.com/assay/nodes/pipeline"
	"example.com/assay/nodes/research"
	"example.com/assay/skills"
	"example.com/assay/state"
)

// A Desk has everything that a pipeline needs: settings, skills, a model under its limits, and what
// a [Want] asks for. It belongs to one verb, or to one choice of settings in a session.
type Desk struct {
	*cli.App
	config.Settings
	Set      *skills.Set
	Hashes   map[string]string // of the pipeline's skills, by name
	Model    llm.Model
	Corpus   *memory.Corpus // nil for none
	Exchange *Exchange

	Threads   Saver      // nil when runs are not saved
	Workers   *Workers   // run the pipeline; nil: this process does
	answers   *qa.Memory // nil when no answers are remembered
	spans     *spans
	finder    *Finder
	tenant    string
	own       bool // the desk closes the exchange
	forgets   bool
	bare      bool // see NewBare
	bareReads bool
}

// A Want lists what a verb needs on its desk.
type Want struct {
	Skills []string // of the pipeline
	// Corpus opens the corpus. Default: the desk has none.
	Corpus   func(context.Context, *cli.App, config.Settings, *memory.OpenOptions) (*memory.Corpus, error)
	Threads  bool // runs are saved
	Forgets  bool // remembered answers are neither read nor written
	Spans    bool // spans go to the collector of the settings
	Workers  bool // the workers of the settings' Temporal server run the pipeline, if there is one
	Exchange *Exchange
	Tenant   string // the tenant of agent serve, which has its own remembered answers; else ""
}

// New opens what the settings name. Without an exchange in w, the desk makes its own, with the
// cassette; the caller closes an exchange that it gave.
func New(ctx context.Context, a *cli.App, s config.Settings, c config.Cassette, w Want) (_ *Desk, err error) {
	w.Workers = w.Workers && s.Temporal.Address != ""
	if w.Workers && (c.Record != "" || c.Replay != "") {
		return nil, cli.Usagef("--record and --replay are for runs in this process: add --temporal \"\"")
	}
	d := &Desk{App: a, Exchange: w.Exchange, own: w.Exchange == nil, tenant: w.Tenant, forgets: w.Forgets}
	if d.own {
		if d.Exchange, err = NewExchange(a, c, &s); err != nil {
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
	if d.Hashes, err = d.Set.Hashes(w.Skills); err != nil {
		return nil, err
	}
	if w.Corpus != nil {
		if d.finder, err = NewFinder(ctx, a, s, d.Set, d.Exchange); err != nil {
			return nil, err
		}
		if d.Corpus, err = w.Corpus(ctx, a, s, d.finder.Options()); err != nil {
			return nil, err
		}
	}
	if w.Threads {
		if d.Threads, err = d.Exchange.Store.Threads(ctx); err != nil {
			return nil, err
		}
	}
	if d.Model, err = d.Exchange.Model(ctx, s); err != nil {
		return nil, err
	}
	if w.Workers {
		if d.Workers, err = NewWorkers(ctx, a, s, d.Exchange.Store); err != nil {
			return nil, err
		}
	}
	if w.Spans {
		d.spans, err = newSpans(ctx, s)
	}
	return d, err
}

// Close closes what New opened, and sends the remaining spans. Lost spans cause only a warning: no
// answer depends on them.
func (d *Desk) Close() error {
	if d == nil {
		return nil
	}
	if err := d.spans.close(); err != nil {
		d.Warn("%v", err)
	}
	errs := []error{d.Workers.Close()}
	if d.Threads != nil {
		errs = append(errs, d.Threads.Close())
	}
	if d.answers != nil {
		errs = append(errs, d.answers.Close())
	}
	if d.Corpus != nil {
		errs = append(errs, d.Corpus.Close())
	}
	errs = append(errs, d.finder.Close())
	if d.own {
		errs = append(errs, d.Exchange.Close())
	}
	return errors.Join(errs...)
}

// Replaced returns a desk with another text of one of its skills, and a function that closes it. It
// shares everything that d has open.
func (d *Desk) Replaced(name, text string) (*Desk, func() error, error) {
	set, skill, err := d.Set.Replace(name, []byte(text))
	if err != nil {
		return nil, nil, err
	}
	own := *d
	own.Set, own.Hashes, own.answers = set, maps.Clone(d.Hashes), nil
	if _, used := own.Hashes[skill.Name]; used {
		own.Hashes[skill.Name] = skill.Hash
	}
	return &own, func() error {
		if own.answers == nil {
			return nil
		}
		return own.answers.Close()
	}, nil
}

// IsSample reports whether the embedded sample answers.
func (d *Desk) IsSample() bool { return d.Corpus.Name() == SampleCorpus }

// InCorpus adds the corpus that a run read to the run's end.
func (d *Desk) InCorpus(end state.End) state.End {
	if d.Corpus != nil {
		end.In(d.Corpus.Name())
	}
	return end
}

// NewBare returns a desk with neither a corpus nor a memory. Its pipelines can be drawn, and can
// replay traces, which runs no node. With reads they are made as they are for a corpus.
func NewBare(a *cli.App, s config.Settings, reads bool) (*Desk, error) {
	set, err := s.LoadSkills()
	if err != nil {
		return nil, err
	}
	return &Desk{App: a, Settings: s, Set: set, Model: offline.New(nil), bare: true, bareReads: reads}, nil
}

// reads is the corpus for the desk's pipelines.
func (d *Desk) reads() pipeline.Corpus {
	if d.Corpus == nil {
		return noCorpus{}
	}
	return d.Corpus
}

// noCorpus takes the place of a corpus on a bare desk.
type noCorpus struct{ pipeline.Elsewhere }

var errBare = errors.New("a bare pipeline has no corpus")

func (noCorpus) Search(context.Context, retrieval.Query) (retrieval.Result, error) {
	return retrieval.Result{}, errBare
}

func (noCorpus) PassageIDs() ([]string, error) { return nil, errBare }

// NoMemory is a memory that finds nothing and keeps nothing.
type NoMemory struct{}

// Lookup finds nothing.
func (NoMemory) Lookup(context.Context, string) (research.Recall, bool, error) {
	return research.Recall{}, false, nil
}

// Store keeps nothing.
func (NoMemory) Store(context.Context, string, research.Recall, float64) error { return nil }
