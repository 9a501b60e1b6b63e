package postgres_test

import (
	"context"
	"errors"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"example.com/assay/internal/pgschema"
	"example.com/assay/internal/pgtest"
	"example.com/assay/memory/qa"
	"example.com/assay/memory/qa/postgres"
	"example.com/assay/memory/qa/qatest"
)

func open(t *testing.T, pool *pgxpool.Pool, schema, corpus string, opts *qa.Options) *qa.Memory {
	t.Helper()
	rows, err := postgres.New(t.Context(), pool, corpus, &postgres.Options{Schema: schema})
	if err != nil {
		t.Fatal(err)
	}
	return qa.New(rows, opts)
}

func TestSuite(t *testing.T) {
	qatest.Test(t, func(t *testing.T) qatest.Open {
		schema, pool := pgtest.Schema(t), pgtest.Pool(t)
		t.Cleanup(func() { noOrphans(t, schema) })
		return func(t *testing.T, opts *qa.Options) *qa.Memory { return open(t, pool, schema, "law", opts) }
	})
}

// noOrphans looks for rows of entries that are gone.
func noOrphans(t *testing.T, schema string) {
	var orphans int
	err := pgtest.PoolAt(t, pgtest.Address(t)).QueryRow(context.Background(), pgschema.In(schema,
		`SELECT (SELECT count(*) FROM {s}.qa_words w WHERE NOT EXISTS (SELECT 1 FROM {s}.qa_entries e WHERE e.scope = w.scope AND e.seq = w.seq)) +
		(SELECT count(*) FROM {s}.qa_scopes s WHERE NOT EXISTS (SELECT 1 FROM {s}.qa_entries))`)).Scan(&orphans)
	if err != nil || orphans != 0 {
		t.Errorf("%d rows of entries that are gone, %v", orphans, err)
	}
}

// Corpora share the tables and nothing else.
func TestCorporaAreApart(t *testing.T) {
	schema, pool := pgtest.Schema(t), pgtest.Pool(t)
	now := []qa.Condition{{Name: "corpus", Value: "f"}}
	a, b := open(t, pool, schema, "a", &qa.Options{Keep: 5}), open(t, pool, schema, "b", &qa.Options{Keep: 5})
	for _, m := range []*qa.Memory{a, b} {
		if _, err := m.Store(t.Context(), qa.Entry{Question: "Who owns the house?", Conditions: now}); err != nil {
			t.Fatal(err)
		}
	}
	for range 10 { // a's own bound
		if _, err := a.Store(t.Context(), qa.Entry{Question: "Who owns the house?", Conditions: now}); err != nil {
			t.Fatal(err)
		}
	}
	if gone, err := a.ForgetAll(t.Context()); err != nil || len(gone) != 1 {
		t.Errorf("%d forgotten of a, %v", len(gone), err)
	}
	if stats, err := b.Stats(t.Context(), now); err != nil || stats.Entries != 1 || stats.Stale != 0 {
		t.Errorf("b holds %+v, %v", stats, err)
	}
	if found, err := a.Lookup(t.Context(), "Who owns the house?", now); err != nil || found.Kind != qa.None {
		t.Errorf("a finds %q, %v", found.Kind, err)
	}
}

// Who may only use the tables needs no right to make them, and cannot migrate.
func TestFewRights(t *testing.T) {
	schema := pgtest.Schema(t)
	open(t, pgtest.Pool(t), schema, "law", nil)
	role := pgtest.Role(t, schema, "GRANT USAGE ON SCHEMA {s} TO {r}", "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {s} TO {r}")
	m := open(t, pgtest.Pool(t, pgtest.As(role)), schema, "law", nil)
	id, err := m.Store(t.Context(), qa.Entry{Question: "Who owns the house?"})
	if err == nil {
		_, err = m.Forget(t.Context(), id)
	}
	if err != nil {
		t.Error(err)
	}
}

func TestNewerTables(t *testing.T) {
	schema, pool := pgtest.Schema(t), pgtest.Pool(t)
	open(t, pool, schema, "law", nil)
	if _, err := pool.Exec(t.Context(), "INSERT INTO "+pgx.Identifier{schema, "qa_migrations"}.Sanitize()+" (version) VALUES (99)"); err != nil {
		t.Fatal(err)
	}
	if _, err := postgres.New(t.Context(), pool, "law", &postgres.Options{Schema: schema}); !errors.Is(err, pgschema.ErrNewer) {
		t.Errorf("newer tables: %v", err)
	}
}
