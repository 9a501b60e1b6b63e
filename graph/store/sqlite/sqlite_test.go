package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"example.com/assay/graph/store"
	"example.com/assay/graph/store/sqlite"
	"example.com/assay/internal/sqlfile"
)

// childFile makes this test binary a writer of a file: see TestProcesses.
const childFile = "ASSAY_TEST_STORE_FILE"

func TestMain(m *testing.M) {
	if path := os.Getenv(childFile); path != "" {
		if err := writeMany(path, os.Args[1]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

const (
	processes = 4
	writes    = 40
)

// writeMany opens the file anew for some of its writes.
func writeMany(path, name string) (err error) {
	ctx := context.Background()
	for i := 0; i < writes; i += 10 {
		s, err := sqlite.Open(ctx, path, nil)
		if err != nil {
			return err
		}
		for j := i; j < i+10; j++ {
			value := map[string]string{"by": name}
			pair := make([]store.Op, 2)
			for k, n := range [][]string{{"shared"}, {"process", name}} {
				if pair[k], err = store.Encode(n, strconv.Itoa(j), value); err != nil {
					return err
				}
			}
			if err := s.Apply(ctx, pair...); err != nil {
				return errors.Join(err, s.Close())
			}
			if _, err := s.Search(ctx, store.Query{Limit: 1000}); err != nil {
				return errors.Join(err, s.Close())
			}
		}
		if err := s.Close(); err != nil {
			return err
		}
	}
	return nil
}

// TestProcesses has processes make a file, and write to it, all at once.
func TestProcesses(t *testing.T) {
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "store.db")
	errs := make([]error, processes)
	var wait sync.WaitGroup
	for p := range processes {
		wait.Go(func() {
			cmd := exec.CommandContext(t.Context(), binary, fmt.Sprint("p", p))
			cmd.Env = append(os.Environ(), childFile+"="+path)
			if out, err := cmd.CombinedOutput(); err != nil {
				errs[p] = fmt.Errorf("process %d: %w\n%s", p, err, out)
			}
		})
	}
	wait.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	s := open(t, path, nil)
	results, err := s.Search(t.Context(), store.Query{Namespace: []string{"process"}, Limit: 1000})
	if err != nil || len(results) != processes*writes {
		t.Errorf("%d items of %d, %v", len(results), processes*writes, err)
	}
}

func open(t *testing.T, path string, opts *sqlite.Options) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), path, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestItemsOutliveTheStore(t *testing.T) {
	for _, name := range []string{"store.db", "odd ?mode=memory&x=%41#é.db"} {
		path := filepath.Join(t.TempDir(), name)
		now := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
		opts := &sqlite.Options{Options: store.Options{Now: func() time.Time { return now }, TTL: time.Hour}}
		s := open(t, path, opts)
		if err := store.Put(t.Context(), s, []string{"n"}, "k", map[string]int{"a": 1}, nil); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Get(t.Context(), []string{"n"}, "k"); err == nil {
			t.Error("a closed store answers")
		}
		if _, err := os.Stat(path); err != nil {
			t.Errorf("the file has another name: %v", err)
		}
		item, err := open(t, path, opts).Get(t.Context(), []string{"n"}, "k")
		if err != nil || string(item.Value) != `{"a":1}` || item.Created != now || item.Expires != now.Add(time.Hour) {
			t.Errorf("%s: got %v, %v", name, item, err)
		}
	}
}

func exec1(t *testing.T, path, statement string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(statement); err != nil {
		t.Fatal(err)
	}
}

func TestFilesThatAreRefused(t *testing.T) {
	dir := t.TempDir()
	newer := filepath.Join(dir, "newer.db")
	open(t, newer, nil).Close()
	exec1(t, newer, "PRAGMA user_version = 99")

	foreign := filepath.Join(dir, "foreign.db")
	exec1(t, foreign, "CREATE TABLE items (x)")
	versioned := filepath.Join(dir, "versioned.db")
	exec1(t, versioned, "PRAGMA user_version = 1")
	text := filepath.Join(dir, "text.db")
	if err := os.WriteFile(text, []byte("This is no database, but it is long enough to be taken for one at first sight, is it not? It is 100 bytes and more."), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]error{
		newer: sqlfile.ErrNewer, foreign: sqlfile.ErrForeign, versioned: sqlfile.ErrForeign, text: nil,
		filepath.Join(dir, "no", "folder.db"): nil,
	} {
		before, _ := os.ReadFile(path)
		_, err := sqlite.Open(t.Context(), path, nil)
		if err == nil || want != nil && !errors.Is(err, want) {
			t.Errorf("%s: error %v, want %v", filepath.Base(path), err, want)
		}
		if after, _ := os.ReadFile(path); string(after) != string(before) {
			t.Errorf("%s was changed", filepath.Base(path))
		}
	}
	var invalid *store.InvalidError
	if _, err := sqlite.Open(t.Context(), filepath.Join(dir, "x.db"), &sqlite.Options{BusyTimeout: -1}); !errors.As(err, &invalid) {
		t.Errorf("a negative timeout: %v", err)
	}
	if _, err := sqlite.Open(t.Context(), filepath.Join(dir, "x.db"), &sqlite.Options{Options: store.Options{Dimensions: -1}}); !errors.As(err, &invalid) {
		t.Errorf("wrong options of the store: %v", err)
	}
}

// TestBusyTimeout holds the file's lock, as another process would.
func TestBusyTimeout(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	s := open(t, path, &sqlite.Options{BusyTimeout: 50 * time.Millisecond})
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.ExecContext(t.Context(), "BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	if err := store.Put(t.Context(), s, []string{"n"}, "k", struct{}{}, nil); err == nil {
		t.Error("a write went past the lock of another")
	}
	if _, err := s.Search(t.Context(), store.Query{}); err != nil {
		t.Errorf("a reader waited for the writer: %v", err)
	}
	if _, err := conn.ExecContext(t.Context(), "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	if err := store.Put(t.Context(), s, []string{"n"}, "k", struct{}{}, nil); err != nil {
		t.Errorf("after the lock: %v", err)
	}
}

// TestFailedBatch makes the second of three puts fail in the file itself.
func TestFailedBatch(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	s := open(t, path, nil)
	exec1(t, path, "CREATE TRIGGER stop BEFORE INSERT ON items WHEN new.key = 'b' BEGIN SELECT raise(ABORT, 'stopped'); END")
	var ops []store.Op
	for _, key := range []string{"a", "b", "c"} {
		ops = append(ops, store.Op{Namespace: []string{"n"}, Key: key, Value: []byte(`{}`)})
	}
	if err := s.Apply(t.Context(), ops...); err == nil {
		t.Error("the batch went well")
	}
	if results, err := s.Search(t.Context(), store.Query{}); err != nil || len(results) != 0 {
		t.Errorf("%d items of a failed batch, %v", len(results), err)
	}
}
