// Package storage keeps passages, the postings of their terms and the table of what ranking
// knows of each, in files that are written once (parts) and in a [Table]. It writes new parts,
// merges small ones, and checks what it reads of them. bleve's segments are used here alone.
// It does not rank, and knows neither vectors nor the manifest that lists its files.
package storage

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"
	segment "github.com/blevesearch/scorch_segment_api/v2"
	zap "github.com/blevesearch/zapx/v17"

	"example.com/assay/state"
)

// A Store is the source that reads the parts of a generation.
type Store struct {
	table   *Table
	parts   []*openPart
	damaged func(error) error // of what is not as it was written
}

// An openPart is a part whose files are open. What is read of it is checked: the
// postings by their sums, pairs by their blocks, passages by their hashes.
type openPart struct {
	segment segment.Segment
	pairs   *pairs
	sums    []byte
	base    int             // place of its first passage
	dead    *roaring.Bitmap // passages that the generation leaves out; nil for none
}

// Open opens the parts of a directory. sums reads a file of check sums, and damaged
// makes the error of what is not as it was written.
func Open(dir string, t *Table, parts []Part, sums func(name string) ([]byte, error), damaged func(error) error) (_ *Store, err error) {
	s := &Store{table: t, damaged: damaged}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
		}
	}()
	base := 0
	for _, p := range parts {
		o := &openPart{base: base}
		s.parts = append(s.parts, o)
		data, err := sums(p.Name + SumsExt)
		if err != nil {
			return nil, err
		}
		var ok bool
		if o.sums, ok = bytes.CutPrefix(data, []byte(sumsMagic)); !ok || len(o.sums)%sumSize != 0 {
			return nil, errors.New("reading the check sums: not a file of them of this version")
		}
		if o.segment, err = new(zap.ZapPlugin).Open(filepath.Join(dir, p.Name+segmentExt)); err != nil {
			return nil, err
		}
		if o.pairs, err = openPairs(filepath.Join(dir, p.Name+pairsExt)); err != nil {
			return nil, err
		}
		if int(o.segment.Count()) != p.Passages || base+p.Passages > len(t.Drawn) {
			return nil, fmt.Errorf("part %s holds %d passages, want %d", p.Name, o.segment.Count(), p.Passages)
		}
		o.dead = deadOf(p.Passages, func(row int) bool { return t.Drawn[o.base+row] >= 0 })
		base += p.Passages
	}
	if base != len(t.Drawn) {
		return nil, fmt.Errorf("the parts hold %d passages, want %d", base, len(t.Drawn))
	}
	return s, nil
}

// deadOf marks the passages that are left out; nil for none.
func deadOf(passages int, alive func(row int) bool) *roaring.Bitmap {
	var dead *roaring.Bitmap
	for row := range passages {
		if alive(row) {
			continue
		}
		if dead == nil {
			dead = roaring.New()
		}
		dead.Add(uint32(row))
	}
	return dead
}

// Close closes the segments of all parts.
func (s *Store) Close() error {
	var errs []error
	for _, p := range s.parts {
		if p.segment != nil {
			errs = append(errs, p.segment.Close())
		}
		if p.pairs != nil {
			errs = append(errs, p.pairs.close())
		}
	}
	return errors.Join(errs...)
}

// sum returns the check sum of a term's postings, and whether the part has any.
func (p *openPart) sum(key uint64) (uint64, bool) {
	at := func(i int) uint64 { return binary.LittleEndian.Uint64(p.sums[i*sumSize:]) }
	i, found := sort.Find(len(p.sums)/sumSize, func(i int) int { return cmp.Compare(key, at(i)) })
	if !found {
		return 0, false
	}
	return binary.LittleEndian.Uint64(p.sums[i*sumSize+8:]), true
}

// holds reports whether a passage of the part, perhaps a deleted one, holds a term.
func (p *openPart) holds(key uint64) bool {
	_, ok := p.sum(key)
	return ok
}

// Holds reports whether a passage, perhaps a deleted one, holds a term.
func (s *Store) Holds(term string) bool {
	key := termKey(BodyField, term)
	return slices.ContainsFunc(s.parts, func(p *openPart) bool { return p.holds(key) })
}

// eachHolding calls fn for the parts that hold a term, with the sum of its postings.
func (s *Store) eachHolding(ctx context.Context, field, term string, fn func(p *openPart, dict segment.TermDictionary, sum uint64) error) error {
	key := termKey(field, term)
	for _, p := range s.parts {
		sum, ok := p.sum(key)
		if !ok {
			continue
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		dict, err := p.segment.Dictionary(field)
		if err == nil {
			err = fn(p, dict, sum)
		}
		if err != nil {
			return s.damaged(fmt.Errorf("reading the postings of %q: %w", term, err))
		}
	}
	return nil
}

// Frequency returns how many passages hold a term.
func (s *Store) Frequency(ctx context.Context, field, term string) (n uint64, err error) {
	if field == BigramField {
		list, err := s.pairsOf(term, nil)
		return uint64(len(list)), err
	}
	err = s.eachHolding(ctx, field, term, func(p *openPart, dict segment.TermDictionary, _ uint64) error {
		list, err := dict.PostingsList([]byte(term), p.dead, nil)
		if err == nil {
			n += list.Count()
		}
		return err
	})
	return n, err
}

// Postings appends the passages that hold a term, in no particular order.
func (s *Store) Postings(ctx context.Context, field, term string, out []Posting) ([]Posting, error) {
	if field == BigramField {
		return s.pairsOf(term, out)
	}
	drawn := s.table.Drawn
	err := s.eachHolding(ctx, field, term, func(p *openPart, dict segment.TermDictionary, want uint64) error {
		var got uint64
		err := eachPosting(dict, term, func(doc uint64, tf int32) {
			got += mixed(doc, tf)
			if at := uint64(p.base) + doc; at < uint64(len(drawn)) && drawn[at] >= 0 {
				out = append(out, Posting{Ord: drawn[at], TF: tf})
			}
		})
		if err == nil && got != want {
			err = errors.New("they were changed")
		}
		return err
	})
	return out, err
}

// pairsOf appends the passages that hold two terms, joined by a space, one after the
// other. It reads no block of a part that lacks one of the two.
func (s *Store) pairsOf(term string, out []Posting) ([]Posting, error) {
	drawn := s.table.Drawn
	key := PairKey(term)
	one, other, _ := strings.Cut(term, " ")
	oneKey, otherKey := termKey(BodyField, one), termKey(BodyField, other)
	for _, p := range s.parts {
		if !p.holds(oneKey) || !p.holds(otherKey) {
			continue
		}
		from := len(out)
		var err error
		if out, err = p.pairs.of(key, out); err != nil {
			return nil, s.damaged(err)
		}
		kept := out[:from]
		for _, at := range out[from:] {
			place := p.base + int(at.Ord)
			if place >= len(drawn) {
				return nil, s.damaged(fmt.Errorf("a pair is in passage %d, which is not in the table", place))
			}
			if drawn[place] >= 0 {
				kept = append(kept, Posting{Ord: drawn[place], TF: at.TF})
			}
		}
		out = kept
	}
	return out, nil
}

// EachPair calls fn for the keys of pairs, sorted, with the number of passages that have each.
func (s *Store) EachPair(fn func(key uint64, passages int) error) error {
	streams := make([]*pairStream, len(s.parts))
	for i, p := range s.parts {
		streams[i] = &pairStream{pairs: p.pairs, place: func(doc int32) int32 { return s.table.Drawn[p.base+int(doc)] }}
	}
	return eachPair(streams, func(key uint64, list []Posting) error { return fn(key, len(list)) })
}

// Passage reads a stored passage.
func (s *Store) Passage(ord int32) (p state.Passage, err error) {
	place := int(s.table.Place(ord))
	at, _ := slices.BinarySearchFunc(s.parts, place+1, func(o *openPart, place int) int { return o.base - place })
	from := s.parts[at-1]
	err = errors.New("it was changed")
	visitErr := from.segment.VisitStoredFields(uint64(place-from.base), func(field string, _ byte, value []byte, _ []uint64) bool {
		if field != passageField {
			return true
		}
		if hash := hashOf(value); bytes.Equal(hash[:], s.table.hash(ord)) {
			err = json.Unmarshal(value, &p)
		}
		return false
	})
	if err = errors.Join(visitErr, err); err != nil {
		return p, s.damaged(fmt.Errorf("reading passage %q: %w", s.table.ID(ord), err))
	}
	return p, nil
}

// A termStream reads the terms of a field of a part.
type termStream struct {
	part  *openPart
	field string
	it    segment.DictionaryIterator
	term  string
	ended bool
}

// seek goes to the first term that is not before one.
func (t *termStream) seek(term string) error {
	dict, err := t.part.segment.Dictionary(t.field)
	if err != nil {
		return err
	}
	t.it = dict.AutomatonIterator(nil, []byte(term), nil)
	return t.next()
}

func (t *termStream) next() error {
	entry, err := t.it.Next()
	if t.ended = entry == nil; t.ended || err != nil {
		return err
	}
	if _, ok := t.part.sum(termKey(t.field, entry.Term)); !ok {
		return errors.New("they were changed")
	}
	t.term = entry.Term
	return nil
}

// Terms calls fn for every term of a field that begins with prefix, sorted.
// Terms of deleted passages alone are among them. fn may name
// a term to go on from, "" for the next one, and says whether to go on.
func (s *Store) Terms(field, prefix string, fn func(term string) (from string, more bool)) (err error) {
	defer func() {
		if err != nil {
			err = s.damaged(fmt.Errorf("listing the terms of %s: %w", field, err))
		}
	}()
	streams := make([]termStream, len(s.parts))
	for i, p := range s.parts {
		streams[i] = termStream{part: p, field: field}
		if err := streams[i].seek(prefix); err != nil {
			return err
		}
	}
	for {
		streams = slices.DeleteFunc(streams, func(t termStream) bool { return t.ended })
		if len(streams) == 0 {
			return nil
		}
		least := slices.MinFunc(streams, func(a, b termStream) int { return strings.Compare(a.term, b.term) }).term
		if !strings.HasPrefix(least, prefix) {
			return nil
		}
		from, more := fn(least)
		if !more {
			return nil
		}
		for i := range streams {
			t := &streams[i]
			if from != "" {
				err = t.seek(from)
			} else if t.term == least {
				err = t.next()
			}
			if err != nil {
				return err
			}
		}
	}
}
