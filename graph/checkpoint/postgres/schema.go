package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// migrations bring the tables from the version of their index to the next. A
// released one never changes.
//
// thread and space are keys for the names of threads and namespaces. The collation
// "C" orders by bytes. must ends a transaction with the code stale.
var migrations = [...]string{
	`CREATE TABLE {s}.threads (
		key bytea PRIMARY KEY, name text COLLATE "C" NOT NULL);
	CREATE INDEX threads_by_name ON {s}.threads (left(name, 200));
	CREATE TABLE {s}.checkpoints (
		thread bytea NOT NULL, space bytea NOT NULL, id text COLLATE "C" NOT NULL,
		namespace text COLLATE "C" NOT NULL, parent text COLLATE "C" NOT NULL, base text COLLATE "C" NOT NULL,
		source text COLLATE "C" NOT NULL, step bigint NOT NULL, time timestamptz NOT NULL,
		run text COLLATE "C" NOT NULL, graph text NOT NULL, fingerprint text NOT NULL, version bigint NOT NULL,
		metadata jsonb NOT NULL, data bytea NOT NULL,
		PRIMARY KEY (thread, space, id));
	CREATE TABLE {s}.records (
		thread bytea NOT NULL, space bytea NOT NULL, checkpoint text COLLATE "C" NOT NULL, record bytea NOT NULL,
		namespace text NOT NULL, task text COLLATE "C" NOT NULL, kind text COLLATE "C" NOT NULL,
		key text COLLATE "C" NOT NULL, data bytea NOT NULL,
		PRIMARY KEY (thread, space, checkpoint, record));
	CREATE FUNCTION {s}.must(ok boolean) RETURNS void LANGUAGE plpgsql AS
		'BEGIN IF NOT ok THEN RAISE EXCEPTION ''stale'' USING ERRCODE = ''` + stale + `''; END IF; END'`,
}

// migrate brings the tables to the newest version, one process at a time.
func migrate(ctx context.Context, pool *pgxpool.Pool, schema string) error {
	// Who may not make tables may still use those that there are.
	if version, err := schemaVersion(ctx, pool, schema); err != nil || version == len(migrations) {
		return err
	}
	return pgx.BeginTxFunc(ctx, pool, pgx.TxOptions{IsoLevel: pgx.ReadCommitted}, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock($1)", advisory("migrate", schema)); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, in(schema, `CREATE SCHEMA IF NOT EXISTS {s};
			CREATE TABLE IF NOT EXISTS {s}.migrations (version bigint PRIMARY KEY, applied timestamptz NOT NULL DEFAULT now())`)); err != nil {
			return err
		}
		version, err := schemaVersion(ctx, tx, schema) // another process may have been faster
		if err != nil {
			return err
		}
		for ; version < len(migrations); version++ {
			if _, err := tx.Exec(ctx, in(schema, migrations[version])); err != nil {
				return fmt.Errorf("bringing the schema to version %d: %w", version+1, err)
			}
			if _, err := tx.Exec(ctx, in(schema, "INSERT INTO {s}.migrations (version) VALUES ($1)"), version+1); err != nil {
				return err
			}
		}
		return nil
	})
}

// A querier is a pool or a transaction.
type querier interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// schemaVersion returns 0 if there are no tables.
func schemaVersion(ctx context.Context, db querier, schema string) (int, error) {
	var exists bool
	if err := db.QueryRow(ctx, "SELECT to_regclass($1) IS NOT NULL", in(schema, "{s}.migrations")).Scan(&exists); err != nil || !exists {
		return 0, err
	}
	var version int
	if err := db.QueryRow(ctx, in(schema, "SELECT coalesce(max(version), 0) FROM {s}.migrations")).Scan(&version); err != nil {
		return 0, err
	}
	if version > len(migrations) {
		return 0, fmt.Errorf("its tables have version %d, and this program knows versions up to %d: use a later one", version, len(migrations))
	}
	return version, nil
}
