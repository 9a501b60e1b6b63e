package index

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"example.com/assay/memory/text"
)

// lexicon counts what the generation holds.
func (p *publication) lexicon() (*lexicon, error) {
	x := p.x.corpus
	l := &lexicon{totals: x.totals, nameTerms: x.table.nameTerms}
	number := make([]int32, x.Documents) // of a document among those of several passages; -1 of others
	for doc, name := range x.table.docs {
		number[doc] = -1
		if x.sizes[doc] < 2 {
			continue
		}
		number[doc] = int32(len(l.docs))
		length := x.docLen[doc]
		for _, n := range x.table.nameOf[doc] {
			length -= float64(nameWeight * n.count)
		}
		l.docs, l.sizes, l.lens, l.nameOf = append(l.docs, name), append(l.sizes, x.sizes[doc]), append(l.lens, length), append(l.nameOf, x.table.nameOf[doc])
	}
	for _, t := range x.table.titles {
		l.titles = append(l.titles, t.key)
	}
	l.titles = slices.Compact(l.titles) // they are sorted
	for d, n := range p.forms {
		l.forms = append(l.forms, definition{d.Short, d.Long, n})
	}
	sortForms(l.forms)
	for _, count := range []func() error{
		func() error { return p.countTerms(l, number) },
		func() error { return p.countPairs(l) },
		func() error { return p.countMeta(l) },
	} {
		if err := count(); err != nil {
			return nil, err
		}
	}
	l.words = make([][]string, len(l.terms))
	for _, word := range slices.Sorted(maps.Keys(p.words)) {
		if at, ok := l.find(stemOf(text.English, word)); ok {
			l.words[at] = append(l.words[at], word)
		}
	}
	return l, nil
}

// countTerms counts the passages of each term, and the documents of several passages.
func (p *publication) countTerms(l *lexicon, number []int32) error {
	type held struct{ passages, times int }
	e := &encoder{}
	docs := map[int32]held{}
	err := p.eachTerm(bodyField, func(term string, list []posting) {
		clear(docs)
		times := 0
		for _, found := range list {
			times += int(found.tf)
			if doc := number[p.x.corpus.docOf[found.ord]]; doc >= 0 {
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
		l.terms, l.df, l.cf, l.spans = append(l.terms, term), append(l.df, len(list)), append(l.cf, times), append(l.spans, len(e.out))
	})
	l.occur = e.out
	return err
}

// eachTerm calls fn for the terms of a field that a passage holds, sorted.
func (p *publication) eachTerm(field string, fn func(term string, list []posting)) error {
	var list []posting
	var failed error
	err := p.x.corpus.store.terms(field, "", func(term string) (string, bool) {
		if list, failed = p.x.corpus.store.postings(p.ctx, field, term, list[:0]); failed != nil {
			return "", false
		}
		if len(list) > 0 {
			fn(strings.Clone(term), list)
		}
		return "", true
	})
	return errors.Join(err, failed)
}

// countPairs counts the passages of pairs that many hold.
func (p *publication) countPairs(l *lexicon) error {
	parts := p.x.corpus.store.(*store)
	streams := make([]*pairStream, len(parts.parts))
	for i, part := range parts.parts {
		streams[i] = &pairStream{pairs: part.pairs, place: func(doc int32) int32 { return parts.table.drawn[part.base+int(doc)] }}
	}
	return eachPair(streams, func(key uint64, list []posting) error {
		if len(list) >= frequentPair {
			l.pairs, l.pairDF = append(l.pairs, key), append(l.pairDF, len(list))
		}
		return p.ctx.Err()
	})
}

// countMeta counts the passages of each key of metadata, and of each value.
func (p *publication) countMeta(l *lexicon) error {
	var holders []int32 // of the last key
	count := func() {
		if len(l.keys) > len(l.keyDF) {
			l.keyDF = append(l.keyDF, len(distinct(holders)))
		}
		holders = holders[:0]
	}
	err := p.eachTerm(metaField, func(term string, list []posting) {
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
