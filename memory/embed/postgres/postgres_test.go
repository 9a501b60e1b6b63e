package postgres_test

import (
	"errors"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"example.com/assay/internal/pgschema"
	"example.com/assay/internal/pgtest"
	"example.com/assay/memory/embed"
	"example.com/assay/memory/embed/embedtest"
	"example.com/assay/memory/embed/postgres"
)

func open(t *testing.T, pool *pgxpool.Pool, schema string, opts *embed.CacheOptions) *embed.Cache {
	t.Helper()
	rows, err := postgres.New(t.Context(), pool, &postgres.Options{Schema: schema})
	if err != nil {
		t.Fatal(err)
	}
	c := embed.NewCache(rows, opts)
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

func TestCache(t *testing.T) {
	embedtest.TestCache(t, func(t *testing.T) embedtest.OpenCache {
		schema, pool := pgtest.Schema(t), pgtest.Pool(t)
		return func(t *testing.T, opts *embed.CacheOptions) *embed.Cache { return open(t, pool, schema, opts) }
	})
}

// Who may only use the tables needs no right to make them.
func TestFewRights(t *testing.T) {
	schema := pgtest.Schema(t)
	open(t, pgtest.Pool(t), schema, nil)
	role := pgtest.Role(t, schema, "GRANT USAGE ON SCHEMA {s} TO {r}", "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {s} TO {r}")
	c := open(t, pgtest.Pool(t, pgtest.As(role)), schema, &embed.CacheOptions{MaxBytes: 1 << 16})
	for i := range 3 { // the third sweeps the first
		if err := c.Put(t.Context(), []embed.Key{{byte(i)}}, [][]float32{make([]float32, 1<<13)}); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := c.Get(t.Context(), []embed.Key{{0}, {2}}); err != nil || got[0] != nil || got[1] == nil {
		t.Errorf("after a sweep: %v, %v", got[0] == nil, err)
	}
}

func TestNewerTables(t *testing.T) {
	schema, pool := pgtest.Schema(t), pgtest.Pool(t)
	open(t, pool, schema, nil)
	if _, err := pool.Exec(t.Context(), "INSERT INTO "+pgx.Identifier{schema, "vector_migrations"}.Sanitize()+" (version) VALUES (99)"); err != nil {
		t.Fatal(err)
	}
	if _, err := postgres.New(t.Context(), pool, &postgres.Options{Schema: schema}); !errors.Is(err, pgschema.ErrNewer) {
		t.Errorf("newer tables: %v", err)
	}
}
