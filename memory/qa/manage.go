package qa

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// idDigits is the length of an ID.
const idDigits = 16

// List returns the newest entries, without answers and payloads, the newest
// first; a limit of 0 returns all.
func (m *Memory) List(ctx context.Context, limit int) ([]Entry, error) {
	rows, err := m.rows.List(ctx, "", max(limit, 0))
	var list []Entry
	if err == nil {
		list, err = entriesOf(rows)
	}
	if err != nil {
		return nil, fmt.Errorf("listing answers: %w", damaged(m.path, err))
	}
	return list, nil
}

// Get returns the entry of an id, or of the beginning of one. The error to
// expect is *UnknownError.
func (m *Memory) Get(ctx context.Context, id string) (Entry, error) {
	e, err := m.get(ctx, id)
	if err != nil {
		return Entry{}, fmt.Errorf("reading an answer: %w", damaged(m.path, err))
	}
	return e, nil
}

func (m *Memory) get(ctx context.Context, id string) (Entry, error) {
	if len(id) < idDigits {
		begin, err := m.beginning(ctx, id)
		switch {
		case err != nil:
			return Entry{}, err
		case len(begin) != 1:
			return Entry{}, &UnknownError{ID: id, Begin: begin}
		}
		id = begin[0]
	}
	row, ok, err := m.rows.Read(ctx, id)
	if err != nil {
		return Entry{}, err
	}
	if !ok {
		return Entry{}, &UnknownError{ID: id}
	}
	return row.entry()
}

// beginning lists up to four ids that begin with some hexadecimal digits.
func (m *Memory) beginning(ctx context.Context, digits string) ([]string, error) {
	if digits == "" || strings.Trim(digits, "0123456789abcdef") != "" {
		return nil, nil
	}
	rows, err := m.rows.List(ctx, digits, 4)
	var out []string
	for _, r := range rows {
		out = append(out, r.ID)
	}
	slices.Sort(out)
	return out, err
}

// Forget permanently deletes the entries with some IDs, or prefixes of IDs, all or none, and
// returns them without answers. It returns an *UnknownError if an ID does not exist.
func (m *Memory) Forget(ctx context.Context, ids ...string) ([]Entry, error) {
	removed, err := m.forget(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("forgetting answers: %w", damaged(m.path, err))
	}
	return removed, nil
}

func (m *Memory) forget(ctx context.Context, ids []string) ([]Entry, error) {
	removed, full := []Entry{}, []string{}
	for _, id := range ids {
		e, err := m.get(ctx, id)
		if err != nil {
			return nil, err
		}
		e.Answer, e.Payload = "", nil
		removed, full = append(removed, e), append(full, e.ID)
	}
	return removed, m.rows.Delete(ctx, full)
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

// forgetOther deletes the entries with other conditions.
func (m *Memory) forgetOther(ctx context.Context, keep string) ([]Entry, error) {
	rows, err := m.rows.DeleteOthers(ctx, keep)
	var removed []Entry
	if err == nil {
		removed, err = entriesOf(rows)
	}
	if err != nil {
		return nil, fmt.Errorf("forgetting answers: %w", damaged(m.path, err))
	}
	return removed, nil
}

// Stats describe the content of a memory.
type Stats struct {
	Entries int       `json:"entries"`
	Stale   int       `json:"stale"`  // under other conditions than the present ones
	Served  int       `json:"served"` // how often answers were given again
	Bytes   int64     `json:"bytes"`  // of the file and its log, or of the rows in a database
	Oldest  time.Time `json:"oldest,omitzero"`
	Newest  time.Time `json:"newest,omitzero"`
}

// Stats counts the content of the memory.
func (m *Memory) Stats(ctx context.Context, now []Condition) (Stats, error) {
	text, err := conditionText(now)
	var s Stats
	if err == nil {
		s, err = m.rows.Count(ctx, text)
	}
	if err != nil {
		return Stats{}, fmt.Errorf("counting answers: %w", damaged(m.path, err))
	}
	return s, nil
}
