package index

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/blevesearch/vellum"

	"example.com/assay/memory/citation"
	"example.com/assay/memory/lsa"
	"example.com/assay/memory/vector"
	"example.com/assay/state"
)

// A pool is the source that holds what a server found for one search. What it does not
// hold, the lexicon counts.
type pool struct {
	lexicon *lexicon
	table   *table
	records []Record // by ordinal
	read    []analysed
	members map[int32][]int32 // passages at hand per document
}

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
	key := pairKey(keyOf(keyStart, term))
	for ord := range p.read {
		if n := p.read[ord].times(field, term, key); n > 0 {
			out = append(out, posting{int32(ord), int32(n)})
		}
	}
	return out, nil
}

// times is how often a passage holds a term, or a pair with that key.
func (a *analysed) times(field, term string, pair uint64) (n int) {
	switch field {
	case bodyField:
		if at, ok := slices.BinarySearchFunc(a.bag, term, func(t lsa.Term, term string) int { return strings.Compare(t.Text, term) }); ok {
			return a.bag[at].N
		}
	case bigramField:
		for _, key := range a.pairs {
			if key == pair {
				n++
			}
		}
	default:
		list := map[string][]string{metaField: a.meta, ownField: a.labels.Own, withinField: a.labels.Within}[field]
		if slices.Contains(list, term) {
			return 1
		}
	}
	return n
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
	dfa, err := automaton(word, errors)
	if err != nil {
		return out, err
	}
	first := string(firstRune(word))
	at, _ := slices.BinarySearch(p.lexicon.terms, first)
	for ; at < len(p.lexicon.terms) && strings.HasPrefix(p.lexicon.terms[at], first); at++ {
		if accepts(dfa, p.lexicon.terms[at]) {
			out = append(out, p.lexicon.terms[at])
		}
	}
	return out, nil
}

func accepts(dfa vellum.Automaton, term string) bool {
	at := dfa.Start()
	for i := 0; i < len(term); i++ {
		if at = dfa.Accept(at, term[i]); !dfa.CanMatch(at) {
			return false
		}
	}
	return dfa.IsMatch(at)
}

func (p *pool) passage(id string) (state.Passage, error) {
	ord, ok := p.table.find(id)
	if !ok {
		return state.Passage{}, fmt.Errorf("reading passage %q: it is not among what was found", id)
	}
	return p.records[ord].Passage, nil
}

// poolSize is how many passages, and documents of one passage, a pool may have.
const poolSize = 4096

// pooled makes the index of what a server found, the first of which count where there are
// too many. It shares the lexicon, and the memory
// of searches, of the index of the generation.
func (x *Index) pooled(records []Record) (*Index, error) {
	records = firstOfEach(records)
	records = records[:min(len(records), poolSize)]
	slices.SortFunc(records, func(a, b Record) int { return strings.Compare(a.Passage.ID, b.Passage.ID) })
	p := &pool{lexicon: x.lexicon, records: records, read: make([]analysed, len(records)), members: map[int32][]int32{}}
	drafts, kept, places := make([]draft, len(records)), make([]int32, len(records)), make([]int32, len(records))
	stems := x.stemmers.Get().(stemmer)
	defer x.stemmers.Put(stems)
	dims := x.model.Dims()
	rows := make([]float32, len(records)*dims)
	for i := range records {
		a, err := analyseOne(records[i].Passage, stems)
		if err != nil {
			return nil, err
		}
		a.labels = citation.Labels{Own: records[i].Own, Within: records[i].Within}
		v, _ := x.model.Project(a.bag)
		copy(rows[i*dims:], v)
		p.read[i], drafts[i], kept[i], places[i] = a, a.draft, -1, int32(i)
	}
	set, err := vector.NewSet(rows, dims, nil)
	if err != nil {
		return nil, err
	}
	p.table = newTable(nil, kept, drafts, places, len(records))
	y := &Index{
		dir: x.dir, store: p, table: p.table, model: x.model, vectors: set, calibration: x.calibration, stats: x.stats,
		bm25: x.bm25, avgLen: x.avgLen, avgPairs: x.avgPairs, avgDoc: x.avgDoc, grouped: x.grouped,
		nameUses: x.nameUses, nameFrom: x.nameFrom, passages: x.passages, allDocs: x.allDocs,
		lexicon: x.lexicon, server: x.server, languages: x.languages, stems: x.stems, scratch: x.scratch, gatherers: x.gatherers, stemmers: x.stemmers,
	}
	y.number(p, x)
	return y, nil
}

// firstOfEach leaves out records of passages that came before.
func firstOfEach(records []Record) []Record {
	seen := make(map[string]bool, len(records))
	out := make([]Record, 0, len(records))
	for _, r := range records {
		if !seen[r.Passage.ID] {
			seen[r.Passage.ID] = true
			out = append(out, r)
		}
	}
	return out
}

// number gives the passages of a pool the generation's numbers of documents, and those
// that are a document of their own the numbers behind them.
func (x *Index) number(p *pool, of *Index) {
	t, l := p.table, of.lexicon
	own := t.docs
	numbers := make([]int, len(own))
	t.docs, t.nameTerms, t.nameOf, t.titles = slices.Clip(l.docs), l.names.nameTerms, l.names.nameOf, nil
	x.docLen, x.sizes, x.nameOf = slices.Clip(of.docLen), slices.Clip(l.sizes), slices.Clip(l.names.nameOf)
	for i, doc := range own {
		at, ok := slices.BinarySearch(l.docs, doc)
		if !ok {
			at = len(t.docs)
			t.docs = append(t.docs, doc)
			x.docLen, x.sizes, x.nameOf = append(x.docLen, 0), append(x.sizes, 1), append(x.nameOf, nil)
		}
		numbers[i] = at
	}
	x.docOf, x.norm = make([]int32, t.len()), make([]float64, t.len())
	for ord := range int32(t.len()) {
		doc, length := numbers[t.doc(ord)], float64(t.number(ord, rowLength))
		t.set(ord, rowDoc, doc)
		x.docOf[ord], x.norm[ord] = int32(doc), lengthNorm(length, x.avgLen, x.bm25.K1, x.bm25.B)
		p.members[int32(doc)] = append(p.members[int32(doc)], ord)
		if doc >= len(l.docs) {
			x.docLen[doc] = length
		}
		if key := t.keys[t.number(ord, rowTitle)]; p.records[ord].Title != "" {
			t.titles = append(t.titles, titleRef{key, ord})
		}
	}
	slices.SortFunc(t.titles, byTitle)
	x.titles = t.titles
}
