package sqlfile

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

var first = Schema{Application: 0x41537474, Steps: []string{"CREATE TABLE items (x INTEGER) STRICT"}}

func openAt(t *testing.T, path string, schema Schema, opts *Options) *File {
	t.Helper()
	f, err := Open(t.Context(), path, schema, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

// raw executes a statement as another program would.
func raw(t *testing.T, path, statement string) {
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

// Files of other programs are recognised, and a refused file is not changed.
func TestRefused(t *testing.T) {
	mark := fmt.Sprintf("PRAGMA application_id = %d;", first.Application)
	for statement, want := range map[string]error{
		"CREATE TABLE items (x)":       ErrForeign,
		"PRAGMA user_version = 1":      ErrForeign,
		"PRAGMA application_id = 7":    ErrForeign,
		mark + "PRAGMA user_version=2": ErrNewer,
		mark + "PRAGMA user_version=1": nil,
		"VACUUM":                       nil,
	} {
		path := filepath.Join(t.TempDir(), "x.db")
		raw(t, path, statement)
		before, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		f, err := Open(t.Context(), path, first, nil)
		if !errors.Is(err, want) || (err == nil) != (want == nil) {
			t.Errorf("after %s: %v; want %v", statement, err, want)
		}
		if err == nil {
			if err := f.Close(); err != nil {
				t.Error(err)
			}
		} else if after, _ := os.ReadFile(path); string(after) != string(before) {
			t.Errorf("after %s: the file was changed", statement)
		}
	}
	text := filepath.Join(t.TempDir(), "text.db")
	if err := os.WriteFile(text, []byte(strings.Repeat("no database ", 20)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), text, first, nil); !Damaged(err) {
		t.Errorf("a text: %v", err)
	}
	if _, err := Open(t.Context(), filepath.Join(t.TempDir(), "no", "folder.db"), first, nil); err == nil || Damaged(err) {
		t.Errorf("without a folder: %v", err)
	}
}

// A file of an earlier version gets the missing steps, and keeps its rows.
func TestSteps(t *testing.T) {
	path := filepath.Join(t.TempDir(), "odd ?mode=memory&x=%41#é.db")
	f, err := Open(t.Context(), path, first, nil)
	if err == nil {
		_, err = f.Write.Exec("INSERT INTO items VALUES (7)")
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	second := Schema{first.Application, append(first.Steps, "ALTER TABLE items ADD COLUMN y INTEGER NOT NULL DEFAULT 1")}
	f = openAt(t, path, second, nil)
	var x, y int
	if err := f.Read.QueryRow("SELECT x, y FROM items").Scan(&x, &y); err != nil || x != 7 || y != 1 {
		t.Errorf("%d, %d, %v", x, y, err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Errorf("the file has another name: %v", err)
	}
	if _, err := f.Read.Exec("INSERT INTO items VALUES (8, 8)"); err == nil {
		t.Error("a reader wrote")
	}
	if _, err := Open(t.Context(), path, first, nil); !errors.Is(err, ErrNewer) {
		t.Errorf("an earlier program: %v", err)
	}
	broken := Schema{first.Application, append(second.Steps, "CREATE TABLE more (x)", "no SQL")}
	if _, err := Open(t.Context(), path, broken, nil); err == nil || !strings.Contains(err.Error(), "version 4") {
		t.Errorf("a step that fails: %v", err)
	}
	if v, err := version(t.Context(), f.Read, second); err != nil || v != 2 {
		t.Errorf("after a step that failed the version is %d, %v", v, err)
	}
}

// Many connections open new files, each with its own lock. Their conflicts are rare, hence the
// number of files.
func TestManyOpenAtOnce(t *testing.T) {
	dir := t.TempDir()
	for i := range 15 {
		path := filepath.Join(dir, strconv.Itoa(i)+".db")
		errs := make([]error, 8)
		var group sync.WaitGroup
		for j := range errs {
			group.Go(func() {
				f, err := Open(t.Context(), path, first, nil)
				if err == nil {
					_, err = f.Write.Exec("INSERT INTO items VALUES (?)", j)
					err = errors.Join(err, f.Close())
				}
				errs[j] = err
			})
		}
		group.Wait()
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
	}
}

// When SQLite itself does not wait for another program, Open does, as long as its options say.
func TestOpenWaits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	raw(t, path, "VACUUM") // a file with nothing in it, not in WAL mode
	other, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	tx, err := other.Begin()
	if err != nil {
		t.Fatal(err)
	}
	var n int
	if err := tx.QueryRow("SELECT count(*) FROM sqlite_schema").Scan(&n); err != nil { // takes a lock for reading
		t.Fatal(err)
	}
	short := Options{Busy: time.Millisecond}
	if _, err := open(t.Context(), path, first, short, 50*time.Millisecond); !errors.Is(err, errInUse) {
		t.Errorf("without patience: %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, cancel)
	if _, err := open(ended, path, first, short, time.Minute); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	done := make(chan error)
	go func() {
		time.Sleep(200 * time.Millisecond)
		done <- tx.Rollback()
	}()
	f, err := open(t.Context(), path, first, short, 10*time.Second)
	if err != nil {
		t.Error(err)
	} else if err := f.Close(); err != nil {
		t.Error(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// However many readers there are, a file has a bounded number of connections; later readers
// wait.
func TestReaders(t *testing.T) {
	_, f := filled(t, 3)
	held := make([]*sql.Rows, Readers)
	for i := range held {
		var err error
		if held[i], err = f.Read.QueryContext(t.Context(), "SELECT n FROM notes"); err != nil {
			t.Fatal(err)
		}
		defer held[i].Close()
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := f.Read.QueryRowContext(ctx, "SELECT count(*) FROM notes").Scan(new(int)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("beside %d others that read: %v", Readers, err)
	}
	waited := make(chan error)
	go func() {
		waited <- f.Read.QueryRowContext(t.Context(), "SELECT count(*) FROM notes").Scan(new(int))
	}()
	if err := errors.Join(held[0].Close(), <-waited); err != nil {
		t.Error(err)
	}
}
