package postgres_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"example.com/assay/graph/store"
	"example.com/assay/graph/store/postgres"
	"example.com/assay/internal/pgtest"
)

// open opens a store in a schema of the test, and returns the name of its table.
func open(t *testing.T, opts store.Options) (*pgxpool.Pool, string, store.Store) {
	t.Helper()
	pool, schema := pgtest.Pool(t), pgtest.Schema(t)
	s, err := postgres.New(t.Context(), pool, &postgres.Options{Options: opts, Schema: schema})
	if err != nil {
		t.Fatal(err)
	}
	return pool, schema, s
}

// run runs a statement, in which THIS is the schema.
func run(t *testing.T, pool *pgxpool.Pool, statement, schema string) {
	t.Helper()
	if _, err := pool.Exec(t.Context(), strings.ReplaceAll(statement, "THIS", pgx.Identifier{schema}.Sanitize())); err != nil {
		t.Fatal(err)
	}
}

// TestManyOpenAtOnce makes the tables from many places at the same time, a few
// times, since what goes wrong then goes wrong now and then.
func TestManyOpenAtOnce(t *testing.T) {
	config := pgtest.Pool(t).Config()
	config.MaxConns = 12
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	for range 5 {
		openAtOnce(t, pool, pgtest.Schema(t))
	}
}

func openAtOnce(t *testing.T, pool *pgxpool.Pool, schema string) {
	errs := make([]error, 12)
	var wait sync.WaitGroup
	for i := range errs {
		wait.Go(func() {
			s, err := postgres.New(t.Context(), pool, &postgres.Options{Schema: schema})
			if err == nil {
				err = store.Put(t.Context(), s, []string{"n"}, string(rune('a'+i)), struct{}{}, nil)
			}
			errs[i] = err
		})
	}
	wait.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	s, err := postgres.New(t.Context(), pool, &postgres.Options{Schema: schema})
	if err != nil {
		t.Fatal(err)
	}
	if results, err := s.Search(t.Context(), store.Query{Limit: 100}); err != nil || len(results) != len(errs) {
		t.Errorf("%d items, %v", len(results), err)
	}
}

func TestOnlyOwnTables(t *testing.T) {
	pool, schema, _ := open(t, store.Options{})
	rows, err := pool.Query(t.Context(), `SELECT tablename FROM pg_tables WHERE schemaname = $1 ORDER BY 1`, schema)
	if err != nil {
		t.Fatal(err)
	}
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || strings.Join(tables, " ") != "store_items store_migrations" {
		t.Errorf("tables %q, %v", tables, err)
	}
}

func TestTablesThatAreRefused(t *testing.T) {
	pool, schema, _ := open(t, store.Options{})
	run(t, pool, `INSERT INTO THIS.store_migrations (version) VALUES (99)`, schema)
	if _, err := postgres.New(t.Context(), pool, &postgres.Options{Schema: schema}); !errors.Is(err, postgres.ErrNewer) {
		t.Errorf("newer tables: %v", err)
	}
	var invalid *store.InvalidError
	for _, o := range []postgres.Options{{Schema: "a\x00"}, {Schema: strings.Repeat("a", 64)}, {Options: store.Options{TTL: -5}}} {
		if _, err := postgres.New(t.Context(), pool, &o); !errors.As(err, &invalid) {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

// TestFailedBatch makes the second of three puts fail in the database itself.
func TestFailedBatch(t *testing.T) {
	pool, schema, s := open(t, store.Options{})
	run(t, pool, `ALTER TABLE THIS.store_items ADD CHECK (key <> 'b')`, schema)
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

// TestSweepDoesNotWait locks an expired row, as somebody who puts it again does.
func TestSweepDoesNotWait(t *testing.T) {
	now := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	pool, schema, s := open(t, store.Options{Now: func() time.Time { return now }, TTL: time.Second})
	for _, key := range []string{"a", "b"} {
		if err := store.Put(t.Context(), s, []string{"n"}, key, struct{}{}, nil); err != nil {
			t.Fatal(err)
		}
	}
	now = now.Add(time.Minute)
	err := pgx.BeginFunc(t.Context(), pool, func(tx pgx.Tx) error {
		table := pgx.Identifier{schema, "store_items"}.Sanitize()
		if _, err := tx.Exec(t.Context(), `UPDATE `+table+` SET expires = expires WHERE key = 'a'`); err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		n, err := s.Sweep(ctx)
		if n != 1 {
			t.Errorf("%d items were swept, want 1", n)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if n, err := s.Sweep(t.Context()); err != nil || n != 1 {
		t.Errorf("%d items were swept after the lock, want 1, %v", n, err)
	}
}

// TestSmallPool has one connection, which no call may hold while it asks for
// another.
func TestSmallPool(t *testing.T) {
	pool, schema, _ := open(t, store.Options{})
	config := pool.Config()
	config.MaxConns = 1
	small, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	defer small.Close()
	s, err := postgres.New(t.Context(), small, &postgres.Options{Options: store.Options{RefreshOnRead: true, TTL: time.Hour}, Schema: schema})
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Put(t.Context(), s, []string{"n"}, "k", struct{}{}, nil); err != nil {
		t.Fatal(err)
	}
	if results, err := s.Search(t.Context(), store.Query{}); err != nil || len(results) != 1 {
		t.Errorf("%d items, %v", len(results), err)
	}
}

// TestFewRights opens a store as a role that may use the tables and make none.
func TestFewRights(t *testing.T) {
	_, schema, _ := open(t, store.Options{})
	role := pgtest.Role(t, schema, "GRANT USAGE ON SCHEMA {s} TO {r}", "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {s} TO {r}")
	limited := pgtest.Pool(t, pgtest.As(role))
	s, err := postgres.New(t.Context(), limited, &postgres.Options{Schema: schema})
	if err == nil {
		err = store.Put(t.Context(), s, []string{"n"}, "k", struct{}{}, nil)
	}
	if err == nil {
		_, err = s.Sweep(t.Context())
	}
	if err != nil {
		t.Error(err)
	}
}
