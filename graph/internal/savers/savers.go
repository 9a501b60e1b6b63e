// Package savers opens checkpointers for the tests of the engine.
//
// It is for tests only; programs open theirs with the packages of
// graph/checkpoint.
package savers

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/postgres"
	"example.com/assay/graph/checkpoint/sqlite"
)

// SQLite opens one in a new file.
func SQLite(t *testing.T) graph.Checkpointer {
	t.Helper()
	dir, err := os.MkdirTemp(t.TempDir(), "saver")
	if err != nil {
		t.Fatal(err)
	}
	// These cases are not about durability, and a flush for every commit is slow.
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

// schemas counts the schemas that tests have made.
var schemas atomic.Int64

// Postgres opens one in a schema of its own, on the server that ASSAY_POSTGRES
// names. Without one the test is skipped.
func Postgres(t *testing.T) graph.Checkpointer {
	t.Helper()
	server := os.Getenv("ASSAY_POSTGRES")
	if server == "" {
		t.Skip("set ASSAY_POSTGRES to the connection string of a Postgres, such as \"host=/run/postgresql user=assay dbname=postgres\"")
	}
	ctx := t.Context()
	pool, err := pgxpool.New(ctx, server)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	schema := fmt.Sprintf("engine_%d_%d", os.Getpid(), schemas.Add(1))
	saver, err := postgres.New(ctx, pool, &postgres.Options{Schema: schema})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := saver.Close(); err != nil {
			t.Error(err)
		}
		if _, err := pool.Exec(context.Background(), "DROP SCHEMA "+schema+" CASCADE"); err != nil {
			t.Error(err)
		}
	})
	return saver
}
