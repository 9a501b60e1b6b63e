package page

import (
	"context"
	"time"
)

// Memory is what is remembered: questions with the answers that are given again. For a
// corpus that the tenant may not read, and for an unknown ID, its error is a
// *runs.NotFoundError.
type Memory interface {
	// Corpora describes what is remembered of each corpus that a tenant may read, sorted by
	// name, without entries.
	Corpora(ctx context.Context, tenant string) ([]Shelf, error)
	// List has the newest entries of a corpus, the newest first.
	List(ctx context.Context, tenant, corpus string, limit int) (Shelf, error)
	// Show is one entry.
	Show(ctx context.Context, tenant, corpus, id string) (Remembered, error)
	// Forget removes an entry for good.
	Forget(ctx context.Context, tenant, corpus, id string) error
}

// A Shelf is what is remembered of one corpus.
type Shelf struct {
	Corpus  string
	Total   int
	Stale   int    // how many of them would not be served now
	Served  int    // how often answers were given again
	Fault   string // why none is served now; empty if nothing is known to keep them from that
	Entries []Entry
}

// An Entry is a remembered question.
type Entry struct {
	ID         string
	Question   string
	Confidence float64
	Stored     time.Time
	Served     int
	Stale      bool // it would not be served now, because what it depends on has changed
}

// Remembered is a remembered answer.
type Remembered struct {
	Entry
	Corpus     string
	Answer     string // Markdown
	LastServed time.Time
	WhyNot     []string // why it would not be served now; empty if it would be
	Conditions []Condition
	Sources    []Cited
}

// A Condition is something that an answer depends on.
type Condition struct{ Name, Then, Now string }

// Cited is a passage that an answer cites.
type Cited struct {
	Where      string // title, section, page and line, for a reader
	Source     string // the name of its text in the corpus
	Passage    string // its ID
	Start, End int    // its bytes
	Quotes     []string
}
