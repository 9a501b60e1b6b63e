// Package postgres stores cached vectors in a PostgreSQL database, which any number of machines may
// use.
//
//	rows, err := postgres.New(ctx, pool, nil)
//	if err != nil {
//		return err
//	}
//	cache := embed.NewCache(rows, nil)
//
// Writers wait for one another. The package does not close the pool.
package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"example.com/assay/internal/pgschema"
	"example.com/assay/memory/embed"
)

// tables are the tables of a cache. Each Write and each Report increases the use number of its
// batches.
var tables = pgschema.Tables{Log: "vector_migrations", Columns: pgschema.LogColumns, Steps: []string{`
	CREATE TABLE {s}.vector_batches (
		id bigint PRIMARY KEY, vectors bigint NOT NULL, bytes bigint NOT NULL, used bigint NOT NULL);
	CREATE TABLE {s}.vectors (
		key bytea PRIMARY KEY, batch bigint NOT NULL, vector bytea NOT NULL);
	ALTER TABLE {s}.vectors ALTER COLUMN vector SET STORAGE EXTERNAL;
	CREATE INDEX vectors_batch ON {s}.vectors (batch);
	CREATE TABLE {s}.vector_totals (hits bigint NOT NULL, misses bigint NOT NULL);
	INSERT INTO {s}.vector_totals VALUES (0, 0);`,
}}

// Options configure [New]. Nil means the zero value.
type Options struct {
	// Schema is the schema of the tables, created if needed. Default: "assay".
	Schema string
}

// Version returns the version of the tables in a schema, 0 if there are none, and the newest that
// this program knows. Tables of a later version are an error.
func Version(ctx context.Context, pool *pgxpool.Pool, schema string) (have, newest int, err error) {
	return tables.Versions(ctx, pool, schema)
}

// rows are embed.CacheRows.
type rows struct {
	pool   *pgxpool.Pool
	schema string
}

// New returns the rows in a schema, and makes the tables or brings them to this version.
// Closing them leaves the pool open.
func New(ctx context.Context, pool *pgxpool.Pool, opts *Options) (embed.CacheRows, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	schema, err := tables.Open(ctx, pool, o.Schema)
	if err != nil {
		return nil, fmt.Errorf("opening the cache of vectors: %w", err)
	}
	return &rows{pool, schema}, nil
}

func (r *rows) Close() error { return nil }

func (r *rows) in(statement string) string { return pgschema.In(r.schema, statement) }

func (r *rows) Read(ctx context.Context, keys []embed.Key) ([][]byte, []int64, error) {
	data, batches := make([][]byte, len(keys)), make([]int64, len(keys))
	found, err := r.pool.Query(ctx, r.in(`SELECT k.at, v.batch, v.vector
		FROM unnest($1::bytea[]) WITH ORDINALITY AS k (key, at) JOIN {s}.vectors v ON v.key = k.key`), bytesOf(keys))
	if err != nil {
		return nil, nil, err
	}
	var at, batch int64
	var vector []byte
	_, err = pgx.ForEachRow(found, []any{&at, &batch, &vector}, func() error {
		data[at-1], batches[at-1] = append([]byte{}, vector...), batch
		return nil
	})
	return data, batches, err
}

func bytesOf(keys []embed.Key) [][]byte {
	out := make([][]byte, len(keys))
	for i := range keys {
		out[i] = keys[i][:]
	}
	return out
}

// change makes a change in one transaction, while no other writes. It does not wait for the
// server's disk: vectors that a crash loses are made again.
func (r *rows) change(ctx context.Context, make func(pgx.Tx) error) error {
	return pgx.BeginTxFunc(ctx, r.pool, pgx.TxOptions{IsoLevel: pgx.ReadCommitted}, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock(hashtextextended($1, 0)), set_config('synchronous_commit', 'off', true)", "assay vectors "+r.schema); err != nil {
			return err
		}
		return make(tx)
	})
}

const (
	// Of a key that is given twice, the last vector counts.
	addVectors = `WITH batch AS (SELECT coalesce(max(id), 0) + 1 AS id, coalesce(max(used), 0) + 1 AS used FROM {s}.vector_batches),
		given AS (SELECT DISTINCT ON (key) key, vector FROM unnest($1::bytea[], $2::bytea[]) WITH ORDINALITY AS g (key, vector, at) ORDER BY key, at DESC),
		added AS (INSERT INTO {s}.vectors SELECT given.key, batch.id, given.vector FROM given, batch
			ON CONFLICT (key) DO UPDATE SET vector = excluded.vector RETURNING batch, octet_length(key) + octet_length(vector) AS bytes),
		fresh AS (SELECT count(*) AS n, coalesce(sum(bytes), 0)::bigint AS bytes FROM added JOIN batch ON added.batch = batch.id)
		INSERT INTO {s}.vector_batches SELECT batch.id, fresh.n, fresh.bytes, batch.used FROM batch, fresh WHERE fresh.n > 0`
	// Those that were used last stay as long as they and the newest fit.
	sweepBatches = `WITH kept AS (SELECT id, sum(bytes) OVER (ORDER BY id = (SELECT max(id) FROM {s}.vector_batches) DESC, used DESC, id DESC) AS total FROM {s}.vector_batches),
		gone AS (DELETE FROM {s}.vector_batches WHERE id IN (SELECT id FROM kept WHERE total > $1) AND id <> $2 RETURNING id)
		DELETE FROM {s}.vectors WHERE batch IN (SELECT id FROM gone)`
)

func (r *rows) Write(ctx context.Context, keys []embed.Key, data [][]byte, most int64) error {
	return r.change(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, r.in(addVectors), bytesOf(keys), data); err != nil {
			return err
		}
		var total, newest int64
		if err := tx.QueryRow(ctx, r.in("SELECT coalesce(sum(bytes), 0)::bigint, coalesce(max(id), 0) FROM {s}.vector_batches")).Scan(&total, &newest); err != nil || total <= most {
			return err
		}
		_, err := tx.Exec(ctx, r.in(sweepBatches), most, newest)
		return err
	})
}

func (r *rows) Report(ctx context.Context, used []int64, hits, misses int64) error {
	return r.change(ctx, func(tx pgx.Tx) error {
		batch := &pgx.Batch{}
		batch.Queue(r.in("UPDATE {s}.vector_batches SET used = (SELECT max(used) + 1 FROM {s}.vector_batches) WHERE id = ANY ($1)"), used)
		batch.Queue(r.in("UPDATE {s}.vector_totals SET hits = hits + $1, misses = misses + $2"), hits, misses)
		return tx.SendBatch(ctx, batch).Close()
	})
}

func (r *rows) Count(ctx context.Context) (out embed.CacheStats, err error) {
	err = r.pool.QueryRow(ctx, r.in(`SELECT coalesce(sum(vectors), 0)::bigint, coalesce(sum(bytes), 0)::bigint,
		(SELECT hits FROM {s}.vector_totals), (SELECT misses FROM {s}.vector_totals) FROM {s}.vector_batches`)).
		Scan(&out.Vectors, &out.Bytes, &out.TotalHits, &out.TotalMisses)
	return out, err
}
