package served

import (
	"context"
	"slices"
	"strings"

	"example.com/assay/memory/citation"
	"example.com/assay/memory/index/internal/analysis"
	"example.com/assay/memory/index/internal/storage"
	"example.com/assay/memory/lsa"
	"example.com/assay/state"
)

// A Pool is the source that holds what a server found for one search. What it does not
// hold, the lexicon counts.
type Pool struct {
	lexicon *Lexicon
	Table   *storage.Table
	found   []FoundPassage // by ordinal
	read    []storage.Analysed
}

// A FoundPassage is a passage that a server found, with what its text alone does not say.
type FoundPassage struct {
	state.Passage
	citation.Labels
	Titled bool // a text can mention its title
}

// NewPool makes the source of what a server found, sorted by id. Its table numbers the
// documents as the lexicon does, and those that are not in it behind them.
func NewPool(l *Lexicon, found []FoundPassage, stems *analysis.Stemmer) (*Pool, error) {
	p := &Pool{lexicon: l, found: found, read: make([]storage.Analysed, len(found))}
	for i, f := range found {
		var err error
		if p.read[i], err = storage.Analyse(f.Passage, f.Labels, stems); err != nil {
			return nil, err
		}
	}
	p.Table = storage.TableOf(p.read)
	p.Table.Renumber(l.Docs, l.nameTerms, l.nameOf)
	p.Table.FindTitles(func(ord int32, _ int) bool { return found[ord].Titled })
	return p, nil
}

// Bag is a passage's bag of terms.
func (p *Pool) Bag(ord int) []lsa.Term { return p.read[ord].Bag }

// Close does nothing: a pool has no files.
func (p *Pool) Close() error { return nil }

// Holds reports whether a passage of the server has a term in its body.
func (p *Pool) Holds(term string) bool { return p.lexicon.frequency(storage.BodyField, term) > 0 }

// Frequency returns the number of passages with a term in a field: on the server, of pairs of words in the pool.
func (p *Pool) Frequency(ctx context.Context, field, term string) (uint64, error) {
	n := p.lexicon.frequency(field, term)
	if field == storage.BigramField && n == 0 {
		list, err := p.Postings(ctx, field, term, nil)
		return uint64(len(list)), err
	}
	return uint64(n), ctx.Err()
}

// Postings appends the passages of the pool with a term in a field.
func (p *Pool) Postings(ctx context.Context, field, term string, out []storage.Posting) ([]storage.Posting, error) {
	if err := ctx.Err(); err != nil {
		return out, err
	}
	key := storage.PairKey(term)
	for ord := range p.read {
		if n := p.read[ord].Times(field, term, key); n > 0 {
			out = append(out, storage.Posting{Ord: int32(ord), TF: int32(n)})
		}
	}
	return out, nil
}

// Terms lists those of metadata, the only field of which the lexicon has them.
func (p *Pool) Terms(_, prefix string, fn func(term string) (string, bool)) error {
	l := p.lexicon.meta
	for at, _ := slices.BinarySearch(l, prefix); at < len(l) && strings.HasPrefix(l[at], prefix); {
		from, more := fn(l[at])
		if !more {
			return nil
		}
		if at++; from != "" {
			at, _ = slices.BinarySearch(l, from)
		}
	}
	return nil
}

// Similar appends terms of the lexicon within a number of errors of a word.
func (p *Pool) Similar(_, word string, errors int, out []string) ([]string, error) {
	return storage.Similar(p.lexicon.terms, word, errors, out)
}

// Passage returns a passage of the pool.
func (p *Pool) Passage(ord int32) (state.Passage, error) { return p.found[ord].Passage, nil }
