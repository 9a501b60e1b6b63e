// Package served stands in for the parts of a generation whose passages are on a server: the
// [Lexicon] counts what the whole generation holds, and a [Pool] holds what a server found for
// one search. It does not talk to servers.
package served

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"example.com/assay/memory/index/internal/analysis"
	"example.com/assay/memory/index/internal/codec"
	"example.com/assay/memory/index/internal/storage"
	"example.com/assay/memory/text"
)

// A Lexicon is what ranking must know of a whole generation whose passages are on a
// server: how many passages hold each term and how often, what the documents of several
// passages hold, the words behind the stems, and what the corpus defines and is
// described by. A document of one passage takes no room in it, but for its terms.
type Lexicon struct {
	Totals

	terms []string // sorted stems
	df    []int    // passages with each
	cf    []int    // its occurrences
	spans []int    // per term: where its documents end in occur
	occur []byte   // documents with it: steps of their numbers, passages, occurrences
	words [][]string

	Docs      []string  // of several passages, sorted
	Sizes     []int32   // their passages
	Lens      []float64 // their terms, without those of their names
	nameTerms []string  // sorted stems of their names
	nameOf    [][]storage.NameTerm

	titles []uint64 // keys that a text can mention, sorted
	pairs  []uint64 // of terms that follow each other in frequentPair passages or more, sorted
	pairDF []int
	forms  []definition
	meta   []string // key, zero byte, value, sorted
	metaDF []int
	Keys   []string // of metadata, sorted
	keyDF  []int
}

// frequentPair is in how many passages two terms must follow each other for the lexicon
// to say so: what is rarer is found whole among the candidates.
const frequentPair = 16

// A definition says how often passages write an abbreviation beside its long form, both
// in lower case.
type definition struct {
	Short, Long string
	Times       int
}

// Totals are what a whole generation holds.
type Totals struct {
	Passages, Documents      int
	AvgLen, AvgPairs, AvgDoc float64 // terms and pairs of terms of a passage, and terms of a document
	Grouped                  bool    // most passages share their document with others
}

func (l *Lexicon) find(term string) (int, bool) { return slices.BinarySearch(l.terms, term) }

// frequency returns how many passages hold a term of a field.
func (l *Lexicon) frequency(field, term string) int {
	switch field {
	case storage.BodyField:
		if at, ok := l.find(term); ok {
			return l.df[at]
		}
	case storage.MetaField:
		if at, ok := slices.BinarySearch(l.meta, term); ok {
			return l.metaDF[at]
		}
	case storage.BigramField:
		return l.Pair(term)
	}
	return 0
}

// Pair returns how many passages hold two terms, joined by a space, one after the other;
// 0 where they are too few to be in the lexicon.
func (l *Lexicon) Pair(pair string) int {
	if at, ok := slices.BinarySearch(l.pairs, storage.PairKey(pair)); ok {
		return l.pairDF[at]
	}
	return 0
}

// Held returns how many passages hold a term, how often all of them together, and calls fn
// for the documents of several passages among them.
func (l *Lexicon) Held(term string, fn func(doc int32, passages, times int)) (passages, times int) {
	at, ok := l.find(term)
	if !ok {
		return 0, 0
	}
	from := 0
	if at > 0 {
		from = l.spans[at-1]
	}
	d := &codec.Decoder{In: l.occur[from:l.spans[at]]}
	for doc := int32(0); len(d.In) > 0 && d.Err == nil; {
		doc += int32(d.Uint())
		passages := d.Uint()
		fn(doc, passages, d.Uint())
	}
	return l.df[at], l.cf[at]
}

// Words are the words of a stem.
func (l *Lexicon) Words(stem string) []string {
	if at, ok := l.find(stem); ok {
		return l.words[at]
	}
	return nil
}

// Defined returns what fn makes of most definitions of an abbreviation in lower case, of
// equals the first in the alphabet.
func (l *Lexicon) Defined(short string, fn func(text.ShortForm) string) string {
	counts := map[string]int{}
	at := sort.Search(len(l.forms), func(i int) bool { return l.forms[i].Short >= short })
	for ; at < len(l.forms) && l.forms[at].Short == short; at++ {
		if form := fn(text.ShortForm{Short: short, Long: l.forms[at].Long}); form != "" {
			counts[form] += l.forms[at].Times
		}
	}
	return MostCounted(counts)
}

// HasTitles reports whether a text can mention any title.
func (l *Lexicon) HasTitles() bool { return len(l.titles) > 0 }

// IsTitle reports whether a text can mention the title with a key.
func (l *Lexicon) IsTitle(key uint64) bool {
	_, ok := slices.BinarySearch(l.titles, key)
	return ok
}

// EachKey calls fn for the keys of metadata, sorted, with the number of passages that have
// each.
func (l *Lexicon) EachKey(fn func(key string, passages int)) {
	for i, key := range l.Keys {
		fn(key, l.keyDF[i])
	}
}

// EachValue calls fn for the values of a key, sorted, with the number of passages that have
// each.
func (l *Lexicon) EachValue(key string, fn func(value string, passages int)) {
	prefix := analysis.MetaTerm(key, "")
	at, _ := slices.BinarySearch(l.meta, prefix)
	for ; at < len(l.meta) && strings.HasPrefix(l.meta[at], prefix); at++ {
		fn(l.meta[at][len(prefix):], l.metaDF[at])
	}
}

const lexiconMagic = "assay-lexicon\x01"

// Encode writes a lexicon.
func (l *Lexicon) Encode() []byte {
	e := &codec.Encoder{Out: []byte(lexiconMagic)}
	e.Uint(l.Passages)
	e.Uint(l.Documents)
	for _, v := range []float64{l.AvgLen, l.AvgPairs, l.AvgDoc} {
		e.Float(v)
	}
	e.Uint(len(l.Lens))
	for _, v := range l.Lens {
		e.Float(v)
	}
	e.Uint(map[bool]int{true: 1}[l.Grouped])
	for _, list := range [][]string{l.terms, l.Docs, l.nameTerms, l.meta, l.Keys} {
		e.Strs(list)
	}
	for _, list := range [][]int{l.df, l.cf, l.pairDF, l.metaDF, l.keyDF} {
		e.Uints(list)
	}
	from := 0
	for _, end := range l.spans {
		e.Uint(end - from)
		from = end
	}
	e.Uint(len(l.occur))
	e.Raw(l.occur)
	for _, list := range l.words {
		e.Strs(list)
	}
	for doc, size := range l.Sizes {
		e.Uint(int(size))
		e.Uint(len(l.nameOf[doc]))
		for _, n := range l.nameOf[doc] {
			e.Uint(int(n.Term))
			e.Uint(int(n.Count))
		}
	}
	for _, list := range [][]uint64{l.titles, l.pairs} {
		e.Uint(len(list))
		for _, key := range list {
			e.Fixed64(key)
		}
	}
	e.Uint(len(l.forms))
	for _, d := range l.forms {
		e.Strs([]string{d.Short, d.Long})
		e.Uint(d.Times)
	}
	return e.Out
}

// DecodeLexicon reads what Encode wrote.
func DecodeLexicon(data []byte) (*Lexicon, error) {
	d := codec.NewDecoder(data, lexiconMagic)
	l := &Lexicon{Totals: Totals{Passages: d.Uint(), Documents: d.Uint(), AvgLen: d.Float(), AvgPairs: d.Float(), AvgDoc: d.Float()}}
	l.Lens = make([]float64, d.Count())
	for i := range l.Lens {
		l.Lens[i] = d.Float()
	}
	l.Grouped = d.Uint() == 1
	for _, list := range []*[]string{&l.terms, &l.Docs, &l.nameTerms, &l.meta, &l.Keys} {
		*list = d.Strs()
	}
	for _, list := range []*[]int{&l.df, &l.cf, &l.pairDF, &l.metaDF, &l.keyDF} {
		*list = d.Uints()
	}
	l.spans, l.words = make([]int, len(l.terms)), make([][]string, len(l.terms))
	end := 0
	for i := range l.spans {
		end += d.Uint()
		l.spans[i] = end
	}
	l.occur = d.Raw(d.Uint())
	for i := range l.words {
		l.words[i] = d.Strs()
	}
	l.Sizes, l.nameOf = make([]int32, len(l.Docs)), make([][]storage.NameTerm, len(l.Docs))
	for doc := range l.Sizes {
		l.Sizes[doc] = int32(d.Uint())
		for range d.Count() {
			l.nameOf[doc] = append(l.nameOf[doc], storage.NameTerm{Term: int32(d.Below(len(l.nameTerms))), Count: int32(d.Uint())})
		}
	}
	for _, list := range []*[]uint64{&l.titles, &l.pairs} {
		*list = make([]uint64, d.Count())
		for i := range *list {
			(*list)[i] = d.Fixed64()
		}
	}
	for range d.Count() {
		pair := d.Strs()
		if len(pair) != 2 {
			d.Fail(codec.ErrTruncated)
			break
		}
		l.forms = append(l.forms, definition{pair[0], pair[1], d.Uint()})
	}
	if d.Err == nil && (end != len(l.occur) || len(l.df) != len(l.terms) || len(l.cf) != len(l.terms) || len(l.Lens) != len(l.Docs) ||
		len(l.pairDF) != len(l.pairs) || len(l.metaDF) != len(l.meta) || len(l.keyDF) != len(l.Keys)) {
		d.Fail(codec.ErrTruncated)
	}
	if err := d.End(); err != nil {
		return nil, fmt.Errorf("reading the lexicon: %w", err)
	}
	return l, nil
}

// MostCounted is the form of most counts, of equals the first in the alphabet.
func MostCounted(counts map[string]int) string {
	best := ""
	for form, n := range counts {
		if best == "" || n > counts[best] || n == counts[best] && form < best {
			best = form
		}
	}
	return best
}
