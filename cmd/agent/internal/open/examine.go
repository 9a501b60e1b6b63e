//go:build !lean

package open

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	threadrows "example.com/assay/graph/checkpoint/postgres"
	"example.com/assay/graph/eventlog"
	noterows "example.com/assay/graph/store/postgres"
	"example.com/assay/internal/pgschema"
	raterows "example.com/assay/llm/postgres"
	vectorrows "example.com/assay/memory/embed/postgres"
	answerrows "example.com/assay/memory/qa/postgres"
)

// Examine asks the server, and makes nothing. Its error says that the server was not
// reached.
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

// compare compares the versions of the tables with those of this program, as far as the
// user may read them.
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

// denied lists the rights on the tables of a schema that the user needs and does not have.
// The tables of versions need only be read.
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
