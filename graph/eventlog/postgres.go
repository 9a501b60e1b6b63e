//go:build !lean

package eventlog

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"example.com/assay/internal/pgschema"
)

// tables of the log. Data is text, so it comes back byte by byte.
var tables = pgschema.Tables{Log: "event_migrations", Columns: pgschema.LogColumns, Steps: []string{`
	CREATE TABLE {s}.events (
		run  text COLLATE "C" NOT NULL,
		seq  bigint NOT NULL,
		made timestamptz NOT NULL DEFAULT now(),
		data text NOT NULL,
		PRIMARY KEY (run, seq));
	CREATE INDEX events_by_time ON {s}.events (made);`,
}}

// Version returns the version of the table in a schema, 0 if there is none, and the
// newest one.
func Version(ctx context.Context, pool *pgxpool.Pool, schema string) (have, newest int, err error) {
	return tables.Versions(ctx, pool, schema)
}

// Open opens a log in PostgreSQL, and creates its table if needed. An empty schema means
// pgschema.Default. The caller closes the log, then the pool.
func Open(ctx context.Context, pool *pgxpool.Pool, schema string) (*Log, error) {
	schema, err := tables.Open(ctx, pool, schema)
	if err != nil {
		return nil, fmt.Errorf("opening the log of events: %w", err)
	}
	return newLog(&server{pool, schema}), nil
}

// server is rows in PostgreSQL.
type server struct {
	pool   *pgxpool.Pool
	schema string
}

// append locks its runs: a process that was cut off may still write one of them.
func (s *server) append(ctx context.Context, batches []*batch) error {
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		queue := &pgx.Batch{}
		queue.Queue(`SET LOCAL synchronous_commit = off`)
		for _, b := range batches {
			texts := make([]string, len(b.events))
			for i, data := range b.events {
				texts[i] = string(data)
			}
			queue.Queue(`SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, "assay events "+s.schema+" "+b.run)
			queue.Queue(pgschema.In(s.schema, `WITH new AS (INSERT INTO {s}.events (run, seq, data)
				SELECT $1, coalesce((SELECT max(seq) FROM {s}.events WHERE run = $1), 0) + n, text
				FROM unnest($2::text[]) WITH ORDINALITY AS new (text, n) RETURNING seq)
				SELECT min(seq) FROM new`), b.run, texts).QueryRow(func(row pgx.Row) error { return row.Scan(&b.first) })
			queue.Queue(`SELECT pg_notify($1, $2)`, s.channel(), b.run)
		}
		return tx.SendBatch(ctx, queue).Close()
	})
}

func (s *server) page(ctx context.Context, run string, after int64, limit int) ([]Entry, error) {
	rows, err := s.pool.Query(ctx, pgschema.In(s.schema, `SELECT seq, data FROM {s}.events WHERE run = $1 AND seq > $2 ORDER BY seq LIMIT $3`), run, after, limit)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (Entry, error) {
		var e Entry
		var text string
		err := row.Scan(&e.Seq, &text)
		e.Data = json.RawMessage(text)
		return e, err
	})
}

func (s *server) last(ctx context.Context, run string) (seq int64, err error) {
	err = s.pool.QueryRow(ctx, pgschema.In(s.schema, `SELECT coalesce(max(seq), 0) FROM {s}.events WHERE run = $1`), run).Scan(&seq)
	return seq, err
}

func (s *server) remove(ctx context.Context, run string) error {
	_, err := s.pool.Exec(ctx, pgschema.In(s.schema, `DELETE FROM {s}.events WHERE run = $1`), run)
	return err
}

func (s *server) sweep(ctx context.Context, before time.Time) (int, error) {
	tag, err := s.pool.Exec(ctx, pgschema.In(s.schema, `DELETE FROM {s}.events WHERE made < $1`), before)
	return int(tag.RowsAffected()), err
}

// close does nothing: the caller owns the pool.
func (s *server) close() error { return nil }

// channel is the name of the log's notices, whose payload is a run. It has at most 63 bytes for any
// schema.
func (s *server) channel() string {
	sum := sha256.Sum256([]byte(s.schema))
	return "assay_events_" + hex.EncodeToString(sum[:8])
}

// listen receives the server's notices on one connection. When that breaks it opens another;
// meanwhile readers poll.
func (s *server) listen(ctx context.Context, heard func(run string)) {
	for ctx.Err() == nil {
		_ = s.hear(ctx, heard) // readers get an error of the database themselves
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
		}
	}
}

func (s *server) hear(ctx context.Context, heard func(run string)) error {
	borrowed, err := s.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	conn := borrowed.Hijack()                                     // so the pool does not reuse it
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }() // the wait's error says as much
	if _, err := conn.Exec(ctx, "LISTEN "+pgx.Identifier{s.channel()}.Sanitize()); err != nil {
		return err
	}
	for {
		notice, err := conn.WaitForNotification(ctx)
		if err != nil {
			return err
		}
		heard(notice.Payload)
	}
}
