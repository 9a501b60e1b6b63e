package index

import (
	"context"
	"errors"

	"example.com/assay/state"
)

// A source is where passages and their postings come from: the parts of a
// generation (store), or what a server found for one search (pool).
type source interface {
	// holds reports whether a passage, perhaps a deleted one, holds a term.
	holds(term string) bool
	// frequency returns how many passages of the generation hold a term.
	frequency(ctx context.Context, field, term string) (uint64, error)
	// postings appends the passages at hand that hold a term, in no particular order.
	postings(ctx context.Context, field, term string, out []posting) ([]posting, error)
	// terms calls fn for every term of a field that begins with prefix, sorted. fn may
	// name a term to go on from, "" for the next one, and says whether to go on.
	terms(field, prefix string, fn func(term string) (from string, more bool)) error
	// similar appends the terms that few errors, 1 or 2, make of a word and that begin
	// with its first letter.
	similar(field, word string, errors int, out []string) ([]string, error)
	// passage reads a passage at hand.
	passage(ord int32) (state.Passage, error)
	close() error
}

// A posting says that a passage holds a term tf times.
type posting struct{ ord, tf int32 }

// eachTerm calls fn for the terms of a field that begin with prefix and that a passage
// holds, sorted. fn keeps neither the term nor the list.
func eachTerm(ctx context.Context, s source, field, prefix string, fn func(term string, list []posting)) error {
	var list []posting
	var failed error
	err := s.terms(field, prefix, func(term string) (string, bool) {
		if list, failed = s.postings(ctx, field, term, list[:0]); failed != nil {
			return "", false
		}
		if len(list) > 0 { // terms of deleted passages stay until parts are merged
			fn(term, list)
		}
		return "", true
	})
	return errors.Join(err, failed)
}
