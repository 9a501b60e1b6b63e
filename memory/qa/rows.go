package qa

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// Rows store the answers of one corpus, each with a number that grows with every Write. They use no
// clock and validate nothing: [New] does both. Only implementations of a store need this interface.
type Rows interface {
	// Read returns the row of an id, and whether there is one. Shape and Words are not
	// needed.
	Read(ctx context.Context, id string) (Row, bool, error)
	// List returns the rows whose IDs begin with some digits, the newest first, at most limit of
	// them; 0 means no limit. Answer, Payload, Shape and Words are not needed.
	List(ctx context.Context, begin string, limit int) ([]Row, error)
	// Shaped returns the newest questions of some conditions with a shape, the newest
	// first.
	Shaped(ctx context.Context, conditions string, shape int64, limit int) ([]Candidate, error)
	// Sharing returns, for each word, the numbers of the newest rows of some conditions
	// that have it, the newest first, at most limit for a word.
	Sharing(ctx context.Context, conditions string, words []int64, limit int) ([][]int64, error)
	// Questions returns the questions of rows by their numbers, in any order, without those
	// that are gone.
	Questions(ctx context.Context, numbers []int64) ([]Candidate, error)
	// Write replaces the row with its ID, as the newest; Served and Last are 0. If there are then
	// more than keep, the oldest are deleted, with a hundredth of keep in addition. All of it is
	// one transaction.
	Write(ctx context.Context, row Row, keep int) error
	// Serve counts that a row was served; now is its Last.
	Serve(ctx context.Context, id string, now int64) error
	// Delete permanently deletes the rows with some IDs, in one transaction; missing ones are not
	// an error.
	Delete(ctx context.Context, ids []string) error
	// DeleteOthers deletes the rows that are not of some conditions for good, in one
	// transaction, and returns them as List does.
	DeleteOthers(ctx context.Context, conditions string) ([]Row, error)
	// Count counts the rows; stale are those that are not of some conditions.
	Count(ctx context.Context, conditions string) (Stats, error)
	// Close closes the rows. It waits for running calls.
	Close() error
}

// A Row is a stored entry. Times are microseconds since 1970. Question and Answer may contain any
// bytes; Conditions is JSON without zero bytes.
type Row struct {
	ID         string
	Conditions string
	Shape      int64   // equal for questions of one shape
	Words      []int64 // hashes of the question's words, each once
	Question   string
	Answer     string
	Payload    []byte // nil for none
	Confidence float64
	Stored     int64
	Served     int
	Last       int64 // when it was served last; 0 for never
}

// A Candidate is a question that may be the one.
type Candidate struct {
	Number   int64 // of its row
	ID       string
	Question string
}

// rowOf returns the row of an entry whose ID and Stored are set.
func rowOf(conditions string, e Entry) Row {
	return Row{
		ID: e.ID, Conditions: conditions, Shape: shapeOf(e.Question).hash(), Words: wordsIn(e.Question),
		Question: e.Question, Answer: e.Answer, Payload: e.Payload, Confidence: e.Confidence, Stored: e.Stored.UnixMicro(),
	}
}

// entry returns the entry of a row.
func (r Row) entry() (Entry, error) {
	e := Entry{
		ID: r.ID, Question: r.Question, Answer: r.Answer, Payload: r.Payload, Confidence: r.Confidence,
		Stored: time.UnixMicro(r.Stored).UTC(), Served: r.Served,
	}
	if r.Last != 0 {
		e.LastServed = time.UnixMicro(r.Last).UTC()
	}
	if err := json.Unmarshal([]byte(r.Conditions), &e.Conditions); err != nil {
		return Entry{}, fmt.Errorf("reading the conditions of %s: %w", r.ID, err)
	}
	return e, nil
}

func entriesOf(rows []Row) ([]Entry, error) {
	out := make([]Entry, len(rows))
	for i, r := range rows {
		var err error
		if out[i], err = r.entry(); err != nil {
			return nil, err
		}
	}
	return out, nil
}
