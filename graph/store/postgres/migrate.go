package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// ErrNewer are tables that a newer version of this package has made.
var ErrNewer = errors.New("the tables are of a newer version")

// migrations are the steps from each version of the tables to the next. Keys
// and values are text for people who look at them; keys sort by bytes.
func migrations(schema string) []string {
	items := quote(schema, "store_items")
	return []string{`
		CREATE TABLE ` + items + ` (
			path    bytea NOT NULL,
			key     text COLLATE "C" NOT NULL,
			value   text NOT NULL,
			created bigint NOT NULL,
			updated bigint NOT NULL,
			ttl     bigint NOT NULL,
			expires bigint NOT NULL,
			vectors bytea NOT NULL,
			PRIMARY KEY (path, key)
		);
		CREATE INDEX store_items_expires ON ` + items + ` (expires);`}
}

// migrate brings the tables to this version, one process at a time.
func migrate(ctx context.Context, pool *pgxpool.Pool, schema string) error {
	var encoding string
	if err := pool.QueryRow(ctx, `SELECT current_setting('server_encoding')`).Scan(&encoding); err != nil {
		return fmt.Errorf("reading the encoding: %w", err)
	}
	if encoding != "UTF8" {
		return fmt.Errorf("the database is in %s, not in UTF8", encoding)
	}
	if err := makeSchema(ctx, pool, schema); err != nil {
		return err
	}
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, "assay store "+schema); err != nil {
			return fmt.Errorf("locking: %w", err)
		}
		return migrateLocked(ctx, tx, schema)
	})
}

func migrateLocked(ctx context.Context, tx pgx.Tx, schema string) error {
	log := quote(schema, "store_migrations")
	// As with the schema: IF NOT EXISTS would ask for the right to make it.
	var exists bool
	if err := tx.QueryRow(ctx, `SELECT to_regclass($1) IS NOT NULL`, log).Scan(&exists); err != nil {
		return fmt.Errorf("looking for the table of versions: %w", err)
	}
	if !exists {
		if _, err := tx.Exec(ctx, `CREATE TABLE `+log+` (
			version integer PRIMARY KEY,
			made timestamptz NOT NULL DEFAULT now())`); err != nil {
			return fmt.Errorf("making the table of versions: %w", err)
		}
	}
	var version int
	if err := tx.QueryRow(ctx, `SELECT coalesce(max(version), 0) FROM `+log).Scan(&version); err != nil {
		return fmt.Errorf("reading the version: %w", err)
	}
	steps := migrations(schema)
	if version > len(steps) {
		return fmt.Errorf("%w: they have %d, this program knows %d", ErrNewer, version, len(steps))
	}
	for i, step := range steps[version:] {
		if _, err := tx.Exec(ctx, step); err != nil {
			return fmt.Errorf("migrating to version %d: %w", version+i+1, err)
		}
		if _, err := tx.Exec(ctx, `INSERT INTO `+log+` (version) VALUES ($1)`, version+i+1); err != nil {
			return fmt.Errorf("marking version %d: %w", version+i+1, err)
		}
	}
	return nil
}

// makeSchema asks first, because a role that may use a schema need not have the
// right to make one. Others may make it at the same time, under another lock or
// none; then PostgreSQL reports a duplicate in spite of IF NOT EXISTS.
func makeSchema(ctx context.Context, pool *pgxpool.Pool, schema string) error {
	var exists bool
	if err := pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = $1)`, schema).Scan(&exists); err != nil {
		return fmt.Errorf("looking for the schema: %w", err)
	}
	if exists {
		return nil
	}
	_, err := pool.Exec(ctx, `CREATE SCHEMA IF NOT EXISTS `+quote(schema))
	const uniqueViolation, duplicateSchema = "23505", "42P06"
	var pgErr *pgconn.PgError
	if errors.As(err, &pgErr) && (pgErr.Code == uniqueViolation || pgErr.Code == duplicateSchema) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("making the schema: %w", err)
	}
	return nil
}
