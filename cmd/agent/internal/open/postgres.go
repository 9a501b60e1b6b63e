//go:build !lean

package open

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"example.com/assay/cmd/agent/internal/config"
	threadrows "example.com/assay/graph/checkpoint/postgres"
	"example.com/assay/graph/eventlog"
	"example.com/assay/graph/store"
	noterows "example.com/assay/graph/store/postgres"
	"example.com/assay/internal/pgschema"
	"example.com/assay/llm"
	raterows "example.com/assay/llm/postgres"
	"example.com/assay/memory/embed"
	vectorrows "example.com/assay/memory/embed/postgres"
	"example.com/assay/memory/qa"
	answerrows "example.com/assay/memory/qa/postgres"
)

// tables are the tables of a PostgreSQL server.
type tables struct {
	llm.Buckets
	pool   *pgxpool.Pool
	schema string
}

// connect connects to the server and makes all tables. So a user who may make tables runs one verb,
// and all others have them.
func connect(ctx context.Context, at config.Store) (server, error) {
	pool, err := pgxpool.NewWithConfig(ctx, at.Connect)
	if err != nil {
		return nil, err
	}
	t := &tables{pool: pool, schema: at.Schema}
	if err := t.prepare(ctx); err != nil {
		pool.Close()
		return nil, err
	}
	return t, nil
}

func (t *tables) prepare(ctx context.Context) error {
	saver, err := t.threads(ctx)
	if err == nil {
		err = saver.Close()
	}
	if err == nil {
		_, err = t.notes(ctx, store.Options{})
	}
	if err == nil {
		_, err = t.answers(ctx, "", nil)
	}
	if err == nil {
		_, err = vectorrows.New(ctx, t.pool, &vectorrows.Options{Schema: t.schema})
	}
	if err == nil {
		t.Buckets, err = raterows.New(ctx, t.pool, &raterows.Options{Schema: t.schema})
	}
	if err == nil {
		var events *eventlog.Log
		if events, err = t.events(ctx); err == nil {
			err = events.Close()
		}
	}
	return err
}

func (t *tables) close() { t.pool.Close() }

func (t *tables) threads(ctx context.Context) (Saver, error) {
	saver, err := threadrows.New(ctx, t.pool, &threadrows.Options{Schema: t.schema})
	if err != nil {
		return nil, err // not a Saver that holds a nil pointer
	}
	return saver, nil
}

func (t *tables) notes(ctx context.Context, opts store.Options) (store.Store, error) {
	return noterows.New(ctx, t.pool, &noterows.Options{Options: opts, Schema: t.schema})
}

func (t *tables) answers(ctx context.Context, corpus string, opts *qa.Options) (*qa.Memory, error) {
	rows, err := answerrows.New(ctx, t.pool, corpus, &answerrows.Options{Schema: t.schema})
	if err != nil {
		return nil, err
	}
	return qa.New(rows, opts), nil
}

func (t *tables) vectors(ctx context.Context, opts *embed.CacheOptions) (*embed.Cache, error) {
	rows, err := vectorrows.New(ctx, t.pool, &vectorrows.Options{Schema: t.schema})
	if err != nil {
		return nil, err
	}
	return embed.NewCache(rows, opts), nil
}

func (t *tables) events(ctx context.Context) (*eventlog.Log, error) {
	return eventlog.Open(ctx, t.pool, t.schema)
}

// Examine examines the server and changes nothing. It returns an error if it cannot reach the server.
func (k *Store) Examine(ctx context.Context) (e Examined, err error) {
	pool, err := pgxpool.NewWithConfig(ctx, k.at.Connect)
	if err != nil {
		return e, err
	}
	defer pool.Close()
	e.Schema = k.at.Schema
	if err := pool.QueryRow(ctx, "SELECT current_setting('server_version'), current_user").Scan(&e.Server, &e.User); err != nil {
		return e, err
	}
	if e.Unusable = pgschema.CheckServer(ctx, pool); e.Unusable != nil {
		return e, nil
	}
	var exists, uses bool
	if err := pool.QueryRow(ctx, `SELECT s.nspname IS NOT NULL, coalesce(has_schema_privilege(s.oid, 'USAGE'), true),
			coalesce(has_schema_privilege(s.oid, 'CREATE'), has_database_privilege(current_database(), 'CREATE'))
		FROM (SELECT 1) one LEFT JOIN pg_namespace s ON s.nspname = $1`, e.Schema).Scan(&exists, &uses, &e.MayMake); err != nil {
		return e, err
	}
	if !uses {
		e.Denied = []string{"USAGE ON SCHEMA " + e.Schema}
		return e, nil
	}
	if e.Denied, err = denied(ctx, pool, e.Schema); err != nil {
		return e, err
	}
	return e, e.compare(ctx, pool)
}

// compare compares the versions of the tables with the versions of this program. It does nothing if
// the user lacks rights.
func (e *Examined) compare(ctx context.Context, pool *pgxpool.Pool) error {
	if len(e.Denied) > 0 {
		return nil
	}
	for _, version := range []func(context.Context, *pgxpool.Pool, string) (int, int, error){
		threadrows.Version, noterows.Version, answerrows.Version, vectorrows.Version, raterows.Version, eventlog.Version,
	} {
		have, newest, err := version(ctx, pool, e.Schema)
		if errors.Is(err, pgschema.ErrNewer) {
			e.Newer = err
			return nil
		}
		if err != nil {
			return err
		}
		e.Behind = e.Behind || have < newest
	}
	return nil
}

// denied lists the rights on the tables of a schema that the user needs and does not have. The
// tables that hold versions need only be read.
func denied(ctx context.Context, pool *pgxpool.Pool, schema string) ([]string, error) {
	rows, err := pool.Query(ctx, `SELECT p || ' ON ' || c.relname FROM pg_class c JOIN pg_namespace s ON s.oid = c.relnamespace
		CROSS JOIN unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) p
		WHERE s.nspname = $1 AND c.relkind = 'r' AND (p = 'SELECT' OR c.relname NOT LIKE '%migrations') AND NOT has_table_privilege(c.oid, p)
		ORDER BY c.relname, p`, schema)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}
