package serve

import (
	"context"
	"sync"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/graph"
)

// desks are the open corpora with what pipelines need beside them. All share one exchange:
// the store, the limits and the connections to providers.
type desks struct {
	*cli.App
	settings config.Settings
	exchange *open.Exchange

	mu   sync.Mutex
	open map[place]*shelf
}

// A place says what a desk is for.
type place struct {
	tenant string
	corpus string // empty for none
	sample bool   // the default corpus, while it is empty, is the compliance sample
}

// A shelf has the desk of a place. Its lock is held while the desk is opened.
type shelf struct {
	mu   sync.Mutex
	desk *desk // nil before the first use
}

// A desk belongs to the runs that use it, and to its shelf while it is not replaced.
type desk struct {
	*open.Desk
	mu    sync.Mutex
	users int
	apps  map[string]graph.App // by pipeline
}

func newDesks(a *cli.App, s config.Settings, x *open.Exchange) *desks {
	return &desks{App: a, settings: s, exchange: x, open: map[place]*shelf{}}
}

// take returns the desk of a place, opened again when its corpus has changed. The caller
// gives it back.
func (d *desks) take(ctx context.Context, at place) (*desk, error) {
	d.mu.Lock()
	s := d.open[at]
	if s == nil {
		s = &shelf{}
		d.open[at] = s
	}
	d.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.desk != nil && (s.desk.Corpus == nil || s.desk.Corpus.Current()) {
		s.desk.use()
		return s.desk, nil
	}
	next, err := d.new(ctx, at)
	if err != nil {
		return nil, err
	}
	old := s.desk
	s.desk = next
	if old != nil {
		if err := old.release(); err != nil {
			d.Warn("closing corpus %q: %v", at.corpus, err)
		}
	}
	next.use()
	return next, nil
}

// new opens a desk, which has one user: its shelf.
func (d *desks) new(ctx context.Context, at place) (*desk, error) {
	s := d.settings
	want := open.Want{Exchange: d.exchange, Tenant: at.tenant, Spans: true}
	if at.corpus != "" {
		s.Corpus, want.Corpus = at.corpus, open.Corpus
		if at.sample {
			want.Corpus = open.ComplyCorpus
		}
	}
	opened, err := open.New(context.WithoutCancel(ctx), d.App, s, config.Cassette{}, want) // it outlives the run
	if err != nil {
		return nil, err
	}
	return &desk{Desk: opened, users: 1, apps: map[string]graph.App{}}, nil
}

func (d *desk) use() {
	d.mu.Lock()
	d.users++
	d.mu.Unlock()
}

// release closes the desk behind its last user.
func (d *desk) release() error {
	d.mu.Lock()
	d.users--
	last := d.users == 0
	d.mu.Unlock()
	if last {
		return d.Desk.Close()
	}
	return nil
}

// app returns the graph of a pipeline, made once.
func (d *desk) app(name string, make func() (graph.App, error)) (graph.App, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if app, ok := d.apps[name]; ok {
		return app, nil
	}
	app, err := make()
	if err == nil {
		d.apps[name] = app
	}
	return app, err
}

// close closes all desks, once no run uses them.
func (d *desks) close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	var err error
	for _, s := range d.open {
		if s.desk != nil {
			err = cli.Also(err, s.desk.release())
		}
	}
	return err
}
