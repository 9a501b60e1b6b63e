// Package backends opens every backend, for the tests that hold all of them to
// the same answers. It is for tests only.
package backends

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"example.com/assay/graph/store"
	"example.com/assay/graph/store/memory"
	"example.com/assay/graph/store/postgres"
	"example.com/assay/graph/store/sqlite"
	"example.com/assay/graph/store/storetest"
)

// Variable names the environment variable that says where a PostgreSQL server
// for tests is. Each test makes a schema there and drops it.
const Variable = "ASSAY_POSTGRES"

// A Backend is one of them by its name.
type Backend struct {
	Name string
	// Place skips the test if the backend cannot be had.
	Place func(t *testing.T) storetest.Open
}

// All returns every backend.
func All() []Backend {
	return []Backend{{"memory", Memory}, {"sqlite", SQLite}, {"postgres", Postgres}}
}

// Memory makes a place in memory.
func Memory(*testing.T) storetest.Open {
	rows := memory.NewBackend()
	return func(t *testing.T, opts *store.Options) store.Store {
		t.Helper()
		s, err := store.New(rows, opts)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
}

// SQLite makes a place in a file of the test.
func SQLite(t *testing.T) storetest.Open {
	t.Helper()
	path := filepath.Join(t.TempDir(), "store.db")
	return func(t *testing.T, opts *store.Options) store.Store {
		t.Helper()
		var o sqlite.Options
		if opts != nil {
			o.Options = *opts
		}
		s, err := sqlite.Open(t.Context(), path, &o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
		return s
	}
}

// Postgres makes a schema.
func Postgres(t *testing.T) storetest.Open {
	t.Helper()
	pool := Pool(t)
	schema := Schema(t, pool)
	return func(t *testing.T, opts *store.Options) store.Store {
		t.Helper()
		o := postgres.Options{Schema: schema}
		if opts != nil {
			o.Options = *opts
		}
		s, err := postgres.New(t.Context(), pool, &o)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
}

// Pool connects to the server for tests, or skips the test.
func Pool(t *testing.T) *pgxpool.Pool {
	t.Helper()
	address := os.Getenv(Variable)
	if address == "" {
		t.Skipf("no PostgreSQL server: set %s to a connection string", Variable)
	}
	pool, err := pgxpool.New(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

// Schema returns the name of a schema of the test, which is dropped after it.
// Its name needs quotes in SQL.
func Schema(t *testing.T, pool *pgxpool.Pool) string {
	t.Helper()
	schema := fmt.Sprintf(`Test "store" %d %d`, os.Getpid(), time.Now().UnixNano())
	t.Cleanup(func() {
		// The test's context has ended by now.
		if _, err := pool.Exec(context.Background(), `DROP SCHEMA IF EXISTS `+pgx.Identifier{schema}.Sanitize()+` CASCADE`); err != nil {
			t.Error(err)
		}
	})
	return schema
}
