package qa

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

const (
	// DefaultKeep is the default of Options.Keep.
	DefaultKeep = 100_000
	// maxEntry bounds question, answer and payload of an entry, in bytes.
	maxEntry = 4 << 20
	// similar is the cosine from which two questions may be one.
	similar = .92
	// hintFrom is the cosine from which an earlier question is a hint.
	hintFrom = .75
	// sameAtMost is the number of questions of one shape that are compared.
	sameAtMost = 16
	// perWord is the number of newest questions with a word that are candidates for a hint,
	// wordsAtMost the number of words looked up, and hintsAtMost the number of candidates compared.
	perWord     = 64
	wordsAtMost = 16
	hintsAtMost = 8
)

// Options tune a memory. Nil is the zero value.
type Options struct {
	// Embed returns the unit vector of a text, as memory.Corpus.Embed does. It is called with the
	// question's content words. Nil: only Exact matches are found.
	Embed func(string) []float32
	// Keep is the greatest number of entries; default DefaultKeep. Beyond it the oldest are
	// deleted, a hundredth of them at a time.
	Keep int
	// Now is the clock. Default: time.Now.
	Now func() time.Time
}

// A Memory stores answered questions. It is safe for concurrent use, also by several processes.
// Close it after use.
type Memory struct {
	rows Rows
	path string // of the file; empty for other rows
	opts Options
}

// New returns the memory in some rows, which it closes. [Open] makes one in a file.
func New(rows Rows, opts *Options) *Memory {
	m := &Memory{rows: rows}
	if opts != nil {
		m.opts = *opts
	}
	if m.opts.Keep <= 0 {
		m.opts.Keep = DefaultKeep
	}
	if m.opts.Now == nil {
		m.opts.Now = time.Now
	}
	return m
}

// Close closes the memory. It waits for running calls.
func (m *Memory) Close() error {
	if err := m.rows.Close(); err != nil {
		return fmt.Errorf("closing the memory of answers: %w", err)
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
	conditions, err := conditionText(now)
	if err != nil {
		return Match{}, err
	}
	key := questionKey(question)
	exact, err := m.match(ctx, Exact, 1, idOf(conditions, key))
	if err != nil || exact.Kind == Exact && questionKey(exact.Entry.Question) == key {
		return exact, err
	}
	if m.opts.Embed == nil {
		return Match{}, nil
	}
	form, vector := shapeOf(question), m.opts.Embed(subject(question))
	same, err := m.rows.Shaped(ctx, conditions, form.hash(), sameAtMost)
	if err != nil {
		return Match{}, err
	}
	for _, c := range same {
		// Rows are found by a hash; the question itself decides.
		if form.same(shapeOf(c.Question)) {
			if s := max(dot(vector, m.opts.Embed(subject(c.Question))), m.known(form)); s >= similar {
				return m.match(ctx, Near, s, c.ID)
			}
		}
	}
	near, err := m.sharingWords(ctx, conditions, wordsIn(question))
	if err != nil {
		return Match{}, err
	}
	best, id := hintFrom, ""
	for _, c := range near {
		if s := dot(vector, m.opts.Embed(subject(c.Question))); s > best || id == "" && s == best {
			best, id = s, c.ID
		}
	}
	if id == "" {
		return Match{}, nil
	}
	return m.match(ctx, Hint, best, id)
}

// known is the cosine of two questions of one shape in their canonical words: 1, or 0 if the
// embedder knows none of those.
func (m *Memory) known(form shape) float64 {
	vector := m.opts.Embed(strings.Join(form.words, " "))
	return dot(vector, vector)
}

// match reads the entry of an ID. A missing one, perhaps deleted by another process meanwhile, does
// not match.
func (m *Memory) match(ctx context.Context, kind Kind, similarity float64, id string) (Match, error) {
	row, ok, err := m.rows.Read(ctx, id)
	if err != nil || !ok {
		return Match{}, err
	}
	e, err := row.entry()
	if err != nil {
		return Match{}, err
	}
	return Match{Kind: kind, Similarity: similarity, Entry: e}, nil
}

// sharingWords lists the questions that share most with some words, each word
// counting the more the fewer questions have it; of equal ones the newest come
// first.
func (m *Memory) sharingWords(ctx context.Context, conditions string, words []int64) ([]Candidate, error) {
	if len(words) == 0 {
		return nil, nil
	}
	lists, err := m.rows.Sharing(ctx, conditions, words, perWord)
	if err != nil {
		return nil, err
	}
	weight := map[int64]float64{}
	for _, list := range lists {
		for _, number := range list {
			weight[number] += 1 / float64(1+len(list))
		}
	}
	order := make([]int64, 0, len(weight))
	for number := range weight {
		order = append(order, number)
	}
	slices.SortFunc(order, func(a, b int64) int {
		switch {
		case weight[a] != weight[b] && weight[a] > weight[b], weight[a] == weight[b] && a > b:
			return -1
		}
		return 1
	})
	order = order[:min(len(order), hintsAtMost)]
	if len(order) == 0 {
		return nil, nil
	}
	out, err := m.rows.Questions(ctx, order)
	slices.SortFunc(out, func(a, b Candidate) int {
		return slices.Index(order, a.Number) - slices.Index(order, b.Number)
	})
	return out, err
}

// Store stores an answer, and returns its ID once it is on disk. It replaces the answer to the same
// question under the same conditions. ID, Stored and the counts of the entry are ignored.
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
	conditions, err := conditionText(e.Conditions)
	if err != nil {
		return "", err
	}
	e.ID, e.Stored = idOf(conditions, questionKey(e.Question)), m.opts.Now()
	return e.ID, m.rows.Write(ctx, rowOf(conditions, e), m.opts.Keep)
}

// MarkServed counts that the answer of an id was given again.
func (m *Memory) MarkServed(ctx context.Context, id string) error {
	if err := m.rows.Serve(ctx, id, m.opts.Now().UnixMicro()); err != nil {
		return fmt.Errorf("counting an answer: %w", damaged(m.path, err))
	}
	return nil
}

// dot is the cosine of two unit vectors, 0 if one is missing or from another space.
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
