package qa

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"
)

const (
	// sameAtMost is how many questions of one shape are compared.
	sameAtMost = 16
	// perWord is how many of the newest questions with a word are candidates of
	// a hint, wordsAtMost how many words are looked up, and hintsAtMost how many
	// candidates are compared.
	perWord     = 64
	wordsAtMost = 16
	hintsAtMost = 8
)

// A candidate is a question that may be the one.
type candidate struct {
	seq          int64
	id, question string
}

// scopeOf returns the number of conditions, 0 for those under which nothing
// was stored.
func scopeOf(ctx context.Context, q querier, conditions string) (int64, error) {
	var id int64
	err := q.QueryRowContext(ctx, "SELECT id FROM scopes WHERE conditions = ?", conditions).Scan(&id)
	return id, ignore(err, sql.ErrNoRows)
}

const headColumns = "entries.seq, entries.id, question, confidence, stored, served, last, conditions"

// scanHead reads headColumns.
func scanHead(scan func(...any) error, more ...any) (e Entry, seq int64, err error) {
	var stored, last int64
	var conditions string
	if err := scan(append([]any{&seq, &e.ID, &e.Question, &e.Confidence, &stored, &e.Served, &last, &conditions}, more...)...); err != nil {
		return Entry{}, 0, err
	}
	e.Stored = time.UnixMicro(stored).UTC()
	if last != 0 {
		e.LastServed = time.UnixMicro(last).UTC()
	}
	if err := json.Unmarshal([]byte(conditions), &e.Conditions); err != nil {
		return Entry{}, 0, fmt.Errorf("reading the conditions of %s: %w", e.ID, err)
	}
	return e, seq, nil
}

// entryOf reads an entry, sql.ErrNoRows when there is none.
func entryOf(ctx context.Context, q querier, id string) (Entry, error) {
	var answer string
	var payload []byte
	row := q.QueryRowContext(ctx, "SELECT "+headColumns+", answer, payload FROM entries JOIN scopes ON scopes.id = scope JOIN answers USING (seq) WHERE entries.id = ?", id)
	e, _, err := scanHead(row.Scan, &answer, &payload)
	e.Answer, e.Payload = answer, payload
	return e, err
}

// heads lists entries without their answers; rest is what follows the tables
// in the statement.
func heads(ctx context.Context, q querier, rest string, args ...any) ([]Entry, error) {
	rows, err := q.QueryContext(ctx, "SELECT "+headColumns+" FROM entries JOIN scopes ON scopes.id = scope "+rest, args...)
	if err != nil {
		return nil, err
	}
	out := []Entry{}
	for rows.Next() {
		e, _, err := scanHead(rows.Scan)
		if err != nil {
			return nil, errors.Join(err, rows.Close())
		}
		out = append(out, e)
	}
	return out, errors.Join(rows.Err(), rows.Close())
}

// sameShape lists the newest questions with the shape of one.
func sameShape(ctx context.Context, q querier, scope int64, form shape) ([]candidate, error) {
	return candidates(ctx, q, "SELECT seq, id, question FROM entries WHERE scope = ? AND shape = ? ORDER BY seq DESC LIMIT ?", scope, form.hash(), sameAtMost)
}

func candidates(ctx context.Context, q querier, query string, args ...any) ([]candidate, error) {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	var out []candidate
	for rows.Next() {
		var c candidate
		if err := rows.Scan(&c.seq, &c.id, &c.question); err != nil {
			return nil, errors.Join(err, rows.Close())
		}
		out = append(out, c)
	}
	return out, errors.Join(rows.Err(), rows.Close())
}

// sharingWords lists the questions that share most with some words, each word
// counting the more the fewer questions have it; of equal ones the newest come
// first.
func sharingWords(ctx context.Context, q querier, scope int64, words []int64) ([]candidate, error) {
	weight := map[int64]float64{}
	for _, word := range words[:min(len(words), wordsAtMost)] {
		list, err := numbers(ctx, q, "SELECT seq FROM words WHERE scope = ? AND word = ? ORDER BY seq DESC LIMIT ?", scope, word, perWord)
		if err != nil {
			return nil, err
		}
		for _, seq := range list {
			weight[seq] += 1 / float64(1+len(list))
		}
	}
	order := make([]int64, 0, len(weight))
	for seq := range weight {
		order = append(order, seq)
	}
	slices.SortFunc(order, func(a, b int64) int {
		switch {
		case weight[a] != weight[b] && weight[a] > weight[b], weight[a] == weight[b] && a > b:
			return -1
		}
		return 1
	})
	var out []candidate
	for _, seq := range order[:min(len(order), hintsAtMost)] {
		found, err := candidates(ctx, q, "SELECT seq, id, question FROM entries WHERE seq = ?", seq)
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
	}
	return out, nil
}

func numbers(ctx context.Context, q querier, query string, args ...any) ([]int64, error) {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	var out []int64
	for rows.Next() {
		var n int64
		if err := rows.Scan(&n); err != nil {
			return nil, errors.Join(err, rows.Close())
		}
		out = append(out, n)
	}
	return out, errors.Join(rows.Err(), rows.Close())
}

// insert puts an entry in the place of the one with its id.
func insert(ctx context.Context, tx *sql.Tx, conditions string, e Entry) error {
	if err := remove(ctx, tx, e.ID); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "INSERT INTO scopes (conditions) VALUES (?) ON CONFLICT DO NOTHING", conditions); err != nil {
		return err
	}
	scope, err := scopeOf(ctx, tx, conditions)
	if err != nil {
		return err
	}
	result, err := tx.ExecContext(ctx, "INSERT INTO entries (id, scope, shape, question, confidence, stored) VALUES (?, ?, ?, ?, ?, ?)",
		e.ID, scope, shapeOf(e.Question).hash(), e.Question, e.Confidence, e.Stored.UnixMicro())
	if err != nil {
		return err
	}
	seq, err := result.LastInsertId()
	if err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "INSERT INTO answers VALUES (?, ?, ?)", seq, e.Answer, []byte(e.Payload)); err != nil {
		return err
	}
	for _, word := range wordsIn(e.Question) {
		if _, err := tx.ExecContext(ctx, "INSERT INTO words VALUES (?, ?, ?)", scope, word, seq); err != nil {
			return err
		}
	}
	return nil
}

// remove deletes an entry; that there is none is no error.
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

// wordsIn returns the hashes of the words that say what a question is about,
// each once, in the question's order.
func wordsIn(question string) []int64 {
	var out []int64
	for _, w := range subjectWords(question) {
		if h := hashOf(canonical(w)); !slices.Contains(out, h) {
			out = append(out, h)
		}
	}
	return out[:min(len(out), wordsAtMost)]
}

// hash is a number by which equal shapes are found.
func (s shape) hash() int64 {
	return hashOf(fmt.Sprintf("%q %q %q %t %q", s.asks, s.lead, s.be, s.past, s.words))
}

func hashOf(text string) int64 {
	sum := sha256.Sum256([]byte(text))
	return int64(binary.BigEndian.Uint64(sum[:]))
}
