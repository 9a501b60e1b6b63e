package postgres_test

import (
	"context"
	"strings"
	"testing"

	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/checkpointtest"
	"example.com/assay/graph/checkpoint/postgres"
	"example.com/assay/internal/pgtest"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

func open(t testing.TB, pool *pgxpool.Pool, schema string) *postgres.Saver {
	t.Helper()
	s, err := postgres.New(t.Context(), pool, &postgres.Options{Schema: schema})
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
		return open(t, pgtest.Pool(t), pgtest.Schema(t))
	})
}

func TestStore(t *testing.T) {
	checkpointtest.TestStore(t, func(t *testing.T) func() graph.Checkpointer {
		schema := pgtest.Schema(t)
		return func() graph.Checkpointer { return open(t, pgtest.Pool(t), schema) }
	})
}

// Poolers of connections want the simple protocol.
func TestSaverOverSimpleProtocol(t *testing.T) {
	checkpointtest.Test(t, func(t *testing.T) graph.Checkpointer {
		pool := pgtest.Pool(t, func(c *pgxpool.Config) { c.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol })
		return open(t, pool, pgtest.Schema(t))
	})
}

func TestDefaultSchema(t *testing.T) {
	pool := pgtest.Pool(t)
	var taken bool
	if err := pool.QueryRow(t.Context(), "SELECT to_regnamespace('assay') IS NOT NULL").Scan(&taken); err != nil {
		t.Fatal(err)
	}
	if taken {
		t.Skip("the database has a schema assay, which may be somebody's")
	}
	t.Cleanup(func() {
		if _, err := pool.Exec(context.Background(), "DROP SCHEMA IF EXISTS assay CASCADE"); err != nil {
			t.Errorf("dropping the schema: %v", err)
		}
	})
	s, err := postgres.New(t.Context(), pool, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Commit(t.Context(), "t", graph.Change{Add: []graph.Checkpoint{{ID: "1", Base: "1"}}}); err != nil {
		t.Fatal(err)
	}
	var n int
	if err := pool.QueryRow(t.Context(), "SELECT count(*) FROM assay.checkpoints").Scan(&n); err != nil || n != 1 {
		t.Errorf("assay.checkpoints has %d rows (%v); want 1", n, err)
	}
}

func TestSchemaNames(t *testing.T) {
	pool := pgtest.Pool(t)
	for _, name := range []string{strings.Repeat("x", 64), "a\x00b"} {
		if s, err := postgres.New(t.Context(), pool, &postgres.Options{Schema: name}); err == nil {
			s.Close()
			t.Errorf("schema %q was accepted; want an error", name)
		}
	}
}
