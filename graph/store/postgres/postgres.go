// Package postgres is a store in a PostgreSQL database, which several machines may share.
//
//	pool, err := pgxpool.New(ctx, address)
//	if err != nil {
//		return err
//	}
//	defer pool.Close()
//	s, err := postgres.New(ctx, pool, nil)
//
// The database must be in UTF-8. The package uses no extension, and so not pgvector: a search by
// meaning reads the vectors of its namespace and scores them in this process.
package postgres

import (
	"cmp"
	"context"
	"fmt"

	"github.com/jackc/pgx/v5/pgxpool"

	"example.com/assay/graph/store"
	"example.com/assay/internal/pgschema"
)

// Options configure a store in a database.
type Options struct {
	store.Options
	// Schema holds the tables store_items and store_migrations, and is created if needed. Default:
	// "assay".
	Schema string
}

// New returns the store in a schema. It makes the tables, or migrates them to this version. The
// caller closes the pool. Nil options mean the defaults. Tables of a newer version are ErrNewer.
func New(ctx context.Context, pool *pgxpool.Pool, opts *Options) (store.Store, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	o.Schema = cmp.Or(o.Schema, pgschema.Default)
	if err := pgschema.CheckName(o.Schema); err != nil {
		return nil, &store.InvalidError{What: "options", Reason: err.Error()}
	}
	t := &table{pool: pool, sql: statementsFor(o.Schema)}
	s, err := store.New(t, &o.Options)
	if err != nil {
		return nil, err
	}
	if _, err := tables.Open(ctx, pool, o.Schema); err != nil {
		return nil, fmt.Errorf("opening the store: %w", err)
	}
	return s, nil
}

// Version returns the version of the tables in a schema, 0 if there are none, and the newest
// version that this program knows. It returns an error for tables of a later version.
func Version(ctx context.Context, pool *pgxpool.Pool, schema string) (have, newest int, err error) {
	return tables.Versions(ctx, pool, schema)
}
