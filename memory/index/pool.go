package index

import (
	"context"
	"slices"
	"strings"

	"example.com/assay/memory/citation"
	"example.com/assay/memory/lsa"
	"example.com/assay/state"
)

// A pool is the source that holds what a server found for one search. What it does not
// hold, the lexicon counts.
type pool struct {
	lexicon *lexicon
	table   *table
	found   []foundPassage // by ordinal
	read    []analysed
}

// A foundPassage is a passage that a server found, with what its text alone does not say.
type foundPassage struct {
	state.Passage
	citation.Labels
	titled bool // a text can mention its title
}

// newPool makes the source of what a server found, sorted by id. Its table numbers the
// documents as the lexicon does, and those that are not in it behind them.
func newPool(l *lexicon, found []foundPassage, stems stemmer) (*pool, error) {
	p := &pool{lexicon: l, found: found, read: make([]analysed, len(found))}
	for i, f := range found {
		var err error
		if p.read[i], err = analyseOne(f.Passage, f.Labels, stems); err != nil {
			return nil, err
		}
	}
	p.table = tableOf(p.read)
	p.table.renumber(l.docs, l.nameTerms, l.nameOf)
	p.table.findTitles(func(ord int32, _ int) bool { return found[ord].titled })
	return p, nil
}

// bag is a passage's bag of terms.
func (p *pool) bag(ord int) []lsa.Term { return p.read[ord].bag }

func (p *pool) close() error { return nil }

func (p *pool) holds(term string) bool { return p.lexicon.frequency(bodyField, term) > 0 }

func (p *pool) frequency(ctx context.Context, field, term string) (uint64, error) {
	n := p.lexicon.frequency(field, term)
	if field == bigramField && n == 0 {
		list, err := p.postings(ctx, field, term, nil)
		return uint64(len(list)), err
	}
	return uint64(n), ctx.Err()
}

func (p *pool) postings(ctx context.Context, field, term string, out []posting) ([]posting, error) {
	if err := ctx.Err(); err != nil {
		return out, err
	}
	key := pairKeyOf(term)
	for ord := range p.read {
		if n := p.read[ord].times(field, term, key); n > 0 {
			out = append(out, posting{ord: int32(ord), tf: int32(n)})
		}
	}
	return out, nil
}

// terms lists those of metadata, the only field of which the lexicon has them.
func (p *pool) terms(_, prefix string, fn func(term string) (string, bool)) error {
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

func (p *pool) similar(_, word string, errors int, out []string) ([]string, error) {
	return similarOf(p.lexicon.terms, word, errors, out)
}

func (p *pool) passage(ord int32) (state.Passage, error) { return p.found[ord].Passage, nil }
