package index

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"

	"example.com/assay/memory/text"
)

// A lexicon is what ranking must know of a whole generation whose passages are on a
// server: how many passages hold each term and how often, what the documents of several
// passages hold, the words behind the stems, and what the corpus defines and is
// described by. A document of one passage takes no room in it, but for its terms.
type lexicon struct {
	totals

	terms []string // sorted stems
	df    []int    // passages with each
	cf    []int    // its occurrences
	spans []int    // per term: where its documents end in occur
	occur []byte   // documents with it: steps of their numbers, passages, occurrences
	words [][]string

	docs      []string  // of several passages, sorted
	sizes     []int32   // their passages
	lens      []float64 // their terms, without those of their names
	nameTerms []string  // sorted stems of their names
	nameOf    [][]nameTerm

	titles []uint64 // keys that a text can mention, sorted
	pairs  []uint64 // of terms that follow each other in frequentPair passages or more, sorted
	pairDF []int
	forms  []definition
	meta   []string // key, zero byte, value, sorted
	metaDF []int
	keys   []string // of metadata, sorted
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
type totals struct {
	Passages, Documents      int
	AvgLen, AvgPairs, AvgDoc float64 // terms and pairs of terms of a passage, and terms of a document
	Grouped                  bool    // most passages share their document with others
}

func (l *lexicon) find(term string) (int, bool) { return slices.BinarySearch(l.terms, term) }

// frequency returns how many passages hold a term of a field.
func (l *lexicon) frequency(field, term string) int {
	switch field {
	case bodyField:
		if at, ok := l.find(term); ok {
			return l.df[at]
		}
	case metaField:
		if at, ok := slices.BinarySearch(l.meta, term); ok {
			return l.metaDF[at]
		}
	case bigramField:
		return l.pair(term)
	}
	return 0
}

// pair returns how many passages hold two terms, joined by a space, one after the other;
// 0 where they are too few to be in the lexicon.
func (l *lexicon) pair(pair string) int {
	if at, ok := slices.BinarySearch(l.pairs, pairKeyOf(pair)); ok {
		return l.pairDF[at]
	}
	return 0
}

// held returns how many passages hold a term, how often all of them together, and calls fn
// for the documents of several passages among them.
func (l *lexicon) held(term string, fn func(doc int32, passages, times int)) (passages, times int) {
	at, ok := l.find(term)
	if !ok {
		return 0, 0
	}
	l.eachDoc(at, fn)
	return l.df[at], l.cf[at]
}

// eachDoc calls fn for the documents of several passages that hold a term.
func (l *lexicon) eachDoc(term int, fn func(doc int32, passages, times int)) {
	from := 0
	if term > 0 {
		from = l.spans[term-1]
	}
	d := &decoder{in: l.occur[from:l.spans[term]]}
	for doc := int32(0); len(d.in) > 0 && d.err == nil; {
		doc += int32(d.uint())
		passages := d.uint()
		fn(doc, passages, d.uint())
	}
}

// wordsOf hands fn the words of a stem, as long as it wants more.
func (l *lexicon) wordsOf(stem string, fn func(word string) bool) {
	at, ok := l.find(stem)
	if !ok {
		return
	}
	for _, word := range l.words[at] {
		if !fn(word) {
			return
		}
	}
}

// defined returns what most definitions that fn accepts say, of equals the first in the
// alphabet.
func (l *lexicon) defined(short string, fn func(d definition) string) string {
	counts := map[string]int{}
	at := sort.Search(len(l.forms), func(i int) bool { return l.forms[i].Short >= short })
	for ; at < len(l.forms) && l.forms[at].Short == short; at++ {
		if form := fn(l.forms[at]); form != "" {
			counts[form] += l.forms[at].Times
		}
	}
	return mostCounted(counts)
}

// longForm is what an abbreviation stands for, "" for nothing.
func (l *lexicon) longForm(short, stem string) string {
	if l.frequency(bodyField, stem) == 0 {
		return ""
	}
	return l.defined(strings.ToLower(short), func(d definition) string { return d.Long })
}

// abbreviates reports whether a long form of these stems has the initials for short.
func (l *lexicon) abbreviates(initials string, stems []string) bool {
	return l.defined(initials, func(d definition) string {
		if slices.Equal(terms(d.Long, text.DocStops), stems) {
			return initials
		}
		return ""
	}) != ""
}

// hasTitles reports whether a text can mention any title.
func (l *lexicon) hasTitles() bool { return len(l.titles) > 0 }

// isTitle reports whether a text can mention the title with a key.
func (l *lexicon) isTitle(key uint64) bool {
	_, ok := slices.BinarySearch(l.titles, key)
	return ok
}

// eachKey calls fn for the keys of metadata, sorted, with the number of passages that have
// each.
func (l *lexicon) eachKey(fn func(key string, passages int)) {
	for i, key := range l.keys {
		fn(key, l.keyDF[i])
	}
}

// eachValue calls fn for the values of a key, sorted, with the number of passages that have
// each.
func (l *lexicon) eachValue(key string, fn func(value string, passages int)) {
	prefix := metaTerm(key, "")
	at, _ := slices.BinarySearch(l.meta, prefix)
	for ; at < len(l.meta) && strings.HasPrefix(l.meta[at], prefix); at++ {
		fn(l.meta[at][len(prefix):], l.metaDF[at])
	}
}

const lexiconMagic = "assay-lexicon\x01"

func (l *lexicon) encode() []byte {
	e := &encoder{out: []byte(lexiconMagic)}
	e.uint(l.Passages)
	e.uint(l.Documents)
	for _, v := range []float64{l.AvgLen, l.AvgPairs, l.AvgDoc} {
		e.float(v)
	}
	e.uint(len(l.lens))
	for _, v := range l.lens {
		e.float(v)
	}
	grouped := 0
	if l.Grouped {
		grouped = 1
	}
	e.uint(grouped)
	for _, list := range [][]string{l.terms, l.docs, l.nameTerms, l.meta, l.keys} {
		e.strs(list)
	}
	for _, list := range [][]int{l.df, l.cf, l.pairDF, l.metaDF, l.keyDF} {
		e.uints(list)
	}
	from := 0
	for _, end := range l.spans {
		e.uint(end - from)
		from = end
	}
	e.uint(len(l.occur))
	e.raw(l.occur)
	for _, list := range l.words {
		e.strs(list)
	}
	for doc, size := range l.sizes {
		e.uint(int(size))
		e.uint(len(l.nameOf[doc]))
		for _, n := range l.nameOf[doc] {
			e.uint(int(n.term))
			e.uint(int(n.count))
		}
	}
	for _, list := range [][]uint64{l.titles, l.pairs} {
		e.uint(len(list))
		for _, key := range list {
			e.fixed64(key)
		}
	}
	e.uint(len(l.forms))
	for _, d := range l.forms {
		e.strs([]string{d.Short, d.Long})
		e.uint(d.Times)
	}
	return e.out
}

func decodeLexicon(data []byte) (*lexicon, error) {
	rest, ok := strings.CutPrefix(string(data[:min(len(data), len(lexiconMagic))]), lexiconMagic)
	if !ok || rest != "" {
		return nil, fmt.Errorf("reading the lexicon: not a file of this version")
	}
	d := &decoder{in: data[len(lexiconMagic):]}
	l := &lexicon{totals: totals{Passages: d.uint(), Documents: d.uint(), AvgLen: d.float(), AvgPairs: d.float(), AvgDoc: d.float()}}
	l.lens = make([]float64, d.count())
	for i := range l.lens {
		l.lens[i] = d.float()
	}
	l.Grouped = d.uint() == 1
	for _, list := range []*[]string{&l.terms, &l.docs, &l.nameTerms, &l.meta, &l.keys} {
		*list = d.strs()
	}
	for _, list := range []*[]int{&l.df, &l.cf, &l.pairDF, &l.metaDF, &l.keyDF} {
		*list = d.uints()
	}
	l.spans, l.words = make([]int, len(l.terms)), make([][]string, len(l.terms))
	end := 0
	for i := range l.spans {
		end += d.uint()
		l.spans[i] = end
	}
	l.occur = d.raw(d.uint())
	for i := range l.words {
		l.words[i] = d.strs()
	}
	l.sizes, l.nameOf = make([]int32, len(l.docs)), make([][]nameTerm, len(l.docs))
	for doc := range l.sizes {
		l.sizes[doc] = int32(d.uint())
		for range d.count() {
			l.nameOf[doc] = append(l.nameOf[doc], nameTerm{term: int32(d.below(len(l.nameTerms))), count: int32(d.uint())})
		}
	}
	for _, list := range []*[]uint64{&l.titles, &l.pairs} {
		*list = make([]uint64, d.count())
		for i := range *list {
			(*list)[i] = d.fixed64()
		}
	}
	for range d.count() {
		pair := d.strs()
		if len(pair) != 2 {
			d.fail(errTruncated)
			break
		}
		l.forms = append(l.forms, definition{pair[0], pair[1], d.uint()})
	}
	if d.err == nil && (end != len(l.occur) || len(l.df) != len(l.terms) || len(l.cf) != len(l.terms) || len(l.lens) != len(l.docs) ||
		len(l.pairDF) != len(l.pairs) || len(l.metaDF) != len(l.meta) || len(l.keyDF) != len(l.keys)) {
		d.fail(errTruncated)
	}
	if err := d.end(); err != nil {
		return nil, fmt.Errorf("reading the lexicon: %w", err)
	}
	return l, nil
}

// sortForms orders definitions as find needs them.
func sortForms(forms []definition) {
	slices.SortFunc(forms, func(a, b definition) int { return cmp.Or(cmp.Compare(a.Short, b.Short), cmp.Compare(a.Long, b.Long)) })
}

// mostCounted is the form of most counts, of equals the first in the alphabet.
func mostCounted(counts map[string]int) string {
	best := ""
	for form, n := range counts {
		if best == "" || n > counts[best] || n == counts[best] && form < best {
			best = form
		}
	}
	return best
}
