package storage

import (
	"context"
	"errors"

	"example.com/assay/state"
)

// A Source is where passages and their postings come from: the parts of a
// generation ([Store]), or what a server found for one search.
type Source interface {
	// Holds reports whether a passage, perhaps a deleted one, holds a term.
	Holds(term string) bool
	// Frequency returns how many passages of the generation hold a term.
	Frequency(ctx context.Context, field, term string) (uint64, error)
	// Postings appends the passages at hand that hold a term, in no particular order.
	Postings(ctx context.Context, field, term string, out []Posting) ([]Posting, error)
	// Terms calls fn for every term of a field that begins with prefix, sorted. fn may
	// name a term to go on from, "" for the next one, and says whether to go on.
	Terms(field, prefix string, fn func(term string) (from string, more bool)) error
	// Similar appends the terms that few errors, 1 or 2, make of a word and that begin
	// with its first letter.
	Similar(field, word string, errors int, out []string) ([]string, error)
	// Passage reads a passage at hand.
	Passage(ord int32) (state.Passage, error)
	// Close releases the files.
	Close() error
}

// A Posting says that a passage holds a term TF times.
type Posting struct{ Ord, TF int32 }

// EachTerm calls fn for the terms of a field that begin with prefix and that a passage
// holds, sorted. fn keeps neither the term nor the list.
func EachTerm(ctx context.Context, s Source, field, prefix string, fn func(term string, list []Posting)) error {
	var list []Posting
	var failed error
	err := s.Terms(field, prefix, func(term string) (string, bool) {
		if list, failed = s.Postings(ctx, field, term, list[:0]); failed != nil {
			return "", false
		}
		if len(list) > 0 { // terms of deleted passages stay until parts are merged
			fn(term, list)
		}
		return "", true
	})
	return errors.Join(err, failed)
}
