// Package postgres keeps threads in a Postgres database, version 12 or later,
// which any number of machines may use at once.
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
// New makes the tables, in a schema of their own. A commit is one round trip,
// and so is a load. Locks belong to a session: behind a pooler that hands
// sessions from one transaction to the next they mean nothing, and only Commit
// keeps a thread whole.
//
// It does not close the pool, and sets no time limits: contexts do. It counts on
// the isolation that Postgres has by default, read committed; with another
// default, commits that meet may fail though neither is stale.
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

// Options change where threads are kept.
type Options struct {
	// Schema is the Postgres schema of the tables, made if there is none.
	// Default: "assay".
	Schema string
}

// A Saver is a graph.Checkpointer over a pool of connections. When the
// connection breaks while a Commit waits for its answer, or the context ends
// then, the error does not say whether the change was made; it was made in
// full or not at all.
type Saver struct {
	pool   *pgxpool.Pool
	schema string
	sql    statements
	locks  locks
}

var _ graph.Checkpointer = (*Saver)(nil)

// New returns a saver that uses the pool, and brings the tables to this version of
// the package. Tables of a later version are an error.
func New(ctx context.Context, pool *pgxpool.Pool, opts *Options) (*Saver, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	schema, err := tables.Open(ctx, pool, o.Schema)
	if err != nil {
		return nil, fmt.Errorf("opening the checkpoints: %w", err)
	}
	return &Saver{pool: pool, schema: schema, sql: newStatements(schema), locks: newLocks(pool)}, nil
}

// Version returns the version of the tables in a schema, 0 if there are none, and the
// newest that this program knows. Tables of a later version are an error.
func Version(ctx context.Context, pool *pgxpool.Pool, schema string) (have, newest int, err error) {
	return tables.Versions(ctx, pool, schema)
}

// Close releases all locks and closes their connection. The pool stays open, and
// every method except Lock still works.
func (s *Saver) Close() error { return s.locks.close() }

// key makes a short key of a name: an index of Postgres takes no long ones.
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

// advisory makes the key of an advisory lock, which all users of a database
// share.
func advisory(parts ...string) int64 {
	return int64(binary.BigEndian.Uint64(key(append([]string{"assay checkpoints"}, parts...)...)))
}

// because returns the context's error when it ended, since that stopped the call.
func because(ctx context.Context, err error) error {
	if ended := ctx.Err(); ended != nil && !errors.Is(err, ended) {
		return fmt.Errorf("%w: %w", ended, err)
	}
	return err
}
