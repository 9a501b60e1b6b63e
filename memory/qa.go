package memory

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"example.com/assay/memory/internal/flock"
)

const (
	// qaKept is how many entries a QA memory keeps; the oldest go first.
	qaKept = 2000
	// qaLine bounds one entry in bytes, as it is written.
	qaLine = 4 << 20
	// qaSimilar is the cosine from which two questions may be one.
	qaSimilar = .92
)

// A QAEntry is an answer that was given.
type QAEntry struct {
	Question    string          `json:"question"`
	Answer      string          `json:"answer"`
	Payload     json.RawMessage `json:"payload,omitempty"` // citations, steps, whatever the pipeline needs to give the answer again
	Corpus      string          `json:"corpus"`
	Fingerprint string          `json:"fingerprint"` // of the corpus it was answered from
	Pipeline    string          `json:"pipeline"`    // name and version of what answered
	Confidence  float64         `json:"confidence"`
}

// QA is a file of answered questions: JSON Lines, appended to, the newest
// last. It is safe for concurrent use, also by several processes. A line that
// a crash cut short is ignored, and removed by the next Store.
type QA struct {
	path  string
	embed func(string) []float32

	mu      sync.Mutex
	size    int64       // bytes of the file that entries holds
	info    os.FileInfo // of that file; another one means it was rewritten
	entries []qaItem
}

// A qaItem is an entry and what is compared of its question.
type qaItem struct {
	QAEntry
	key    string
	shape  shape
	vector []float32 // nil until it is first needed
}

// OpenQA opens the QA memory at path, which need not exist yet; its directory
// is made by the first Store. The memory of a corpus is HOME/qa/NAME.jsonl
// ([QAPath]). embed returns the unit vector of a text, as [Corpus.Embed] does;
// it is given the words that say what a question is about. Nil leaves only
// questions that are equal to the letter.
func OpenQA(path string, embed func(string) []float32) (*QA, error) {
	q := &QA{path: path, embed: embed}
	if err := q.refresh(); err != nil {
		return nil, fmt.Errorf("opening QA memory: %w", err)
	}
	return q, nil
}

// QAPath returns where the QA memory of a corpus is kept.
func QAPath(home, corpus string) string { return filepath.Join(home, "qa", corpus+".jsonl") }

// Lookup returns the newest answer to the same question that was given by the
// same pipeline from the same corpus. Two questions are the same when they
// are equal but for case, spaces, punctuation at the end and contractions, or
// when their cosine is at least .92 and their meaning-bearing words agree:
// numbers, names, negation, order of the arguments, quantifiers, tense,
// modality, question word and every content word (see qashape.go).
//
// similarity is 1 for an equal question, else the cosine. Without a hit the
// entry is the most similar one, as a hint where to look, and ok is false; it
// is empty when nothing was asked of this corpus before.
func (q *QA) Lookup(question, fingerprint, pipeline string) (entry QAEntry, similarity float64, ok bool, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if err := q.refresh(); err != nil {
		return QAEntry{}, 0, false, fmt.Errorf("looking up an answer: %w", err)
	}
	key, form := questionKey(question), shapeOf(question)
	var vector []float32
	if q.embed != nil {
		vector = q.embed(subject(question))
	}
	best := -1
	for i := len(q.entries) - 1; i >= 0; i-- {
		e := &q.entries[i]
		if e.Fingerprint != fingerprint || e.Pipeline != pipeline {
			continue
		}
		if e.key == key {
			return e.QAEntry, 1, true, nil
		}
		if q.embed != nil && e.vector == nil {
			e.vector = q.embed(subject(e.Question))
		}
		if s := cosine(vector, e.vector); best < 0 || s > similarity {
			best, similarity = i, s
		}
	}
	// The newest entry that passes the guards wins, however similar others are.
	for i := len(q.entries) - 1; i >= 0; i-- {
		e := &q.entries[i]
		if e.Fingerprint == fingerprint && e.Pipeline == pipeline && form.same(e.shape) {
			if s := cosine(vector, e.vector); s >= qaSimilar {
				return e.QAEntry, s, true, nil
			}
		}
	}
	if best < 0 {
		return QAEntry{}, 0, false, nil
	}
	return q.entries[best].QAEntry, similarity, false, nil
}

// Store appends an answer and returns once it is on disk. When the file holds
// twice as many entries as are kept, the older half is dropped.
func (q *QA) Store(entry QAEntry) error {
	if err := q.store(entry); err != nil {
		return fmt.Errorf("storing an answer: %w", err)
	}
	return nil
}

func (q *QA) store(entry QAEntry) (err error) {
	line, err := json.Marshal(entry)
	if err != nil {
		return fmt.Errorf("encoding: %w", err)
	}
	if len(line) > qaLine {
		return fmt.Errorf("the entry is %d bytes long, the limit is %d; shorten its payload", len(line), qaLine)
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if err := os.MkdirAll(filepath.Dir(q.path), 0o755); err != nil {
		return err
	}
	// The lock is on a file of its own: the memory itself is replaced when it
	// is cut.
	lock, err := os.OpenFile(q.path+".lock", os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	if err := flock.Wait(lock); err != nil {
		return err
	}
	if err := q.refresh(); err != nil {
		return err
	}
	if err := q.append(append(line, '\n')); err != nil {
		return err
	}
	if err := q.refresh(); err != nil {
		return err
	}
	if len(q.entries) >= 2*qaKept {
		return q.cut()
	}
	return nil
}

// append writes a line behind the last whole one.
func (q *QA) append(line []byte) (err error) {
	f, err := os.OpenFile(q.path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := f.Truncate(q.size); err != nil { // what a crash left of a line
		return err
	}
	if _, err := f.WriteAt(line, q.size); err != nil {
		return err
	}
	return f.Sync()
}

// cut rewrites the file with the newest entries.
func (q *QA) cut() error {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	for _, e := range q.entries[len(q.entries)-qaKept:] {
		if err := enc.Encode(e.QAEntry); err != nil {
			return err
		}
	}
	tmp := q.path + ".tmp"
	if err := writeSynced(tmp, buf.Bytes()); err != nil {
		return err
	}
	if err := os.Rename(tmp, q.path); err != nil {
		return err
	}
	if err := syncDir(filepath.Dir(q.path)); err != nil {
		return err
	}
	return q.refresh()
}

// refresh reads what was appended since the last time, by this process or
// another.
func (q *QA) refresh() (err error) {
	f, err := os.Open(q.path)
	if errors.Is(err, os.ErrNotExist) {
		q.size, q.info, q.entries = 0, nil, nil
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close() // only read from
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if q.info == nil || !os.SameFile(info, q.info) || info.Size() < q.size {
		q.size, q.entries = 0, nil
	}
	q.info = info
	data, err := io.ReadAll(io.NewSectionReader(f, q.size, info.Size()-q.size))
	if err != nil {
		return err
	}
	whole := bytes.LastIndexByte(data, '\n') + 1
	for line := range bytes.Lines(data[:whole]) {
		var e QAEntry
		// A line that is not an entry is of a disk fault or a foreign hand; it
		// costs itself, not the memory.
		if json.Unmarshal(line, &e) == nil && e.Question != "" {
			q.entries = append(q.entries, qaItem{QAEntry: e, key: questionKey(e.Question), shape: shapeOf(e.Question)})
		}
	}
	q.size += int64(whole)
	return nil
}

// cosine of two unit vectors; 0 when one is missing or of another space.
func cosine(a, b []float32) float64 {
	if len(a) == 0 || len(a) != len(b) {
		return 0
	}
	var sum float64
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}
