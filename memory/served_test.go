package memory

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.com/assay/memory/index"
	"example.com/assay/memory/index/sourcetest"
	"example.com/assay/memory/retrieval"
)

const shelf = "memory://shelf"

// shelves is a server in memory.
type shelves struct {
	lock sync.Mutex
	on   map[string]*sourcetest.Memory
	fail func(op string) error
}

func (s *shelves) Collection(name string) index.Collection {
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.on[name] == nil {
		s.on[name] = &sourcetest.Memory{Fail: func(op string) error {
			if s.fail != nil {
				return s.fail(op)
			}
			return nil
		}}
	}
	return s.on[name]
}

func (s *shelves) Collections(_ context.Context, prefix string) ([]string, error) {
	s.lock.Lock()
	defer s.lock.Unlock()
	var out []string
	for name, c := range s.on {
		if strings.HasPrefix(name, prefix) && c.Exists() {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out, nil
}

func (s *shelves) Reachable(_ context.Context, name string) error {
	if !s.on[name].Exists() {
		return errors.New("it has no such collection")
	}
	return nil
}

// last are the ends of the names of all collections.
func (s *shelves) last(t testing.TB) (out []string) {
	t.Helper()
	names, _ := s.Collections(t.Context(), "")
	for _, name := range names {
		out = append(out, name[strings.LastIndex(name, "_gen_")+1:])
	}
	return out
}

func newShelves() (*shelves, Servers) {
	s := &shelves{on: map[string]*sourcetest.Memory{}}
	return s, func(address string) (Server, error) {
		if address != shelf {
			return nil, errors.New("unknown address " + address)
		}
		return s, nil
	}
}

func lamps(t testing.TB, home string, servers Servers) []string {
	t.Helper()
	c, err := OpenWith(home, "k", &OpenOptions{Servers: servers})
	if err != nil {
		t.Fatal(err)
	}
	defer closeCorpus(t, c)
	r, err := c.Search(t.Context(), retrieval.Query{Primary: "where is the lamp kept"})
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, h := range r.Hits {
		path, _, err := c.TextPath(h.Passage.Source)
		if err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(path)
		if err != nil || string(data[h.Passage.Start:h.Passage.End]) != h.Passage.Text {
			t.Errorf("%s: its text is not at its bytes: %v", h.Passage.ID, err)
		}
		out = append(out, h.Passage.ID)
	}
	return out
}

// A corpus whose index is on a server answers as one in files does, on a machine without
// the files of the index, too. Each ingest makes a collection; that of the generation
// before stays for one more, and what a killed ingest left goes.
func TestServed(t *testing.T) {
	on, servers := newShelves()
	home := t.TempDir()
	docs := tree(t, t.TempDir(), map[string]string{"a.md": "# Lamps\n\nThe lamp is kept in the shed.", "b.md": "# Oil\n\nOil is kept in a can."})
	opts := IngestOptions{Home: home, Corpus: "k", Paths: []string{docs}}
	mustIngest(t, opts)
	want := lamps(t, home, nil)

	opts.Index, opts.Servers = shelf, servers
	mustIngest(t, opts)
	if got := lamps(t, home, servers); !slices.Equal(got, want) || !slices.Equal(on.last(t), []string{"gen_000002"}) {
		t.Errorf("on the server: %v, want %v; collections %v", got, want, on.last(t))
	}
	other := t.TempDir()
	if err := os.CopyFS(other, os.DirFS(home)); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(other, "corpora", "k", "gen-000002", indexDir)); err != nil {
		t.Fatal(err)
	}
	if got := lamps(t, other, servers); !slices.Equal(got, want) {
		t.Errorf("on another machine: %v, want %v", got, want)
	}
	if _, err := Open(home, "k"); err == nil || !strings.Contains(err.Error(), shelf) {
		t.Errorf("without a way to the server: %v", err)
	}

	left := strings.Replace(slices.Collect(maps.Keys(on.on))[0], "000002", "000003", 1)
	if err := on.Collection(left).Create(t.Context(), index.BM25{}); err != nil {
		t.Fatal(err)
	}
	tree(t, docs, map[string]string{"c.md": "# More\n\nA second lamp is kept on the quay."})
	opts.Index = "" // where it is
	mustIngest(t, opts)
	if got := lamps(t, home, servers); len(got) != 3 || !slices.Equal(on.last(t), []string{"gen_000002", "gen_000003"}) {
		t.Errorf("after a second ingest: %v; collections %v", got, on.last(t))
	}
	if got := lamps(t, other, servers); !slices.Equal(got, want) {
		t.Errorf("the other machine, which has the first generation: %v, want %v", got, want)
	}
	tree(t, docs, map[string]string{"d.md": "# Wicks\n\nWicks are cut."})
	mustIngest(t, opts)
	if !slices.Equal(on.last(t), []string{"gen_000003", "gen_000004"}) {
		t.Errorf("after a third ingest: collections %v", on.last(t))
	}

	opts.Index = InFiles
	mustIngest(t, opts)
	if got := lamps(t, home, nil); len(got) < 3 || len(on.last(t)) != 0 { // the wicks may be found or not
		t.Errorf("in files again: %v; collections %v", got, on.last(t))
	}
}

// An ingest that fails or is cancelled leaves the corpus as it was, and nothing on the
// server.
func TestServedAborted(t *testing.T) {
	on, servers := newShelves()
	home := t.TempDir()
	docs := tree(t, t.TempDir(), map[string]string{"a.md": "# Lamps\n\nThe lamp is kept in the shed."})
	opts := IngestOptions{Home: home, Corpus: "k", Paths: []string{docs}, Index: shelf, Servers: servers}
	broken := errors.New("the disk of the server is full")
	for _, op := range []string{"create", "write", "count", "find"} {
		on.fail = func(at string) error {
			if at == op {
				return broken
			}
			return nil
		}
		var server *ServerError
		if _, err := Ingest(t.Context(), opts); !errors.Is(err, broken) || !errors.As(err, &server) || server.Address != shelf {
			t.Errorf("%s fails: %v", op, err)
		}
		if list, err := List(home); err != nil || len(list) != 0 || len(on.last(t)) != 0 {
			t.Errorf("%s failed: corpora %v, collections %v, %v", op, list, on.last(t), err)
		}
	}
	on.fail = nil
	mustIngest(t, opts)
	want := lamps(t, home, servers)
	tree(t, docs, map[string]string{"b.md": "# More\n\nA second lamp is kept on the quay."})
	ctx, cancel := context.WithCancel(t.Context())
	on.fail = func(op string) error {
		if op == "count" {
			cancel()
		}
		return nil
	}
	if _, err := Ingest(ctx, opts); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled ingest: %v", err)
	}
	on.fail = nil
	if got := lamps(t, home, servers); !slices.Equal(got, want) || len(on.last(t)) != 1 {
		t.Errorf("after it: %v, want %v; collections %v", got, want, on.last(t))
	}
	on.fail = func(string) error { return broken }
	if err := Remove(t.Context(), home, "k", servers); !errors.Is(err, broken) {
		t.Errorf("removing it while the server is broken: %v", err)
	}
	on.fail = nil
	if err := Remove(t.Context(), home, "k", servers); err != nil || len(on.last(t)) != 0 {
		t.Errorf("removed: collections %v, %v", on.last(t), err)
	}
}

// What needs the index in files says so.
func TestServedRefusals(t *testing.T) {
	_, servers := newShelves()
	home := t.TempDir()
	docs := tree(t, t.TempDir(), map[string]string{"a.md": "# Lamps\n\nThe lamp is kept in the shed."})
	mustIngest(t, IngestOptions{Home: home, Corpus: "k", Paths: []string{docs}, Index: shelf, Servers: servers})
	c, err := OpenWith(home, "k", &OpenOptions{Servers: servers})
	if err != nil {
		t.Fatal(err)
	}
	defer closeCorpus(t, c)
	if err := c.Reachable(t.Context()); err != nil {
		t.Error(err)
	}
	_, listed := c.PassageIDs()
	_, trained := c.Train(t.Context(), nil, nil)
	for what, err := range map[string]error{"listing": listed, "training": trained} {
		if err == nil || !strings.Contains(err.Error(), InFiles) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if p, ok, err := c.Passage("a.md#0"); err != nil || ok && p.Text == "" {
		t.Errorf("a passage: %v %v %v", p, ok, err)
	}
}

// A copy of a corpus searches the same collection, and an ingest into it removes nothing of the
// original's.
func TestServedSnapshot(t *testing.T) {
	on, servers := newShelves()
	home, copied := t.TempDir(), t.TempDir()
	docs := tree(t, t.TempDir(), map[string]string{"a.md": "# Lamps\n\nThe lamp is kept in the shed.", "b.md": "# Oil\n\nOil is kept in a can."})
	opts := IngestOptions{Home: home, Corpus: "k", Paths: []string{docs}, Index: shelf, Servers: servers}
	mustIngest(t, opts)
	want := lamps(t, home, servers)
	if err := Snapshot(home, "k", corpusDir(copied, "k")); err != nil {
		t.Fatal(err)
	}
	tree(t, docs, map[string]string{"c.md": "# More\n\nA second lamp is kept on the quay."})
	mustIngest(t, opts) // the original goes on
	if got := lamps(t, copied, servers); !slices.Equal(got, want) {
		t.Errorf("the copy finds %v, want %v", got, want)
	}
	opts.Home, opts.Index = copied, ""
	mustIngest(t, opts)
	if got := lamps(t, home, servers); len(got) != 3 {
		t.Errorf("the original, after an ingest into the copy: %v; collections %v", got, on.last(t))
	}
	if err := Remove(t.Context(), copied, "k", servers); err != nil {
		t.Fatal(err)
	}
	if got := lamps(t, home, servers); len(got) != 3 {
		t.Errorf("the original, after the copy was removed: %v; collections %v", got, on.last(t))
	}
}
