package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/checkpointtest"
	"example.com/assay/graph/checkpoint/postgres"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

var schemas atomic.Int64

// newSchema returns the name of a schema that the test's end drops. It is an
// odd one, since any is allowed.
func newSchema(t testing.TB) string {
	t.Helper()
	name := fmt.Sprintf(`Test "%d" of %d`, schemas.Add(1), os.Getpid())
	pool := connect(t)
	t.Cleanup(func() {
		if err := drop(pool, name); err != nil {
			t.Errorf("dropping the schema: %v", err)
		}
	})
	return name
}

// drop removes a schema. A change whose context ended may still be at work in the
// server: where the two wait for each other, the server ends one of them, and if it is
// this one, it is tried again.
func drop(pool *pgxpool.Pool, schema string) error {
	for {
		_, err := pool.Exec(context.Background(), "DROP SCHEMA IF EXISTS "+pgx.Identifier{schema}.Sanitize()+" CASCADE")
		if fault, ok := errors.AsType[*pgconn.PgError](err); !ok || fault.Code != deadlock {
			return err
		}
	}
}

const deadlock = "40P01"

// connect returns a pool that the test's end closes. Without a server the test
// is skipped.
func connect(t testing.TB, change ...func(*pgxpool.Config)) *pgxpool.Pool {
	t.Helper()
	dsn := os.Getenv("ASSAY_POSTGRES")
	if dsn == "" {
		t.Skip("set ASSAY_POSTGRES to the connection string of a Postgres, such as " +
			`"host=localhost user=postgres dbname=postgres", whose user may create schemas`)
	}
	config, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		t.Fatal(err)
	}
	config.MaxConns = 6
	for _, f := range change {
		f(config)
	}
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

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
		return open(t, connect(t), newSchema(t))
	})
}

func TestStore(t *testing.T) {
	checkpointtest.TestStore(t, func(t *testing.T) func() graph.Checkpointer {
		schema := newSchema(t)
		return func() graph.Checkpointer { return open(t, connect(t), schema) }
	})
}

// Poolers of connections want the simple protocol.
func TestSaverOverSimpleProtocol(t *testing.T) {
	checkpointtest.Test(t, func(t *testing.T) graph.Checkpointer {
		pool := connect(t, func(c *pgxpool.Config) { c.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol })
		return open(t, pool, newSchema(t))
	})
}

func TestDefaultSchema(t *testing.T) {
	pool := connect(t)
	var taken bool
	if err := pool.QueryRow(t.Context(), "SELECT to_regnamespace('assay') IS NOT NULL").Scan(&taken); err != nil {
		t.Fatal(err)
	}
	if taken {
		t.Skip("the database has a schema assay, which may be somebody's")
	}
	t.Cleanup(func() {
		if err := drop(pool, "assay"); err != nil {
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
	pool := connect(t)
	for _, name := range []string{strings.Repeat("x", 64), "a\x00b"} {
		if s, err := postgres.New(t.Context(), pool, &postgres.Options{Schema: name}); err == nil {
			s.Close()
			t.Errorf("schema %q was accepted; want an error", name)
		}
	}
}
