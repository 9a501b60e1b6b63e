package served

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"example.com/assay/memory/index/internal/analysis"
	"example.com/assay/memory/index/internal/codec"
	"example.com/assay/memory/index/internal/storage"
	"example.com/assay/memory/text"
	"example.com/assay/state"
)

// A Census is what a lexicon is counted from.
type Census struct {
	Totals
	Table *storage.Table
	Store *storage.Store
	DocOf []int32   // document per passage
	Sizes []int32   // passages per document
	Lens  []float64 // terms per document, without those of its name
}

// Lexicon makes the lexicon of a generation whose passages were learnt.
func (w *Learnt) Lexicon(ctx context.Context, c Census) (*Lexicon, error) {
	l := &Lexicon{Totals: c.Totals, nameTerms: c.Table.NameTerms}
	number := make([]int32, len(c.Table.Docs)) // of a document among those of several passages; -1 of others
	for doc, name := range c.Table.Docs {
		number[doc] = -1
		if c.Sizes[doc] < 2 {
			continue
		}
		number[doc] = int32(len(l.Docs))
		l.Docs, l.Sizes, l.Lens, l.nameOf = append(l.Docs, name), append(l.Sizes, c.Sizes[doc]), append(l.Lens, c.Lens[doc]), append(l.nameOf, c.Table.NameOf[doc])
	}
	for _, t := range c.Table.Titles {
		l.titles = append(l.titles, t.Key)
	}
	l.titles = slices.Compact(l.titles) // they are sorted
	for d, n := range w.forms {
		l.forms = append(l.forms, definition{d.Short, d.Long, n})
	}
	slices.SortFunc(l.forms, func(a, b definition) int { return cmp.Or(cmp.Compare(a.Short, b.Short), cmp.Compare(a.Long, b.Long)) })
	err := c.countTerms(ctx, l, number)
	if err == nil {
		err = c.countPairs(ctx, l)
	}
	if err == nil {
		err = c.countMeta(ctx, l)
	}
	l.words = make([][]string, len(l.terms))
	for _, word := range slices.Sorted(maps.Keys(w.words)) {
		if at, ok := l.find(analysis.Stem(text.English, word)); ok {
			l.words[at] = append(l.words[at], word)
		}
	}
	return l, err
}

// countTerms counts the passages of each term, and the documents of several passages.
func (c Census) countTerms(ctx context.Context, l *Lexicon, number []int32) error {
	type held struct{ passages, times int }
	e := &codec.Encoder{}
	docs := map[int32]held{}
	err := storage.EachTerm(ctx, c.Store, storage.BodyField, "", func(term string, list []storage.Posting) {
		clear(docs)
		times := 0
		for _, found := range list {
			times += int(found.TF)
			if doc := number[c.DocOf[found.Ord]]; doc >= 0 {
				h := docs[doc]
				docs[doc] = held{h.passages + 1, h.times + int(found.TF)}
			}
		}
		before := int32(0)
		for _, doc := range slices.Sorted(maps.Keys(docs)) {
			e.Uint(int(doc - before))
			e.Uint(docs[doc].passages)
			e.Uint(docs[doc].times)
			before = doc
		}
		l.terms, l.df, l.cf, l.spans = append(l.terms, strings.Clone(term)), append(l.df, len(list)), append(l.cf, times), append(l.spans, len(e.Out))
	})
	l.occur = e.Out
	return err
}

// countPairs counts the passages of pairs that many hold.
func (c Census) countPairs(ctx context.Context, l *Lexicon) error {
	return c.Store.EachPair(func(key uint64, passages int) error {
		if passages >= frequentPair {
			l.pairs, l.pairDF = append(l.pairs, key), append(l.pairDF, passages)
		}
		return ctx.Err()
	})
}

// countMeta counts the passages of each key of metadata, and of each value.
func (c Census) countMeta(ctx context.Context, l *Lexicon) error {
	var holders []int32 // of the last key
	count := func() {
		if len(l.Keys) > len(l.keyDF) {
			l.keyDF = append(l.keyDF, len(analysis.Distinct(holders)))
		}
		holders = holders[:0]
	}
	err := storage.EachTerm(ctx, c.Store, storage.MetaField, "", func(term string, list []storage.Posting) {
		term = strings.Clone(term)
		key, _, _ := strings.Cut(term, "\x00")
		if n := len(l.Keys); n == 0 || l.Keys[n-1] != key {
			count()
			l.Keys = append(l.Keys, key)
		}
		for _, found := range list {
			holders = append(holders, found.Ord)
		}
		l.meta, l.metaDF = append(l.meta, term), append(l.metaDF, len(list))
	})
	count()
	return err
}

// A Learnt notes what passages say that a lexicon tells: their words, and what they define.
type Learnt struct {
	words map[string]bool
	forms map[definition]int // times each is written
}

// NewLearnt has learnt nothing.
func NewLearnt() *Learnt { return &Learnt{words: map[string]bool{}, forms: map[definition]int{}} }

// Learn notes the words of a passage and what it defines.
func (l *Learnt) Learn(p state.Passage) {
	for _, s := range analysis.Texts(p) {
		for _, t := range text.Tokens(s) {
			if analysis.IsPlain(t.Text) && !l.words[t.Text] {
				l.words[strings.Clone(t.Text)] = true
			}
		}
		for _, f := range text.ShortForms(s) {
			l.forms[definition{Short: strings.ToLower(f.Short), Long: strings.ToLower(strings.Join(strings.Fields(f.Long), " "))}]++
		}
	}
}

// Add notes what another learnt.
func (l *Learnt) Add(other *Learnt) {
	maps.Copy(l.words, other.words)
	for d, n := range other.forms {
		l.forms[d] += n
	}
}
