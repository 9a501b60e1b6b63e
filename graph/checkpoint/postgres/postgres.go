// Package postgres keeps threads in a PostgreSQL database, version 12 or later. Any number of
// machines may use it at the same time.
//
//	pool, err := pgxpool.New(ctx, url)
//	if err != nil {
//		return err
//	}
//	defer pool.Close()
//	saver, err := postgres.New(ctx, pool, nil)
//	if err != nil {
//		return err
//	}
//	defer saver.Close()
//	app, err := g.Compile(&graph.CompileOptions{Checkpointer: saver})
//
// New makes the tables in a schema. A commit is one round trip, and so is a load. Commits that wait
// for a connection share one transaction. Locks belong to a
// session: behind a pooler that moves sessions between transactions they have no effect, and only
// Commit keeps a thread consistent.
//
// The package does not close the pool, and sets no time limits: contexts do. It needs the default
// isolation level of PostgreSQL, read committed; at another level, concurrent commits may fail
// although neither is stale.
package postgres

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"

	"example.com/assay/graph"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Options configure a saver.
type Options struct {
	// Schema is the PostgreSQL schema of the tables, created if needed. Default: "assay".
	Schema string
}

// A Saver is a graph.Checkpointer over a pool of connections. When the connection breaks or the
// context ends while a Commit waits for its answer, the error does not say whether the change was
// made. It was made in full or not at all.
type Saver struct {
	pool   *pgxpool.Pool
	schema string
	sql    statements
	locks  locks
	groups groups
}

var _ graph.Checkpointer = (*Saver)(nil)

// New returns a saver on the pool, and migrates the tables to this version of the package. It
// returns an error for tables of a later version.
func New(ctx context.Context, pool *pgxpool.Pool, opts *Options) (*Saver, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	schema, err := tables.Open(ctx, pool, o.Schema)
	if err != nil {
		return nil, fmt.Errorf("opening the checkpoints: %w", err)
	}
	return &Saver{pool: pool, schema: schema, sql: newStatements(schema), locks: newLocks(pool), groups: groups{most: max(1, int(pool.Config().MaxConns)/2)}}, nil
}

// Version returns the version of the tables in a schema, 0 if there are none, and the newest
// version that this program knows. It returns an error for tables of a later version.
func Version(ctx context.Context, pool *pgxpool.Pool, schema string) (have, newest int, err error) {
	return tables.Versions(ctx, pool, schema)
}

// Close frees all locks and closes their connection. The pool stays open, and every method except
// Lock still works.
func (s *Saver) Close() error { return s.locks.close() }

// key makes a short key of a name, since index entries of PostgreSQL are limited in size.
func key(parts ...string) []byte {
	h := sha256.New()
	for _, p := range parts {
		var size [8]byte
		binary.BigEndian.PutUint64(size[:], uint64(len(p)))
		h.Write(size[:])
		h.Write([]byte(p))
	}
	return h.Sum(nil)[:16]
}

// advisory makes the key of an advisory lock. All users of a database share these keys.
func advisory(parts ...string) int64 {
	return int64(binary.BigEndian.Uint64(key(append([]string{"assay checkpoints"}, parts...)...)))
}

// because returns the context's error if it has ended, since that stopped the call.
func because(ctx context.Context, err error) error {
	if ended := ctx.Err(); ended != nil && !errors.Is(err, ended) {
		return fmt.Errorf("%w: %w", ended, err)
	}
	return err
}
