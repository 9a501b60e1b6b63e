// Package pgschema makes all PostgreSQL tables of the project in the same way, and brings them to the
// newest version.
//
//	var tables = pgschema.Tables{Log: "notes_migrations", Columns: pgschema.LogColumns, Steps: []string{
//		`CREATE TABLE {s}.notes (id bigint PRIMARY KEY, note text NOT NULL)`,
//	}}
//
//	schema, err := tables.Open(ctx, pool, "")
//
// A set of tables has one log of versions, and several sets share a schema. A user who may not make
// tables may still use tables of the newest version. The package knows only the logs.
package pgschema

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	// Default is the default schema of tables.
	Default = "assay"
	// oldest is the earliest server on which tables are made.
	oldest = 12
	// LogColumns are the columns of a log of versions.
	LogColumns = "version bigint PRIMARY KEY, applied timestamptz NOT NULL DEFAULT now()"
)

// ErrNewer says that a later version of this program has made the tables.
var ErrNewer = errors.New("a later version of this program has made the tables; use that one")

// Tables is a set of tables that are made together.
type Tables struct {
	Log     string // the table that lists the versions of the other tables
	Columns string // of the log: LogColumns, unless the log has an earlier form
	// Steps[i] brings the tables from version i to the next, with {s} for the schema. A released
	// step never changes.
	Steps []string
}

// CheckName refuses an invalid name of a schema.
func CheckName(schema string) error {
	if schema == "" || len(schema) > 63 || strings.Contains(schema, "\x00") {
		return fmt.Errorf("%.80q cannot be the name of a schema: PostgreSQL keeps 1 to 63 bytes", schema)
	}
	return nil
}

// In replaces {s} in a statement by the schema's name.
func In(schema, statement string) string {
	return strings.ReplaceAll(statement, "{s}", pgx.Identifier{schema}.Sanitize())
}

// querier is a pool, a connection or a transaction.
type querier interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// Codes of errors of a server.
const (
	undefinedTable = "42P01"
	unknownSchema  = "3F000"
)

// version returns the version of the tables, 0 if there are none. It returns ErrNewer for tables of a
// later version than this program's.
func (t Tables) version(ctx context.Context, db querier, schema string) (int, error) {
	var version int
	err := db.QueryRow(ctx, In(schema, "SELECT coalesce(max(version), 0) FROM {s}.")+t.Log).Scan(&version)
	if fault, ok := errors.AsType[*pgconn.PgError](err); ok && (fault.Code == undefinedTable || fault.Code == unknownSchema) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("reading the version of the tables: %w", err)
	}
	if version > len(t.Steps) {
		return version, fmt.Errorf("%w: they have version %d, this program knows versions up to %d", ErrNewer, version, len(t.Steps))
	}
	return version, nil
}

// Versions returns the version of the tables as version does, and the newest one.
func (t Tables) Versions(ctx context.Context, db querier, schema string) (have, newest int, err error) {
	have, err = t.version(ctx, db, schema)
	return have, len(t.Steps), err
}

// Open brings the tables to the newest version, and returns the name of their schema, Default for "".
// It makes the schema and the tables if they are missing.
func (t Tables) Open(ctx context.Context, pool *pgxpool.Pool, schema string) (string, error) {
	schema = cmp.Or(schema, Default)
	err := CheckName(schema)
	if err == nil {
		err = t.migrate(ctx, pool, schema)
	}
	if err != nil {
		return "", fmt.Errorf("opening the tables in schema %q: %w", schema, err)
	}
	return schema, nil
}

// migrate brings the tables to the newest version, one process at a time.
func (t Tables) migrate(ctx context.Context, pool *pgxpool.Pool, schema string) error {
	version, err := t.version(ctx, pool, schema)
	if err != nil || version == len(t.Steps) {
		return err
	}
	return pgx.BeginTxFunc(ctx, pool, pgx.TxOptions{IsoLevel: pgx.ReadCommitted}, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", "assay tables "+schema); err != nil {
			return fmt.Errorf("waiting for other processes: %w", err)
		}
		exists, err := t.prepare(ctx, tx, schema)
		if err != nil {
			return err
		}
		version := 0
		if exists { // another process may have been faster
			if version, err = t.version(ctx, tx, schema); err != nil {
				return err
			}
		}
		for ; version < len(t.Steps); version++ {
			if _, err := tx.Exec(ctx, In(schema, t.Steps[version])); err != nil {
				return fmt.Errorf("bringing the tables to version %d: %w", version+1, err)
			}
			if _, err := tx.Exec(ctx, In(schema, "INSERT INTO {s}.")+t.Log+" (version) VALUES ($1)", version+1); err != nil {
				return fmt.Errorf("marking version %d: %w", version+1, err)
			}
		}
		return nil
	})
}

// prepare makes the schema and the log if they are missing, and reports whether the log was there. It
// avoids CREATE … IF NOT EXISTS, which needs the right to create even if they exist.
func (t Tables) prepare(ctx context.Context, tx pgx.Tx, schema string) (exists bool, err error) {
	var has bool
	if err := tx.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = $1)", schema).Scan(&has); err != nil {
		return false, fmt.Errorf("looking for the schema: %w", err)
	}
	if has {
		if err := tx.QueryRow(ctx, "SELECT to_regclass($1) IS NOT NULL", In(schema, "{s}.")+t.Log).Scan(&exists); err != nil || exists {
			return exists, err
		}
	}
	if err := CheckServer(ctx, tx); err != nil {
		return false, err
	}
	if !has {
		if _, err := tx.Exec(ctx, In(schema, "CREATE SCHEMA {s}")); err != nil {
			return false, fmt.Errorf("making the schema: %w", err)
		}
	}
	if _, err := tx.Exec(ctx, In(schema, "CREATE TABLE {s}.")+t.Log+" ("+t.Columns+")"); err != nil {
		return false, fmt.Errorf("making the table of versions: %w", err)
	}
	return false, nil
}

// CheckServer refuses a server that is too old and a database that is not in UTF8.
func CheckServer(ctx context.Context, db querier) error {
	var number int
	var encoding string
	err := db.QueryRow(ctx, "SELECT current_setting('server_version_num')::int, current_setting('server_encoding')").Scan(&number, &encoding)
	switch {
	case err != nil:
		return fmt.Errorf("asking for the server's version: %w", err)
	case number/10000 < oldest:
		return fmt.Errorf("the server is PostgreSQL %d: version %d or later is needed", number/10000, oldest)
	case encoding != "UTF8":
		return fmt.Errorf("the database is in %s: make one with ENCODING 'UTF8'", encoding)
	}
	return nil
}
