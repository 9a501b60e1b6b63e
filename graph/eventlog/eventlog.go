package eventlog

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"example.com/assay/internal/pgschema"
)

// tables of the log. Data is text, so that it comes back byte by byte.
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

// A Log is the events of all runs in one schema.
type Log struct {
	pool   *pgxpool.Pool
	schema string

	mu      sync.Mutex
	readers map[string]map[chan struct{}]bool // by run; each is woken when there is more
	listens bool
	stop    context.CancelFunc
	stopped chan struct{}
}

// Open makes the table if there is none. The schema's default is pgschema.Default. The
// caller closes the log, then the pool.
func Open(ctx context.Context, pool *pgxpool.Pool, schema string) (*Log, error) {
	schema, err := tables.Open(ctx, pool, schema)
	if err != nil {
		return nil, fmt.Errorf("opening the log of events: %w", err)
	}
	return &Log{pool: pool, schema: schema, readers: map[string]map[chan struct{}]bool{}}, nil
}

// Close ends the connection that waits for notices. Readers go on by looking.
func (l *Log) Close() {
	l.mu.Lock()
	stop, stopped := l.stop, l.stopped
	l.mu.Unlock()
	if stop != nil {
		stop()
		<-stopped
	}
}

// An Entry is an event in the log.
type Entry struct {
	Seq  int64 // 1, 2, 3 … within the run
	Data json.RawMessage
}

// maxRead is how many events one query reads.
const maxRead = 500

// Read yields the events of a run behind one, in order, and then waits for more. It
// ends with ctx, whose error is the last element, or with an error of the database.
func (l *Log) Read(ctx context.Context, run string, after int64) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		woken, leave := l.join(run)
		defer leave()
		for {
			list, err := l.Page(ctx, run, after)
			if err != nil {
				yield(Entry{}, err)
				return
			}
			for _, e := range list {
				after = e.Seq
				if !yield(e, nil) {
					return
				}
			}
			if len(list) == maxRead {
				continue
			}
			select {
			case <-woken:
			case <-time.After(time.Second):
			case <-ctx.Done():
				yield(Entry{}, context.Cause(ctx))
				return
			}
		}
	}
}

// Page returns the events of a run behind one that are there already, in order, 500 at
// most.
func (l *Log) Page(ctx context.Context, run string, after int64) ([]Entry, error) {
	rows, err := l.pool.Query(ctx, pgschema.In(l.schema, `SELECT seq, data FROM {s}.events WHERE run = $1 AND seq > $2 ORDER BY seq LIMIT $3`), run, after, maxRead)
	if err != nil {
		return nil, fmt.Errorf("reading the events of run %q: %w", run, err)
	}
	list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (Entry, error) {
		var e Entry
		var text string
		err := row.Scan(&e.Seq, &text)
		e.Data = json.RawMessage(text)
		return e, err
	})
	if err != nil {
		return nil, fmt.Errorf("reading the events of run %q: %w", run, err)
	}
	return list, nil
}

// Last returns the number of the run's last event; 0 for none.
func (l *Log) Last(ctx context.Context, run string) (seq int64, err error) {
	err = l.pool.QueryRow(ctx, pgschema.In(l.schema, `SELECT coalesce(max(seq), 0) FROM {s}.events WHERE run = $1`), run).Scan(&seq)
	if err != nil {
		return 0, fmt.Errorf("reading the events of run %q: %w", run, err)
	}
	return seq, nil
}

// append writes events behind those of the run, and wakes its readers. Two processes
// that write for one run, of which one is cut off from its work, take turns.
func (l *Log) append(ctx context.Context, run string, events []json.RawMessage) error {
	texts := make([]string, len(events))
	for i, data := range events {
		texts[i] = string(data)
	}
	return pgx.BeginFunc(ctx, l.pool, func(tx pgx.Tx) error {
		batch := &pgx.Batch{}
		batch.Queue(`SET LOCAL synchronous_commit = off`)
		batch.Queue(`SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, "assay events "+l.schema+" "+run)
		batch.Queue(pgschema.In(l.schema, `INSERT INTO {s}.events (run, seq, data)
			SELECT $1, coalesce((SELECT max(seq) FROM {s}.events WHERE run = $1), 0) + n, text
			FROM unnest($2::text[]) WITH ORDINALITY AS new (text, n)`), run, texts)
		batch.Queue(`SELECT pg_notify($1, $2)`, l.channel(), run)
		return tx.SendBatch(ctx, batch).Close()
	})
}

// Sweep removes the events that were written before a time, and returns their number.
func (l *Log) Sweep(ctx context.Context, before time.Time) (int, error) {
	tag, err := l.pool.Exec(ctx, pgschema.In(l.schema, `DELETE FROM {s}.events WHERE made < $1`), before)
	if err != nil {
		return 0, fmt.Errorf("removing old events: %w", err)
	}
	return int(tag.RowsAffected()), nil
}
