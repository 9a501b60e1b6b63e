package index

import (
	"context"
	"maps"
	"slices"
	"strings"

	"example.com/assay/memory/text"
)

// A census is what a lexicon is counted from.
type census struct {
	totals
	table *table
	store *store
	docOf []int32   // document per passage
	sizes []int32   // passages per document
	lens  []float64 // terms per document, without those of its name
}

// lexicon makes the lexicon of a generation whose passages were learnt.
func (w *learnt) lexicon(ctx context.Context, c census) (*lexicon, error) {
	l := &lexicon{totals: c.totals, nameTerms: c.table.nameTerms}
	number := make([]int32, len(c.table.docs)) // of a document among those of several passages; -1 of others
	for doc, name := range c.table.docs {
		number[doc] = -1
		if c.sizes[doc] < 2 {
			continue
		}
		number[doc] = int32(len(l.docs))
		l.docs, l.sizes, l.lens, l.nameOf = append(l.docs, name), append(l.sizes, c.sizes[doc]), append(l.lens, c.lens[doc]), append(l.nameOf, c.table.nameOf[doc])
	}
	for _, t := range c.table.titles {
		l.titles = append(l.titles, t.key)
	}
	l.titles = slices.Compact(l.titles) // they are sorted
	for d, n := range w.forms {
		l.forms = append(l.forms, definition{d.Short, d.Long, n})
	}
	sortForms(l.forms)
	err := c.countTerms(ctx, l, number)
	if err == nil {
		err = c.countPairs(ctx, l)
	}
	if err == nil {
		err = c.countMeta(ctx, l)
	}
	l.words = make([][]string, len(l.terms))
	for _, word := range slices.Sorted(maps.Keys(w.words)) {
		if at, ok := l.find(stemOf(text.English, word)); ok {
			l.words[at] = append(l.words[at], word)
		}
	}
	return l, err
}

// countTerms counts the passages of each term, and the documents of several passages.
func (c census) countTerms(ctx context.Context, l *lexicon, number []int32) error {
	type held struct{ passages, times int }
	e := &encoder{}
	docs := map[int32]held{}
	err := eachTerm(ctx, c.store, bodyField, "", func(term string, list []posting) {
		clear(docs)
		times := 0
		for _, found := range list {
			times += int(found.tf)
			if doc := number[c.docOf[found.ord]]; doc >= 0 {
				h := docs[doc]
				docs[doc] = held{h.passages + 1, h.times + int(found.tf)}
			}
		}
		before := int32(0)
		for _, doc := range slices.Sorted(maps.Keys(docs)) {
			e.uint(int(doc - before))
			e.uint(docs[doc].passages)
			e.uint(docs[doc].times)
			before = doc
		}
		l.terms, l.df, l.cf, l.spans = append(l.terms, strings.Clone(term)), append(l.df, len(list)), append(l.cf, times), append(l.spans, len(e.out))
	})
	l.occur = e.out
	return err
}

// countPairs counts the passages of pairs that many hold.
func (c census) countPairs(ctx context.Context, l *lexicon) error {
	return c.store.eachPair(func(key uint64, passages int) error {
		if passages >= frequentPair {
			l.pairs, l.pairDF = append(l.pairs, key), append(l.pairDF, passages)
		}
		return ctx.Err()
	})
}

// countMeta counts the passages of each key of metadata, and of each value.
func (c census) countMeta(ctx context.Context, l *lexicon) error {
	var holders []int32 // of the last key
	count := func() {
		if len(l.keys) > len(l.keyDF) {
			l.keyDF = append(l.keyDF, len(distinct(holders)))
		}
		holders = holders[:0]
	}
	err := eachTerm(ctx, c.store, metaField, "", func(term string, list []posting) {
		term = strings.Clone(term)
		key, _, _ := strings.Cut(term, "\x00")
		if n := len(l.keys); n == 0 || l.keys[n-1] != key {
			count()
			l.keys = append(l.keys, key)
		}
		for _, found := range list {
			holders = append(holders, found.ord)
		}
		l.meta, l.metaDF = append(l.meta, term), append(l.metaDF, len(list))
	})
	count()
	return err
}
