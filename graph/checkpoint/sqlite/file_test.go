package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"example.com/assay/graph"
	driver "modernc.org/sqlite"
	codes "modernc.org/sqlite/lib"
)

func execFile(t *testing.T, path, query string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(query); err != nil {
		t.Fatal(err)
	}
}

func TestOpenRefusesOtherSchemas(t *testing.T) {
	for _, c := range []struct{ query, want string }{
		{fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d", FileSchema.Application, len(FileSchema.Steps)+1), "later version"},
		{"CREATE TABLE mine (x)", "another program"},
		{"PRAGMA user_version = 1", "another program"},
		{"PRAGMA application_id = 7", "another program"},
	} {
		path := filepath.Join(t.TempDir(), "x.db")
		execFile(t, path, c.query)
		s, err := Open(t.Context(), path, nil)
		if err == nil {
			s.Close()
			t.Errorf("after %s the file was opened; want an error", c.query)
		} else if !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), path) {
			t.Errorf("after %s: error = %v; want %q and the path in it", c.query, err, c.want)
		}
	}
}

func TestManyOpenAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	var wg sync.WaitGroup
	for i := range 10 {
		wg.Go(func() {
			s, err := Open(t.Context(), path, nil)
			if err != nil {
				t.Errorf("opener %d: %v", i, err)
				return
			}
			if err := s.Commit(t.Context(), fmt.Sprint(i), graph.Change{Add: []graph.Checkpoint{{ID: "1", Base: "1"}}}); err != nil {
				t.Errorf("opener %d: %v", i, err)
			}
			if err := s.Close(); err != nil {
				t.Errorf("opener %d: %v", i, err)
			}
		})
	}
	wg.Wait()
}

func TestPragmas(t *testing.T) {
	for _, c := range []struct {
		synchronous Synchronous
		want        int
	}{{"", 2}, {Full, 2}, {Normal, 1}} {
		s, err := Open(t.Context(), filepath.Join(t.TempDir(), "x.db"), &Options{Synchronous: c.synchronous})
		if err != nil {
			t.Fatal(err)
		}
		var got int
		var mode string
		if err := s.writer.conn.QueryRowContext(t.Context(), "PRAGMA synchronous").Scan(&got); err != nil || got != c.want {
			t.Errorf("with %q synchronous is %d (%v); want %d", c.synchronous, got, err, c.want)
		}
		if err := s.writer.conn.QueryRowContext(t.Context(), "PRAGMA journal_mode").Scan(&mode); err != nil || mode != "wal" {
			t.Errorf("journal_mode is %q (%v); want wal", mode, err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// SQLite reports a limit on the file's pages like a disk without room.
func TestFullDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	s, err := Open(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var pages int
	if err := s.writer.conn.QueryRowContext(t.Context(), "PRAGMA max_page_count = 40").Scan(&pages); err != nil {
		t.Fatal(err)
	}
	data := bytes.Repeat([]byte("x"), 10_000)
	n := 0
	one := func(i int) graph.Checkpoint {
		id := fmt.Sprintf("%03d", i)
		return graph.Checkpoint{ID: id, Base: id, Data: data}
	}
	for ; n < 100; n++ {
		if err = s.Commit(t.Context(), "t", graph.Change{Add: []graph.Checkpoint{one(n)}}); err != nil {
			break
		}
	}
	full := func(err error) {
		t.Helper()
		var e *driver.Error
		if !errors.As(err, &e) || e.Code() != codes.SQLITE_FULL {
			t.Fatalf("after %d commits: error = %v; want SQLITE_FULL", n, err)
		}
	}
	full(err)
	// In a transaction of several parts, too; the removal must come undone.
	full(s.Commit(t.Context(), "t", graph.Change{
		Remove: []graph.Key{{ID: "000"}}, Add: []graph.Checkpoint{one(200), one(201), one(202)},
	}))
	count := func() int {
		got := 0
		for c, err := range s.List(t.Context(), graph.Query{Thread: "t"}) {
			if err != nil || !bytes.Equal(c.Data, data) {
				t.Fatalf("checkpoint %s is damaged (%v)", c.ID, err)
			}
			got++
		}
		return got
	}
	if got := count(); got != n || n == 0 {
		t.Errorf("%d checkpoints; want the %d that were committed", got, n)
	}
	var check string
	if err := s.file.Read.QueryRowContext(t.Context(), "PRAGMA integrity_check").Scan(&check); err != nil || check != "ok" {
		t.Errorf("integrity: %s (%v)", check, err)
	}
	// And with room again it goes on.
	if err := s.writer.conn.QueryRowContext(t.Context(), "PRAGMA max_page_count = 4000").Scan(&pages); err != nil {
		t.Fatal(err)
	}
	if err := s.Commit(t.Context(), "t", graph.Change{Add: []graph.Checkpoint{one(n)}}); err != nil {
		t.Error(err)
	}
	if got := count(); got != n+1 {
		t.Errorf("%d checkpoints; want %d", got, n+1)
	}
}

// A list reads large values a few at a time.
func TestListInBatchesOfBytes(t *testing.T) {
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "x.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for i := range 12 {
		id := fmt.Sprintf("%02d", i)
		if err := s.Commit(t.Context(), "t", graph.Change{Add: []graph.Checkpoint{{ID: id, Base: id, Data: make([]byte, 1<<20)}}}); err != nil {
			t.Fatal(err)
		}
	}
	seen := ""
	for c, err := range s.List(t.Context(), graph.Query{Thread: "t"}) {
		if err != nil {
			t.Fatal(err)
		}
		seen += c.ID + " "
	}
	if want := "11 10 09 08 07 06 05 04 03 02 01 00 "; seen != want {
		t.Errorf("listed %s; want %s", seen, want)
	}
}

func benchmarkRow(i int) graph.Checkpoint {
	c := graph.Checkpoint{
		ID: fmt.Sprintf("%016d", i), Base: fmt.Sprintf("%016d", 0), Source: graph.SourceLoop, Step: i,
		Run: "run", Graph: "graph", Fingerprint: "fingerprint", Data: make([]byte, 200),
	}
	if i > 0 {
		c.Parent = fmt.Sprintf("%016d", i-1)
	}
	return c
}

func openBench(b *testing.B) *Saver {
	s, err := Open(b.Context(), filepath.Join(b.TempDir(), "x.db"), nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { s.Close() })
	return s
}

func BenchmarkCommit(b *testing.B) {
	s, n := openBench(b), 0
	b.ReportAllocs()
	for b.Loop() {
		if err := s.Commit(b.Context(), "thread", graph.Change{Add: []graph.Checkpoint{benchmarkRow(n)}}); err != nil {
			b.Fatal(err)
		}
		n++
	}
}

// BenchmarkFloorInsert inserts the same rows in the same table, as fast as the
// driver does it: one prepared INSERT after the other, that checks nothing.
func BenchmarkFloorInsert(b *testing.B) {
	s, n := openBench(b), 0
	ctx := context.Background()
	stmt, err := s.writer.conn.PrepareContext(ctx, "INSERT INTO checkpoints VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		c := benchmarkRow(n)
		if _, err := stmt.ExecContext(ctx, "thread", c.Namespace, c.ID, c.Parent, c.Base, string(c.Source), c.Step,
			c.Time.UnixMicro(), c.Run, c.Graph, c.Fingerprint, c.Version, "", c.Data); err != nil {
			b.Fatal(err)
		}
		n++
	}
}

// After Close nothing of the file is open, and SQLite has tidied up.
func TestCloseTidiesUp(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x.db")
	s, err := Open(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Commit(t.Context(), "t", graph.Change{Add: []graph.Checkpoint{{ID: "1", Base: "1"}}}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Load(t.Context(), graph.Key{Thread: "t"}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path + "-wal"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("SQLite's log is there still: %v", err)
	}
	open, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip(err)
	}
	for _, fd := range open {
		if to, _ := os.Readlink("/proc/self/fd/" + fd.Name()); strings.HasPrefix(to, dir) {
			t.Errorf("%s is open", to)
		}
	}
}
