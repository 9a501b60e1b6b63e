package eventlog

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"example.com/assay/internal/sqlfile"
)

// FileSchema describes the log's file to programs that check files. Each change adds a step.
var FileSchema = sqlfile.Schema{Application: 0x61736576, Steps: []string{`
	CREATE TABLE events (
		run  TEXT NOT NULL,
		seq  INTEGER NOT NULL,
		made INTEGER NOT NULL, -- microseconds since 1970
		data TEXT NOT NULL,
		PRIMARY KEY (run, seq)) WITHOUT ROWID;
	CREATE INDEX events_by_time ON events (made);`,
}}

// OpenFile opens a log in an SQLite file, and creates it if needed. Several processes may use it.
func OpenFile(ctx context.Context, path string) (*Log, error) {
	// A commit does not wait for the disk: only checkpoints need that.
	f, err := sqlfile.Open(ctx, path, FileSchema, &sqlfile.Options{Synchronous: "NORMAL"})
	if err != nil {
		return nil, fmt.Errorf("opening the log of events in %s: %w", path, err)
	}
	rows := &file{File: f}
	if rows.next, err = f.Write.PrepareContext(ctx, "SELECT coalesce(max(seq), 0) + 1 FROM events WHERE run = ?"); err == nil {
		rows.insert, err = f.Write.PrepareContext(ctx, "INSERT INTO events (run, seq, made, data) VALUES (?, ?, ?, ?)")
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("opening the log of events in %s: %w", path, err), rows.close())
	}
	return newLog(rows), nil
}

// file is rows in an SQLite file, with prepared statements.
type file struct {
	*sqlfile.File
	next, insert *sql.Stmt
}

func (f *file) append(ctx context.Context, batches []*batch) error {
	tx, err := f.Write.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // it does nothing after Commit
	now := time.Now().UnixMicro()
	next, insert := tx.StmtContext(ctx, f.next), tx.StmtContext(ctx, f.insert)
	for _, b := range batches {
		if err := next.QueryRowContext(ctx, b.run).Scan(&b.first); err != nil {
			return err
		}
		for i, data := range b.events {
			if _, err := insert.ExecContext(ctx, b.run, b.first+int64(i), now, string(data)); err != nil {
				return err
			}
		}
	}
	return tx.Commit()
}

func (f *file) page(ctx context.Context, run string, after int64, limit int) ([]Entry, error) {
	rows, err := f.Read.QueryContext(ctx, "SELECT seq, data FROM events WHERE run = ? AND seq > ? ORDER BY seq LIMIT ?", run, after, limit)
	if err != nil {
		return nil, err
	}
	var out []Entry
	for rows.Next() {
		var e Entry
		var text string
		if err := rows.Scan(&e.Seq, &text); err != nil {
			return nil, errors.Join(err, rows.Close())
		}
		e.Data = json.RawMessage(text)
		out = append(out, e)
	}
	return out, errors.Join(rows.Err(), rows.Close())
}

func (f *file) last(ctx context.Context, run string) (seq int64, err error) {
	err = f.Read.QueryRowContext(ctx, "SELECT coalesce(max(seq), 0) FROM events WHERE run = ?", run).Scan(&seq)
	return seq, err
}

func (f *file) remove(ctx context.Context, run string) error {
	_, err := f.Write.ExecContext(ctx, "DELETE FROM events WHERE run = ?", run)
	return err
}

func (f *file) sweep(ctx context.Context, before time.Time) (int, error) {
	done, err := f.Write.ExecContext(ctx, "DELETE FROM events WHERE made < ?", before.UnixMicro())
	if err != nil {
		return 0, err
	}
	n, err := done.RowsAffected()
	return int(n), err
}

// listen waits: a file sends no notices, so readers poll.
func (f *file) listen(ctx context.Context, _ func(run string)) { <-ctx.Done() }

func (f *file) close() error {
	var errs []error
	for _, s := range []*sql.Stmt{f.next, f.insert} {
		if s != nil {
			errs = append(errs, s.Close())
		}
	}
	return errors.Join(append(errs, f.Close())...)
}
