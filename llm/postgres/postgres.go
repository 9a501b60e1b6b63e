// Package postgres keeps the rates of model calls in a PostgreSQL database, so all processes that
// use one schema share one rate.
//
//	buckets, err := postgres.New(ctx, pool, nil)
//	if err != nil {
//		return err
//	}
//	controls := llm.NewControls(&llm.ControlOptions{Rate: llm.RateOptions{RequestsPerMinute: 600, Buckets: buckets}})
//
// The server's clock counts. A call costs a round trip before it and one after it. All processes
// should configure the same rates: each fills a bucket at its own rate. A crash of the server may
// lose the draws of the last moment, since commits do not wait for the disk. The caller closes the
// pool.
package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"example.com/assay/internal/pgschema"
	"example.com/assay/llm"
)

var tables = pgschema.Tables{Log: "rate_migrations", Columns: pgschema.LogColumns, Steps: []string{`
	CREATE TABLE {s}.rate_buckets (
		name text PRIMARY KEY, level double precision NOT NULL, at timestamptz NOT NULL);`,
}}

// Options configure New. Nil is the zero value.
type Options struct {
	// Schema is the schema of the tables, created if needed. Default: "assay".
	Schema string
}

// Version returns the version of the tables in a schema, 0 if there are none, and the newest
// version that this program knows. It returns an error for tables of a later version.
func Version(ctx context.Context, pool *pgxpool.Pool, schema string) (have, newest int, err error) {
	return tables.Versions(ctx, pool, schema)
}

// buckets are llm.Buckets.
type buckets struct {
	pool   *pgxpool.Pool
	schema string
}

// New returns the buckets in a schema. It creates the tables, or migrates them to this version.
func New(ctx context.Context, pool *pgxpool.Pool, opts *Options) (llm.Buckets, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	schema, err := tables.Open(ctx, pool, o.Schema)
	if err != nil {
		return nil, fmt.Errorf("opening the rates: %w", err)
	}
	return &buckets{pool, schema}, nil
}

const (
	// One process at a time writes the rows, in one transaction that does not wait for the disk.
	begin   = `SELECT pg_advisory_xact_lock(hashtextextended($1, 0)), set_config('synchronous_commit', 'off', true)`
	addNew  = `INSERT INTO {s}.rate_buckets SELECT name, capacity, clock_timestamp() FROM unnest($1::text[], $2::float8[]) AS d (name, capacity) ON CONFLICT DO NOTHING`
	drawAll = `UPDATE {s}.rate_buckets b SET
			level = least(d.capacity, least(d.capacity, b.level + greatest(0, extract(epoch FROM clock_timestamp() - b.at)::float8) * d.refill) - d.amount),
			at = greatest(b.at, clock_timestamp())
		FROM unnest($1::text[], $2::float8[], $3::float8[], $4::float8[]) AS d (name, capacity, refill, amount)
		WHERE b.name = d.name RETURNING b.name, b.level`
)

func (b *buckets) Draw(ctx context.Context, draws []llm.Draw) ([]float64, error) {
	var names []string
	var capacities, refills, amounts []float64
	for _, d := range draws {
		names, capacities = append(names, d.Bucket), append(capacities, d.Capacity)
		refills, amounts = append(refills, d.Refill), append(amounts, d.Amount)
	}
	levels := map[string]float64{}
	batch := &pgx.Batch{}
	batch.Queue(begin, "assay rates "+b.schema)
	batch.Queue(pgschema.In(b.schema, addNew), names, capacities)
	batch.Queue(pgschema.In(b.schema, drawAll), names, capacities, refills, amounts).Query(func(rows pgx.Rows) error {
		var name string
		var level float64
		_, err := pgx.ForEachRow(rows, []any{&name, &level}, func() error { levels[name] = level; return nil })
		return err
	})
	if err := b.pool.SendBatch(ctx, batch).Close(); err != nil {
		return nil, fmt.Errorf("drawing from the shared rate: %w", err)
	}
	out := make([]float64, len(draws))
	for i, d := range draws {
		out[i] = levels[d.Bucket]
	}
	return out, nil
}
