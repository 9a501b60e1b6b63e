package serve

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/graph"
	"example.com/assay/internal/plainfile"
	"example.com/assay/serve/runs"
)

// desks are the open corpora, each on a desk with what pipelines need. All desks share one exchange:
// the store, the limits and the connections to providers.
type desks struct {
	*cli.App
	settings config.Settings
	exchange *open.Exchange

	mu    sync.Mutex
	open  map[place]*shelf
	taken int // how often one was taken
}

// mostDesks is how many desks stay open for their shelves: tenants of an issuer are not known before.
var mostDesks = 200

// A place says what a desk is for.
type place struct {
	tenant string
	corpus string // empty for none
	sample bool   // the compliance sample answers while the default corpus is empty
}

// A shelf holds the desk of a place. Its lock is held while the desk is opened.
type shelf struct {
	mu    sync.Mutex
	desk  *desk // nil before the first use
	taken int   // when it was last used, by the count of the desks
	gone  bool  // it is no longer among the desks
}

// A desk has as users the runs that use it, and its shelf until another desk replaces it there.
type desk struct {
	*open.Desk
	mu    sync.Mutex
	users int
	apps  map[string]graph.App // by pipeline
}

func newDesks(a *cli.App, s config.Settings, x *open.Exchange) *desks {
	return &desks{App: a, settings: s, exchange: x, open: map[place]*shelf{}}
}

// take returns the desk of a place. It opens a new one when the corpus has changed. The caller
// releases the desk.
func (d *desks) take(ctx context.Context, at place) (*desk, error) {
	s := d.shelf(at)
	for s.mu.Lock(); s.gone; s.mu.Lock() {
		s.mu.Unlock()
		s = d.shelf(at)
	}
	defer s.mu.Unlock()
	if s.desk != nil && (s.desk.Corpus == nil || s.desk.Corpus.Current() && !d.outgrown(at, s.desk)) {
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

// outgrown reports whether a desk has the sample of an empty corpus that is empty no more.
func (d *desks) outgrown(at place, has *desk) bool {
	if has.Corpus.Name() == at.corpus {
		return false
	}
	s := d.settings
	s.Corpus = at.corpus
	name, err := open.CorpusFor(s)
	return err == nil && name == at.corpus
}

// shelf returns the shelf of a place. It clears the one that nobody has used for longest when there
// are too many.
func (d *desks) shelf(at place) *shelf {
	d.mu.Lock()
	s := d.open[at]
	if s == nil {
		s = &shelf{}
		d.open[at] = s
	}
	d.taken++
	s.taken = d.taken
	var oldest *shelf
	if len(d.open) > mostDesks {
		var where place
		for at, other := range d.open {
			if oldest == nil || other.taken < oldest.taken {
				where, oldest = at, other
			}
		}
		delete(d.open, where)
	}
	d.mu.Unlock()
	if oldest == nil {
		return s
	}
	oldest.mu.Lock()
	defer oldest.mu.Unlock()
	oldest.gone = true
	if oldest.desk != nil {
		if err := oldest.desk.release(); err != nil {
			d.Warn("closing a corpus: %v", err)
		}
	}
	return s
}

// new opens a desk with one user: its shelf.
func (d *desks) new(ctx context.Context, at place) (*desk, error) {
	s := d.settings
	want := open.Want{Exchange: d.exchange, Tenant: at.tenant, Spans: true}
	if at.corpus != "" {
		s.Corpus, want.Corpus = at.corpus, open.Corpus
		if at.sample {
			want.Corpus = open.ComplyCorpus
		}
	}
	opened, err := open.New(context.WithoutCancel(ctx), d.App, s, config.Cassette{}, want) // the desk outlives the run
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

// release gives a desk back, and closes it after its last user.
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

// app returns the graph of a pipeline, which is made once.
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

// close releases all desks for their shelves: a desk closes when no run uses it.
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

// A tenant has callers with its own token, or with tokens of the issuer that name it.
type tenant struct {
	Name    string   `yaml:"name"`
	Token   string   `yaml:"token"`
	Corpora []string `yaml:"corpora"` // the corpora that it may read; empty for all
	limits  `yaml:",inline"`
}

// may reports whether the tenant may read a corpus.
func (t tenant) may(corpus string) bool {
	return len(t.Corpora) == 0 || slices.Contains(t.Corpora, corpus)
}

// owner is the tenant whose remembered answers the runs use. On a server without tenants it is "":
// runs use the command's.
func (t tenant) owner() string {
	if t.Name == runs.DefaultTenant {
		return ""
	}
	return t.Name
}

const tenantsExample = `- name: legal
  token: 32 or more random letters and digits
  corpora: [contracts, statutes]
- name: support
  token: another one
  per_minute: 30`

// readTenants reads a file of tenants.
func readTenants(path string) ([]tenant, error) {
	data, err := readSecret("--tenants", path)
	if err != nil {
		return nil, err
	}
	var list []tenant
	d := yaml.NewDecoder(strings.NewReader(data))
	d.KnownFields(true)
	if err := d.Decode(&list); err != nil {
		return nil, cli.Usagef("%s is not a list of tenants; write one such as\n%s", path, tenantsExample) // the error may quote a token
	}
	if len(list) == 0 {
		return nil, cli.Usagef("%s names no tenant; write a list such as\n%s", path, tenantsExample)
	}
	for _, t := range list {
		if t.Name == runs.DefaultTenant {
			return nil, cli.Usagef("%s: the name %q is that of a server without tenants; choose another", path, t.Name)
		}
		if err := t.check(path + ": tenant " + t.Name); err != nil {
			return nil, err
		}
		for _, c := range t.Corpora {
			if err := config.CheckCorpus(path+": a corpus of tenant "+t.Name, c); err != nil {
				return nil, err
			}
		}
	}
	return list, nil
}

// readSecret reads a file that only its owner may read.
func readSecret(flag, path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", cli.Usagef("%s: %w", flag, err)
	}
	if open := info.Mode().Perm() & 0o077; open != 0 && runtime.GOOS != "windows" {
		return "", cli.Usagef("%s: others can read %s (mode %04o), which holds tokens: chmod 600 %s", flag, path, info.Mode().Perm(), path)
	}
	data, err := plainfile.Read(path, 0)
	if err != nil {
		return "", cli.Usagef("%s: %w", flag, err)
	}
	return string(data), nil
}

// tokenAt reads the token in a file. The first start makes it.
func tokenAt(path string) (token string, err error) {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		data, err := readSecret("--token-file", path)
		if err != nil {
			return "", err
		}
		return strings.TrimSpace(data), nil
	}
	if err != nil {
		return "", cli.Usagef("--token-file: %w", err)
	}
	token = rand.Text() + rand.Text()
	_, err = fmt.Fprintln(file, token)
	return token, errors.Join(err, file.Sync(), file.Close())
}
