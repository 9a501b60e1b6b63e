package qa

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"time"

	"example.com/assay/internal/sqlfile"
)

// fileRows are Rows in a file.
type fileRows struct {
	path string
	file *sqlfile.File
	db   *sql.DB     // of file
	info os.FileInfo // of path when it was opened
}

func (f *fileRows) Close() error { return f.file.Close() }

// A querier is a database or a transaction of one.
type querier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// collect returns all rows of a query.
func collect[T any](ctx context.Context, q querier, read func(scan func(...any) error) (T, error), query string, args ...any) ([]T, error) {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	out := []T{}
	for rows.Next() {
		row, err := read(rows.Scan)
		if err != nil {
			return nil, errors.Join(err, rows.Close())
		}
		out = append(out, row)
	}
	return out, errors.Join(rows.Err(), rows.Close())
}

// scopeOf returns the number of conditions, 0 for those under which nothing
// was stored.
func scopeOf(ctx context.Context, q querier, conditions string) (int64, error) {
	var id int64
	err := q.QueryRowContext(ctx, "SELECT id FROM scopes WHERE conditions = ?", conditions).Scan(&id)
	return id, ignore(err, sql.ErrNoRows)
}

const headColumns = "entries.id, conditions, question, confidence, stored, served, last"

func scanHead(scan func(...any) error) (r Row, err error) {
	err = scan(&r.ID, &r.Conditions, &r.Question, &r.Confidence, &r.Stored, &r.Served, &r.Last)
	return r, err
}

func (f *fileRows) Read(ctx context.Context, id string) (Row, bool, error) {
	var r Row
	err := f.db.QueryRowContext(ctx, "SELECT "+headColumns+", answer, payload FROM entries JOIN scopes ON scopes.id = scope JOIN answers USING (seq) WHERE entries.id = ?", id).
		Scan(&r.ID, &r.Conditions, &r.Question, &r.Confidence, &r.Stored, &r.Served, &r.Last, &r.Answer, &r.Payload)
	return r, err == nil, ignore(err, sql.ErrNoRows)
}

func (f *fileRows) List(ctx context.Context, begin string, limit int) ([]Row, error) {
	if limit == 0 {
		limit = -1
	}
	// All digits are less than g. The sign keeps SQLite from sorting all rows of the range.
	return heads(ctx, f.db, "WHERE +entries.id >= ? AND +entries.id < ? ORDER BY seq DESC LIMIT ?", begin, begin+"g", limit)
}

// heads returns rows without their answers; rest is the statement after the tables.
func heads(ctx context.Context, q querier, rest string, args ...any) ([]Row, error) {
	return collect(ctx, q, scanHead, "SELECT "+headColumns+" FROM entries JOIN scopes ON scopes.id = scope "+rest, args...)
}

func scanCandidate(scan func(...any) error) (c Candidate, err error) {
	err = scan(&c.Number, &c.ID, &c.Question)
	return c, err
}

func (f *fileRows) Shaped(ctx context.Context, conditions string, shape int64, limit int) ([]Candidate, error) {
	scope, err := scopeOf(ctx, f.db, conditions)
	if err != nil || scope == 0 {
		return nil, err
	}
	return collect(ctx, f.db, scanCandidate, "SELECT seq, id, question FROM entries WHERE scope = ? AND shape = ? ORDER BY seq DESC LIMIT ?", scope, shape, limit)
}

func (f *fileRows) Sharing(ctx context.Context, conditions string, words []int64, limit int) ([][]int64, error) {
	out := make([][]int64, len(words))
	scope, err := scopeOf(ctx, f.db, conditions)
	if err != nil || scope == 0 {
		return out, err
	}
	number := func(scan func(...any) error) (n int64, err error) {
		err = scan(&n)
		return n, err
	}
	for i, word := range words {
		if out[i], err = collect(ctx, f.db, number, "SELECT seq FROM words WHERE scope = ? AND word = ? ORDER BY seq DESC LIMIT ?", scope, word, limit); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (f *fileRows) Questions(ctx context.Context, numbers []int64) ([]Candidate, error) {
	var out []Candidate
	for _, n := range numbers {
		found, err := collect(ctx, f.db, scanCandidate, "SELECT seq, id, question FROM entries WHERE seq = ?", n)
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
	}
	return out, nil
}

func (f *fileRows) Write(ctx context.Context, row Row, keep int) error {
	if here, err := os.Stat(f.path); err != nil || !os.SameFile(here, f.info) {
		return fmt.Errorf("%q was removed or replaced while it was in use; start again", f.path)
	}
	return f.change(ctx, func(tx *sql.Tx) error {
		if err := insert(ctx, tx, row); err != nil {
			return err
		}
		return bound(ctx, tx, keep)
	})
}

// change makes a change in one transaction.
func (f *fileRows) change(ctx context.Context, make func(*sql.Tx) error) error {
	tx, err := f.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := make(tx); err != nil {
		return errors.Join(err, ignore(tx.Rollback(), sql.ErrTxDone))
	}
	return tx.Commit()
}

// insert puts a row in the place of the one with its id.
func insert(ctx context.Context, tx *sql.Tx, row Row) error {
	if err := remove(ctx, tx, row.ID); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "INSERT INTO scopes (conditions) VALUES (?) ON CONFLICT DO NOTHING", row.Conditions); err != nil {
		return err
	}
	scope, err := scopeOf(ctx, tx, row.Conditions)
	if err != nil {
		return err
	}
	result, err := tx.ExecContext(ctx, "INSERT INTO entries (id, scope, shape, question, confidence, stored) VALUES (?, ?, ?, ?, ?, ?)",
		row.ID, scope, row.Shape, row.Question, row.Confidence, row.Stored)
	if err != nil {
		return err
	}
	seq, err := result.LastInsertId()
	if err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "INSERT INTO answers VALUES (?, ?, ?)", seq, row.Answer, row.Payload); err != nil {
		return err
	}
	for _, word := range row.Words {
		if _, err := tx.ExecContext(ctx, "INSERT INTO words VALUES (?, ?, ?)", scope, word, seq); err != nil {
			return err
		}
	}
	return nil
}

// remove deletes a row; a missing one is not an error.
func remove(ctx context.Context, tx *sql.Tx, id string) error {
	var seq, scope int64
	var question string
	err := tx.QueryRowContext(ctx, "SELECT seq, scope, question FROM entries WHERE id = ?", id).Scan(&seq, &scope, &question)
	if err != nil {
		return ignore(err, sql.ErrNoRows)
	}
	for _, word := range wordsIn(question) {
		if _, err := tx.ExecContext(ctx, "DELETE FROM words WHERE scope = ? AND word = ? AND seq = ?", scope, word, seq); err != nil {
			return err
		}
	}
	if _, err := tx.ExecContext(ctx, "DELETE FROM answers WHERE seq = ?", seq); err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, "DELETE FROM entries WHERE seq = ?", seq)
	return err
}

// bound deletes the oldest rows beyond the limit. seq grows by one with each row, so counting is
// rarely needed.
func bound(ctx context.Context, tx *sql.Tx, keep int) error {
	var low, high, n int
	if err := tx.QueryRowContext(ctx, "SELECT (SELECT min(seq) FROM entries), (SELECT max(seq) FROM entries)").Scan(&low, &high); err != nil {
		return err
	}
	if high-low < keep {
		return nil
	}
	if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM entries").Scan(&n); err != nil || n <= keep {
		return err
	}
	old, err := heads(ctx, tx, "ORDER BY seq LIMIT ?", n-keep+keep/100)
	if err != nil {
		return err
	}
	for _, r := range old {
		if err := remove(ctx, tx, r.ID); err != nil {
			return err
		}
	}
	return nil
}

func (f *fileRows) Serve(ctx context.Context, id string, now int64) error {
	_, err := f.db.ExecContext(ctx, "UPDATE entries SET served = served + 1, last = ? WHERE id = ?", now, id)
	return err
}

func (f *fileRows) Delete(ctx context.Context, ids []string) error {
	err := f.change(ctx, func(tx *sql.Tx) error {
		for _, id := range ids {
			if err := remove(ctx, tx, id); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil || len(ids) == 0 {
		return err
	}
	return f.shrink(ctx)
}

func (f *fileRows) DeleteOthers(ctx context.Context, conditions string) ([]Row, error) {
	var removed []Row
	err := f.change(ctx, func(tx *sql.Tx) (err error) {
		scope, err := scopeOf(ctx, tx, conditions)
		if err != nil {
			return err
		}
		if removed, err = heads(ctx, tx, "WHERE scope <> ? ORDER BY seq DESC", scope); err != nil {
			return err
		}
		for _, statement := range []string{
			"DELETE FROM answers WHERE seq IN (SELECT seq FROM entries WHERE scope <> ?)",
			"DELETE FROM words WHERE scope <> ?", "DELETE FROM entries WHERE scope <> ?", "DELETE FROM scopes WHERE id <> ?",
		} {
			if _, err := tx.ExecContext(ctx, statement, scope); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil || len(removed) == 0 {
		return removed, err
	}
	return removed, f.shrink(ctx)
}

// shrink releases the space of deleted rows in the file and in its log.
func (f *fileRows) shrink(ctx context.Context) error {
	_, err := f.db.ExecContext(ctx, "PRAGMA incremental_vacuum; PRAGMA wal_checkpoint(TRUNCATE)")
	return err
}

func (f *fileRows) Count(ctx context.Context, conditions string) (s Stats, err error) {
	var oldest, newest sql.NullInt64
	if err := f.db.QueryRowContext(ctx, `SELECT count(*), coalesce(sum(conditions <> ?), 0), coalesce(sum(served), 0), min(stored), max(stored)
		FROM entries JOIN scopes ON scopes.id = scope`, conditions).Scan(&s.Entries, &s.Stale, &s.Served, &oldest, &newest); err != nil {
		return s, err
	}
	if oldest.Valid {
		s.Oldest, s.Newest = time.UnixMicro(oldest.Int64).UTC(), time.UnixMicro(newest.Int64).UTC()
	}
	for _, name := range []string{f.path, f.path + "-wal"} {
		info, err := os.Stat(name)
		if err != nil {
			if os.IsNotExist(err) {
				continue
			}
			return s, err
		}
		s.Bytes += info.Size()
	}
	return s, nil
}

// ignore returns nil for the error that is expected.
func ignore(err, expected error) error {
	if errors.Is(err, expected) {
		return nil
	}
	return err
}
