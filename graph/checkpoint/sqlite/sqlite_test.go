package sqlite_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/checkpointtest"
	"example.com/assay/graph/checkpoint/sqlite"
)

// oddName has what SQLite reads in a name, as far as the system lets a file have it.
func oddName(name string) string {
	if runtime.GOOS == "windows" {
		return strings.ReplaceAll(name, "?", "&")
	}
	return name
}

func open(t testing.TB, path string, opts *sqlite.Options) *sqlite.Saver {
	t.Helper()
	s, err := sqlite.Open(t.Context(), path, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return s
}

func TestSaver(t *testing.T) {
	checkpointtest.Test(t, func(t *testing.T) graph.Checkpointer {
		return open(t, filepath.Join(t.TempDir(), oddName("a b?c#d%25.db")), nil)
	})
}

func TestStore(t *testing.T) {
	checkpointtest.TestStore(t, func(t *testing.T) func() graph.Checkpointer {
		path := filepath.Join(t.TempDir(), "x.db")
		return func() graph.Checkpointer { return open(t, path, nil) }
	})
}

// A link is another name of the same threads.
func TestStoreThroughLink(t *testing.T) {
	checkpointtest.TestStore(t, func(t *testing.T) func() graph.Checkpointer {
		dir := t.TempDir()
		path, link := filepath.Join(dir, "x.db"), filepath.Join(dir, "link.db")
		open(t, path, nil).Close()
		if err := os.Symlink(path, link); err != nil {
			t.Skip(err)
		}
		n := 0
		return func() graph.Checkpointer {
			n++
			return open(t, []string{path, link}[n%2], nil)
		}
	})
}

func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "notes.txt")
	if err := os.WriteFile(text, []byte(strings.Repeat("no database at all\n", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path string
		opts *sqlite.Options
		want string
	}{
		{path: text, want: text},
		{path: dir, want: dir},
		{path: filepath.Join(dir, "none", "x.db"), want: "no such file"},
		{path: ":memory:", want: "graph/checkpoint/memory"},
		{path: "", want: "the path of a file"},
		{path: "file:x.db", want: "the path of a file"},
		{path: filepath.Join(dir, "x.db"), opts: &sqlite.Options{Synchronous: "OFF"}, want: "neither FULL nor NORMAL"},
	} {
		s, err := sqlite.Open(t.Context(), c.path, c.opts)
		if err == nil {
			s.Close()
			t.Errorf("Open(%q) succeeded; want an error with %q", c.path, c.want)
		} else if !strings.Contains(err.Error(), c.want) {
			t.Errorf("Open(%q): error = %v; want %q in it", c.path, err, c.want)
		}
	}
	if got, err := os.ReadFile(text); err != nil || !strings.HasPrefix(string(got), "no database") {
		t.Errorf("the text file is changed: %v", err)
	}
}

// A path is a file's name, whatever SQLite's own names of files mean by it.
func TestPathIsTakenAsItIs(t *testing.T) {
	path := filepath.Join(t.TempDir(), oddName("a b?mode=memory#c%41.db"))
	open(t, path, nil)
	if info, err := os.Stat(path); err != nil || info.Size() == 0 {
		t.Errorf("no database is at the path: %v", err)
	}
}

func TestUseAfterClose(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "x.db"), nil)
	unlock, err := s.Lock(t.Context(), "t")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	unlock()
	if err := s.Commit(t.Context(), "t", graph.Change{Clear: true}); err == nil {
		t.Error("Commit succeeded on a closed saver")
	}
	if _, _, err := s.Load(t.Context(), graph.Key{Thread: "t"}); err == nil {
		t.Error("Load succeeded on a closed saver")
	}
	if _, err := s.Lock(t.Context(), "t"); err == nil {
		t.Error("Lock succeeded on a closed saver")
	}
}
