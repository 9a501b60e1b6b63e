// Package savers opens checkpointers for the tests of the engine. It is for tests only; programs
// use the packages of graph/checkpoint.
package savers

import (
	"os"
	"path/filepath"
	"testing"

	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/postgres"
	"example.com/assay/graph/checkpoint/sqlite"
	"example.com/assay/internal/pgtest"
)

// SQLite opens a checkpointer in a new file.
func SQLite(t *testing.T) graph.Checkpointer {
	t.Helper()
	dir, err := os.MkdirTemp(t.TempDir(), "saver")
	if err != nil {
		t.Fatal(err)
	}
	// These tests are not about durability, and a flush for every commit is slow.
	saver, err := sqlite.Open(t.Context(), filepath.Join(dir, "threads.db"), &sqlite.Options{Synchronous: sqlite.Normal})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := saver.Close(); err != nil {
			t.Error(err)
		}
	})
	return saver
}

// Postgres opens a checkpointer in its own schema, on the server for tests. Without a server it
// skips the test.
func Postgres(t testing.TB) graph.Checkpointer {
	t.Helper()
	pool := pgtest.Pool(t)
	saver, err := postgres.New(t.Context(), pool, &postgres.Options{Schema: pgtest.Schema(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := saver.Close(); err != nil {
			t.Error(err)
		}
	})
	return saver
}
