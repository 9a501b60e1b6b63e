package qa

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
)

// idDigits is the length of an id.
const idDigits = 16

// List returns the newest entries, without answers and payloads, the newest
// first; a limit of 0 returns all.
func (m *Memory) List(ctx context.Context, limit int) ([]Entry, error) {
	if limit <= 0 {
		limit = -1
	}
	list, err := heads(ctx, m.db, "ORDER BY seq DESC LIMIT ?", limit)
	if err != nil {
		return nil, fmt.Errorf("listing answers: %w", damaged(m.path, err))
	}
	return list, nil
}

// Get returns the entry of an id, or of the beginning of one. The error to
// expect is *UnknownError.
func (m *Memory) Get(ctx context.Context, id string) (Entry, error) {
	e, err := m.get(ctx, m.db, id)
	if err != nil {
		return Entry{}, fmt.Errorf("reading an answer: %w", damaged(m.path, err))
	}
	return e, nil
}

func (m *Memory) get(ctx context.Context, q querier, id string) (Entry, error) {
	if len(id) < idDigits {
		begin, err := beginning(ctx, q, id)
		switch {
		case err != nil:
			return Entry{}, err
		case len(begin) != 1:
			return Entry{}, &UnknownError{ID: id, Begin: begin}
		}
		id = begin[0]
	}
	e, err := entryOf(ctx, q, id)
	if errors.Is(err, sql.ErrNoRows) {
		err = &UnknownError{ID: id}
	}
	return e, err
}

// beginning lists up to four ids that begin with some hexadecimal digits.
func beginning(ctx context.Context, q querier, digits string) ([]string, error) {
	if digits == "" || strings.Trim(digits, "0123456789abcdef") != "" {
		return nil, nil
	}
	rows, err := q.QueryContext(ctx, "SELECT id FROM entries WHERE id >= ? AND id < ? ORDER BY id LIMIT 4", digits, digits+"g")
	if err != nil {
		return nil, err
	}
	var out []string
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return nil, errors.Join(err, rows.Close())
		}
		out = append(out, id)
	}
	return out, errors.Join(rows.Err(), rows.Close())
}

// Forget removes the entries of some ids, or of beginnings of ids, for good
// and all or none, and returns them without answers. The error to expect is
// *UnknownError.
func (m *Memory) Forget(ctx context.Context, ids ...string) ([]Entry, error) {
	removed := []Entry{}
	err := m.change(ctx, func(tx *sql.Tx) error {
		var full []string
		for _, id := range ids {
			e, err := m.get(ctx, tx, id)
			if err != nil {
				return err
			}
			full = append(full, e.ID)
			e.Answer, e.Payload = "", nil
			removed = append(removed, e)
		}
		for _, id := range full {
			if err := remove(ctx, tx, id); err != nil {
				return err
			}
		}
		return nil
	})
	return m.forgotten(ctx, removed, err)
}

// ForgetStale removes the entries that are not of the conditions of now, and
// returns them without answers.
func (m *Memory) ForgetStale(ctx context.Context, now []Condition) ([]Entry, error) {
	text, err := conditionText(now)
	if err != nil {
		return nil, fmt.Errorf("forgetting answers: %w", err)
	}
	return m.forgetOther(ctx, text)
}

// ForgetAll removes every entry, and returns them without answers.
func (m *Memory) ForgetAll(ctx context.Context) ([]Entry, error) { return m.forgetOther(ctx, "") }

// forgetOther removes what is of other conditions than these.
func (m *Memory) forgetOther(ctx context.Context, keep string) ([]Entry, error) {
	var removed []Entry
	err := m.change(ctx, func(tx *sql.Tx) (err error) {
		scope, err := scopeOf(ctx, tx, keep)
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
	return m.forgotten(ctx, removed, err)
}

// forgotten gives the space of what was removed back, in the file and in its
// log.
func (m *Memory) forgotten(ctx context.Context, removed []Entry, err error) ([]Entry, error) {
	if err == nil && len(removed) > 0 {
		_, err = m.db.ExecContext(ctx, "PRAGMA incremental_vacuum; PRAGMA wal_checkpoint(TRUNCATE)")
	}
	if err != nil {
		return nil, fmt.Errorf("forgetting answers: %w", damaged(m.path, err))
	}
	return removed, nil
}

// Stats count what a memory holds.
type Stats struct {
	Entries int       `json:"entries"`
	Stale   int       `json:"stale"`  // of other conditions than those of now
	Served  int       `json:"served"` // how often answers were given again
	Bytes   int64     `json:"bytes"`  // of the file and its log
	Oldest  time.Time `json:"oldest,omitzero"`
	Newest  time.Time `json:"newest,omitzero"`
}

// Stats counts what the memory holds.
func (m *Memory) Stats(ctx context.Context, now []Condition) (Stats, error) {
	s, err := m.stats(ctx, now)
	if err != nil {
		return Stats{}, fmt.Errorf("counting answers: %w", damaged(m.path, err))
	}
	return s, nil
}

func (m *Memory) stats(ctx context.Context, now []Condition) (s Stats, err error) {
	text, err := conditionText(now)
	if err != nil {
		return s, err
	}
	var oldest, newest sql.NullInt64
	if err := m.db.QueryRowContext(ctx, `SELECT count(*), coalesce(sum(conditions <> ?), 0), coalesce(sum(served), 0), min(stored), max(stored)
		FROM entries JOIN scopes ON scopes.id = scope`, text).Scan(&s.Entries, &s.Stale, &s.Served, &oldest, &newest); err != nil {
		return s, err
	}
	if oldest.Valid {
		s.Oldest, s.Newest = time.UnixMicro(oldest.Int64).UTC(), time.UnixMicro(newest.Int64).UTC()
	}
	for _, name := range []string{m.path, m.path + "-wal"} {
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

// Check reads the whole file and reports what is damaged.
func (m *Memory) Check(ctx context.Context) error {
	var found string
	err := m.db.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&found)
	if err == nil && found != "ok" {
		err = &DamagedError{Path: m.path, Err: errors.New(found)}
	}
	if err != nil {
		return fmt.Errorf("checking the memory of answers: %w", damaged(m.path, err))
	}
	return nil
}
