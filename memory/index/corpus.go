package index

import (
	"context"
	"slices"
	"strings"
	"sync"

	"example.com/assay/memory/lsa"
	"example.com/assay/memory/vector"
	"example.com/assay/state"
)

// nameWeight is how often a word of a document's name counts in the document.
const nameWeight = 3

// A corpus is the passages that are ranked: those of a generation, or those that a server
// found for one search. It is safe for concurrent use; nothing that reads it changes it.
type corpus struct {
	rules
	totals
	store   source
	reader  *reader // of the texts of queries
	table   *table
	model   *lsa.Model
	vectors *vector.Set // a row of model.Dims per passage
	meaning *meaning    // nil where no remote embedder embeds the questions
	lexicon *lexicon    // what is known of all passages where they are on a server; nil of files
	trained *trained    // nil without a trained ranker

	docOf    []int32     // document per passage
	norm     []float64   // per passage: what BM25 adds to a term's frequency, for its length
	inDoc    [][]int32   // passages per document; nil of what a server found
	sizes    []int32     // passages per document, whether or not they are at hand
	docLen   []float64   // terms per document, its name included
	nameUses []nameCount // documents whose name holds each of the table's nameTerms, one term's after the other's
	nameFrom []int       // per term: where its begin, and their end
	gathered *gathered   // nil of a generation

	scratch   *sync.Pool
	gatherers *sync.Pool
}

// Rules are what passages are ranked and confidences are made by.
type rules struct {
	k1, b      float64                                    // of BM25
	confidence func(similarity, strength float64) float64 // 0 to 1
}

// Gathered is what ranking must know of passages that a server found, beside their table.
type gathered struct {
	members map[int32][]int32 // passages at hand per document
	opens   []bool            // per passage: whether it is the first below its heading
	// around reads up to n passages of a document on each side of one.
	around func(ctx context.Context, ord int32, n int) (before, after []state.Passage, err error)
}

type nameCount struct {
	doc   int32
	count int
}

// newCorpus derives what ranking needs from the table of a generation. It is ready for
// searches after readFrom.
func newCorpus(t *table, model *lsa.Model, vectors *vector.Set, r rules) *corpus {
	x := &corpus{rules: r, table: t, model: model, vectors: vectors, docOf: make([]int32, t.len()), norm: make([]float64, t.len())}
	x.docLen, x.sizes = make([]float64, len(t.docs)), make([]int32, len(t.docs))
	var length, pairs int
	parallel(2, func(i int) {
		if i == 0 {
			x.inDoc = t.members()
			return
		}
		for ord := range int32(t.len()) {
			doc, terms := t.doc(ord), t.length(ord)
			x.docOf[ord] = int32(doc)
			x.docLen[doc] += float64(terms)
			length += terms
			pairs += t.pairs(ord)
		}
	})
	x.nameDocuments()
	shared := 0
	var docs float64
	for doc, members := range x.inDoc {
		x.sizes[doc] = int32(len(members))
		if len(members) > 1 {
			shared += len(members)
		}
		docs += x.docLen[doc]
	}
	n := float64(max(1, t.len()))
	x.totals = totals{
		Passages: t.len(), Documents: len(t.docs), Grouped: 2*shared >= t.len(),
		AvgLen: float64(length) / n, AvgPairs: float64(pairs) / n, AvgDoc: docs / float64(max(1, len(t.docs))),
	}
	for ord := range x.norm {
		x.norm[ord] = x.lengthNorm(t.length(int32(ord)))
	}
	x.pools(t.len(), len(t.docs))
	return x
}

// poolSize is how many passages, and documents of one passage, a server may find for a search.
const poolSize = 4096

// newServedCorpus is the corpus of a generation whose passages are on a server. None are at
// hand: see among.
func newServedCorpus(ctx context.Context, l *lexicon, model *lsa.Model, r rules) (*corpus, error) {
	p, err := newPool(l, nil, nil)
	if err != nil {
		return nil, err
	}
	x := &corpus{rules: r, totals: l.totals, table: p.table, model: model, lexicon: l, sizes: l.sizes, docLen: slices.Clone(l.lens)}
	x.nameDocuments()
	x.pools(poolSize, len(l.docs)+poolSize)
	return x, x.readFrom(ctx, p)
}

// readFrom sets where passages and postings come from.
func (x *corpus) readFrom(ctx context.Context, s source) (err error) {
	x.store = s
	x.reader, err = newReader(ctx, s, x.lexicon, x.Passages)
	return err
}

// among is the corpus of what a server found. It shares the lexicon, and the memory of
// searches, with the corpus of the generation.
func (x *corpus) among(p *pool, g *gathered) (*corpus, error) {
	y := *x
	t, l, dims := p.table, x.lexicon, x.model.Dims()
	rows := make([]float32, t.len()*dims)
	for ord := range t.len() {
		v, _ := x.model.Project(p.bag(ord))
		copy(rows[ord*dims:], v)
	}
	vectors, err := vector.NewSet(rows, dims, nil)
	if err != nil {
		return nil, err
	}
	y.store, y.table, y.vectors, y.gathered, y.trained = p, t, vectors, g, nil
	y.docLen, y.sizes = append(slices.Clip(x.docLen), make([]float64, len(t.docs)-len(l.docs))...), slices.Clip(l.sizes)
	for range t.docs[len(l.docs):] {
		y.sizes = append(y.sizes, 1)
	}
	y.docOf, y.norm = make([]int32, t.len()), make([]float64, t.len())
	g.members = map[int32][]int32{}
	for ord := range int32(t.len()) {
		doc, length := t.doc(ord), t.length(ord)
		y.docOf[ord], y.norm[ord] = int32(doc), x.lengthNorm(length)
		g.members[int32(doc)] = append(g.members[int32(doc)], ord)
		if doc >= len(l.docs) {
			y.docLen[doc] = float64(length)
		}
	}
	return &y, nil
}

// count counts what the corpus holds, for searches that do not have its files.
func (x *corpus) count(ctx context.Context, words *learnt) (*lexicon, error) {
	lens := slices.Clone(x.docLen)
	for doc, name := range x.table.nameOf {
		for _, n := range name {
			lens[doc] -= float64(nameWeight * n.count)
		}
	}
	return words.lexicon(ctx, census{totals: x.totals, table: x.table, store: x.store.(*store), docOf: x.docOf, sizes: x.sizes, lens: lens})
}

// lengthNorm is what BM25 adds to the frequency of a term in a passage of so many terms.
func (x *corpus) lengthNorm(length int) float64 {
	return lengthNorm(float64(length), x.AvgLen, x.k1, x.b)
}

// pools makes the memory of searches.
func (x *corpus) pools(passages, docs int) {
	x.scratch = &sync.Pool{New: func() any { return newScratch(passages, docs) }}
	x.gatherers = &sync.Pool{New: func() any { return &gatherer{place: make([]int32, docs)} }}
}

// nameDocuments makes the documents of each stem of their names, and counts these
// among the documents' terms.
func (x *corpus) nameDocuments() {
	t := x.table
	from := make([]int, len(t.nameTerms)+1)
	for _, name := range t.nameOf {
		for _, n := range name {
			from[n.term+1]++
		}
	}
	for i := range t.nameTerms {
		from[i+1] += from[i]
	}
	x.nameFrom, x.nameUses = from, make([]nameCount, from[len(t.nameTerms)])
	next := slices.Clone(from)
	for doc, name := range t.nameOf {
		for _, n := range name {
			x.nameUses[next[n.term]] = nameCount{doc: int32(doc), count: int(n.count)}
			next[n.term]++
			x.docLen[doc] += float64(nameWeight * n.count)
		}
	}
}

// members lists the passages of a document that are at hand.
func (x *corpus) members(doc int32) []int32 {
	if x.gathered != nil {
		return x.gathered.members[doc]
	}
	return x.inDoc[doc]
}

// named lists the documents with a stem in their name, and how often it is there.
func (x *corpus) named(term string) []nameCount {
	at, found := slices.BinarySearch(x.table.nameTerms, term)
	if !found {
		return nil
	}
	return x.nameUses[x.nameFrom[at]:x.nameFrom[at+1]]
}

// inName reports whether a stem is part of a document's name.
func (x *corpus) inName(doc int, term string) bool {
	_, found := slices.BinarySearchFunc(x.table.nameOf[doc], term, func(n nameTerm, term string) int {
		return strings.Compare(x.table.nameTerms[n.term], term)
	})
	return found
}
