// Package backends opens every backend, for tests that require the same answers from all of them.
// It is for tests only.
package backends

import (
	"path/filepath"
	"testing"

	"example.com/assay/graph/store"
	"example.com/assay/graph/store/memory"
	"example.com/assay/graph/store/postgres"
	"example.com/assay/graph/store/sqlite"
	"example.com/assay/graph/store/storetest"
	"example.com/assay/internal/pgtest"
)

// A Backend is a named backend.
type Backend struct {
	Name string
	// Place returns an Open for a new, empty place. It skips the test if the backend is
	// unavailable.
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
	pool, schema := pgtest.Pool(t), pgtest.Schema(t)
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
