package qa

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"example.com/assay/internal/sqlfile"
)

const (
	// DefaultKeep is how many entries a memory keeps.
	DefaultKeep = 100_000
	// maxEntry bounds question, answer and payload of an entry, in bytes.
	maxEntry = 4 << 20
	// similar is the cosine from which two questions may be one.
	similar = .92
	// hintFrom is the cosine from which an earlier question is a hint.
	hintFrom = .75
)

// Options tune a memory. Nil is the zero value.
type Options struct {
	// Embed returns the unit vector of a text, as memory.Corpus.Embed does. It is
	// given the words that say what a question is about. Nil: only questions that
	// are equal to the letter are found.
	Embed func(string) []float32
	// Keep is how many entries are kept; default DefaultKeep. When there are
	// more, the oldest go, a hundredth of them at a time.
	Keep int
	// Now is the clock. Default: time.Now.
	Now func() time.Time
}

// A Memory is a file of answered questions. It is safe for concurrent use,
// also by several processes. Close it after use.
type Memory struct {
	path string
	opts Options
	rows *sqlfile.File
	db   *sql.DB     // of rows
	file os.FileInfo // what path was when it was opened
}

// Open opens the memory at path ([Path]), which is made if it does not exist,
// with its directory. A file that cannot be read is a *DamagedError.
func Open(ctx context.Context, path string, opts *Options) (*Memory, error) {
	m := &Memory{path: path}
	if opts != nil {
		m.opts = *opts
	}
	if m.opts.Keep <= 0 {
		m.opts.Keep = DefaultKeep
	}
	if m.opts.Now == nil {
		m.opts.Now = time.Now
	}
	if err := m.open(ctx); err != nil {
		return nil, fmt.Errorf("opening the memory of answers %q: %w", path, damaged(path, err))
	}
	return m, nil
}

func (m *Memory) open(ctx context.Context) (err error) {
	if err := os.MkdirAll(filepath.Dir(m.path), 0o700); err != nil {
		return err
	}
	if info, err := os.Stat(m.path); err == nil && info.IsDir() {
		return errors.New("it is a directory")
	}
	if m.rows, err = openRows(ctx, m.path); err != nil {
		return err
	}
	m.db = m.rows.Write
	if m.file, err = os.Stat(m.path); err != nil {
		return errors.Join(err, m.rows.Close())
	}
	return nil
}

// Close ends the use of the file. It waits for what is under way.
func (m *Memory) Close() error {
	if err := m.rows.Close(); err != nil {
		return fmt.Errorf("closing the memory of answers %q: %w", m.path, err)
	}
	return nil
}

// Lookup returns the newest answer to the same question that was given under
// the same conditions, or a hint, or nothing (see the package's comment).
func (m *Memory) Lookup(ctx context.Context, question string, now []Condition) (Match, error) {
	found, err := m.lookup(ctx, question, now)
	if err != nil {
		return Match{}, fmt.Errorf("looking up an answer: %w", damaged(m.path, err))
	}
	return found, nil
}

func (m *Memory) lookup(ctx context.Context, question string, now []Condition) (Match, error) {
	text, err := conditionText(now)
	if err != nil {
		return Match{}, err
	}
	scope, err := scopeOf(ctx, m.db, text)
	if err != nil || scope == 0 {
		return Match{}, err
	}
	key := questionKey(question)
	exact, err := entryOf(ctx, m.db, idOf(text, key))
	if err == nil && questionKey(exact.Question) == key {
		return Match{Kind: Exact, Similarity: 1, Entry: exact}, nil
	}
	if err != nil && !errors.Is(err, sql.ErrNoRows) || m.opts.Embed == nil {
		return Match{}, ignore(err, sql.ErrNoRows)
	}
	form, vector := shapeOf(question), m.opts.Embed(subject(question))
	same, err := sameShape(ctx, m.db, scope, form)
	if err != nil {
		return Match{}, err
	}
	for _, c := range same {
		// Rows are found by a hash; the question itself decides.
		if form.same(shapeOf(c.question)) {
			if s := max(dot(vector, m.opts.Embed(subject(c.question))), m.known(form)); s >= similar {
				return m.match(ctx, Near, s, c.id)
			}
		}
	}
	near, err := sharingWords(ctx, m.db, scope, wordsIn(question))
	if err != nil {
		return Match{}, err
	}
	best, id := hintFrom, ""
	for _, c := range near {
		if s := dot(vector, m.opts.Embed(subject(c.question))); s > best || id == "" && s == best {
			best, id = s, c.id
		}
	}
	if id == "" {
		return Match{}, nil
	}
	return m.match(ctx, Hint, best, id)
}

// known is the cosine of two questions of one shape in their canonical words:
// 1, or 0 when the embedder knows none of those.
func (m *Memory) known(form shape) float64 {
	vector := m.opts.Embed(strings.Join(form.words, " "))
	return dot(vector, vector)
}

// match reads the entry of an id. One that another process forgot meanwhile is
// no match.
func (m *Memory) match(ctx context.Context, kind Kind, similarity float64, id string) (Match, error) {
	e, err := entryOf(ctx, m.db, id)
	if err != nil {
		return Match{}, ignore(err, sql.ErrNoRows)
	}
	return Match{Kind: kind, Similarity: similarity, Entry: e}, nil
}

// Store keeps an answer, and returns its id once it is on disk. It replaces
// the one to the same question under the same conditions. ID, Stored and the
// counts of the entry are not read.
func (m *Memory) Store(ctx context.Context, e Entry) (id string, err error) {
	if id, err = m.store(ctx, e); err != nil {
		return "", fmt.Errorf("storing an answer: %w", damaged(m.path, err))
	}
	return id, nil
}

func (m *Memory) store(ctx context.Context, e Entry) (string, error) {
	if n := len(e.Question) + len(e.Answer) + len(e.Payload); n > maxEntry {
		return "", fmt.Errorf("question, answer and payload are %d bytes long, the limit is %d", n, maxEntry)
	}
	text, err := conditionText(e.Conditions)
	if err != nil {
		return "", err
	}
	if here, err := os.Stat(m.path); err != nil || !os.SameFile(here, m.file) {
		return "", fmt.Errorf("%q was removed or replaced while it was in use; start again", m.path)
	}
	e.ID, e.Stored = idOf(text, questionKey(e.Question)), m.opts.Now()
	return e.ID, m.change(ctx, func(tx *sql.Tx) error {
		if err := insert(ctx, tx, text, e); err != nil {
			return err
		}
		return m.bound(ctx, tx)
	})
}

// bound drops the oldest entries when there are more than are kept. Numbers
// grow by one with each entry, so that counting is rarely needed.
func (m *Memory) bound(ctx context.Context, tx *sql.Tx) error {
	var low, high, n int
	if err := tx.QueryRowContext(ctx, "SELECT (SELECT min(seq) FROM entries), (SELECT max(seq) FROM entries)").Scan(&low, &high); err != nil {
		return err
	}
	if high-low < m.opts.Keep {
		return nil
	}
	if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM entries").Scan(&n); err != nil || n <= m.opts.Keep {
		return err
	}
	old, err := heads(ctx, tx, "ORDER BY seq LIMIT ?", n-m.opts.Keep+m.opts.Keep/100)
	if err != nil {
		return err
	}
	for _, e := range old {
		if err := remove(ctx, tx, e.ID); err != nil {
			return err
		}
	}
	return nil
}

// MarkServed counts that the answer of an id was given again.
func (m *Memory) MarkServed(ctx context.Context, id string) error {
	_, err := m.db.ExecContext(ctx, "UPDATE entries SET served = served + 1, last = ? WHERE id = ?", m.opts.Now().UnixMicro(), id)
	if err != nil {
		return fmt.Errorf("counting an answer: %w", damaged(m.path, err))
	}
	return nil
}

// change makes a change in one transaction.
func (m *Memory) change(ctx context.Context, make func(*sql.Tx) error) error {
	tx, err := m.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := make(tx); err != nil {
		return errors.Join(err, ignore(tx.Rollback(), sql.ErrTxDone))
	}
	return tx.Commit()
}

// ignore returns nil for the error that is expected.
func ignore(err, expected error) error {
	if errors.Is(err, expected) {
		return nil
	}
	return err
}

// dot is the cosine of two unit vectors, 0 when one is missing or of another space.
func dot(a, b []float32) float64 {
	if len(a) == 0 || len(a) != len(b) {
		return 0
	}
	var sum float64
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}
