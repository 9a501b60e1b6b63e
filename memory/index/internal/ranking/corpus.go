// Package ranking finds the best passages of a [Corpus] for a query. It gathers candidates and
// scores them by a weighted sum of
//
//   - BM25 over the postings; what bleve calls "bm25" is another formula;
//   - BM25 of pairs of adjacent words;
//   - the cosine in the space of the offline embedder (package lsa);
//   - links: the best passages mention the passage's title;
//   - the score of the document, as far as it is ahead of the next document;
//   - the likeness to the best passages;
//   - the cosine in the space of an embedder, where there is one, which weighs twice as much
//     as BM25.
//
// The first passage below a heading that matches the question gets a little more. Then it
// measures how sure it is that the hits are about the question.
//
// It opens no files, embeds no texts, and does not know servers.
package ranking

import (
	"context"
	"slices"
	"strings"
	"sync"

	"example.com/assay/memory/index/internal/codec"
	"example.com/assay/memory/index/internal/meaning"
	"example.com/assay/memory/index/internal/queryterms"
	"example.com/assay/memory/index/internal/served"
	"example.com/assay/memory/index/internal/storage"
	"example.com/assay/memory/lsa"
	"example.com/assay/memory/vector"
	"example.com/assay/state"
)

// nameWeight is how often a word of a document's name counts in the document.
const nameWeight = 3

// A Corpus is the passages that are ranked: those of a generation, or those that a server
// found for one search. It is safe for concurrent use; nothing that reads it changes it.
type Corpus struct {
	Rules
	served.Totals
	Store   storage.Source
	Reader  *queryterms.Reader // of the texts of queries
	Table   *storage.Table
	model   *lsa.Model
	Vectors *vector.Set      // a row of model.Dims per passage
	Meaning *meaning.Vectors // nil where no remote embedder embeds the questions
	Lexicon *served.Lexicon  // what is known of all passages where they are on a server; nil of files
	Trained *Trained         // nil without a trained ranker

	docOf    []int32     // document per passage
	norm     []float64   // per passage: what BM25 adds to a term's frequency, for its length
	inDoc    [][]int32   // passages per document; nil of what a server found
	sizes    []int32     // passages per document, whether or not they are at hand
	docLen   []float64   // terms per document, its name included
	nameUses []nameCount // documents whose name holds each of the table's nameTerms, one term's after the other's
	nameFrom []int       // per term: where its begin, and their end
	gathered *Gathered   // nil of a generation

	scratch   *sync.Pool
	gatherers *sync.Pool
}

// Rules are the parameters of ranking and of confidence.
type Rules struct {
	K1, B      float64                                    // of BM25
	Confidence func(similarity, strength float64) float64 // 0 to 1
}

// Gathered tells of passages that a server found what their table does not.
type Gathered struct {
	members map[int32][]int32 // passages at hand per document
	Opens   []bool            // per passage: whether it is the first below its heading
	// around reads up to n passages of a document on each side of one.
	Around func(ctx context.Context, ord int32, n int) (before, after []state.Passage, err error)
}

type nameCount struct {
	doc   int32
	count int
}

// New derives what ranking needs from the table of a generation. It is ready for
// searches after ReadFrom.
func New(t *storage.Table, model *lsa.Model, vectors *vector.Set, r Rules) *Corpus {
	x := &Corpus{Rules: r, Table: t, model: model, Vectors: vectors, docOf: make([]int32, t.Len()), norm: make([]float64, t.Len())}
	x.docLen, x.sizes = make([]float64, len(t.Docs)), make([]int32, len(t.Docs))
	var length, pairs int
	codec.Parallel(2, func(i int) {
		if i == 0 {
			x.inDoc = t.Members()
			return
		}
		for ord := range int32(t.Len()) {
			doc, terms := t.Doc(ord), t.Length(ord)
			x.docOf[ord] = int32(doc)
			x.docLen[doc] += float64(terms)
			length += terms
			pairs += t.Pairs(ord)
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
	n := float64(max(1, t.Len()))
	x.Totals = served.Totals{
		Passages: t.Len(), Documents: len(t.Docs), Grouped: 2*shared >= t.Len(),
		AvgLen: float64(length) / n, AvgPairs: float64(pairs) / n, AvgDoc: docs / float64(max(1, len(t.Docs))),
	}
	for ord := range x.norm {
		x.norm[ord] = x.lengthNorm(t.Length(int32(ord)))
	}
	x.pools(t.Len(), len(t.Docs))
	return x
}

// PoolSize is how many passages, and documents of one passage, a server may find for a search.
const PoolSize = 4096

// NewServed is the corpus of a generation whose passages are on a server. None are at
// hand: see Among.
func NewServed(ctx context.Context, l *served.Lexicon, model *lsa.Model, r Rules) (*Corpus, error) {
	p, err := served.NewPool(l, nil, nil)
	if err != nil {
		return nil, err
	}
	x := &Corpus{Rules: r, Totals: l.Totals, Table: p.Table, model: model, Lexicon: l, sizes: l.Sizes, docLen: slices.Clone(l.Lens)}
	x.nameDocuments()
	x.pools(PoolSize, len(l.Docs)+PoolSize)
	return x, x.ReadFrom(ctx, p)
}

// ReadFrom sets where passages and postings come from.
func (x *Corpus) ReadFrom(ctx context.Context, s storage.Source) (err error) {
	x.Store = s
	x.Reader, err = queryterms.New(ctx, s, x.Lexicon, x.Passages)
	return err
}

// Among is the corpus of what a server found. It shares the lexicon, and the memory of
// searches, with the corpus of the generation.
func (x *Corpus) Among(p *served.Pool, g *Gathered) (*Corpus, error) {
	y := *x
	t, l, dims := p.Table, x.Lexicon, x.model.Dims()
	rows := make([]float32, t.Len()*dims)
	for ord := range t.Len() {
		v, _ := x.model.Project(p.Bag(ord))
		copy(rows[ord*dims:], v)
	}
	vectors, err := vector.NewSet(rows, dims, nil)
	if err != nil {
		return nil, err
	}
	y.Store, y.Table, y.Vectors, y.gathered, y.Trained = p, t, vectors, g, nil
	y.docLen, y.sizes = append(slices.Clip(x.docLen), make([]float64, len(t.Docs)-len(l.Docs))...), slices.Clip(l.Sizes)
	for range t.Docs[len(l.Docs):] {
		y.sizes = append(y.sizes, 1)
	}
	y.docOf, y.norm = make([]int32, t.Len()), make([]float64, t.Len())
	g.members = map[int32][]int32{}
	for ord := range int32(t.Len()) {
		doc, length := t.Doc(ord), t.Length(ord)
		y.docOf[ord], y.norm[ord] = int32(doc), x.lengthNorm(length)
		g.members[int32(doc)] = append(g.members[int32(doc)], ord)
		if doc >= len(l.Docs) {
			y.docLen[doc] = float64(length)
		}
	}
	return &y, nil
}

// Count counts what the corpus holds, for searches that do not have its files.
func (x *Corpus) Count(ctx context.Context, words *served.Learnt) (*served.Lexicon, error) {
	lens := slices.Clone(x.docLen)
	for doc, name := range x.Table.NameOf {
		for _, n := range name {
			lens[doc] -= float64(nameWeight * n.Count)
		}
	}
	return words.Lexicon(ctx, served.Census{Totals: x.Totals, Table: x.Table, Store: x.Store.(*storage.Store), DocOf: x.docOf, Sizes: x.sizes, Lens: lens})
}

// lengthNorm is what BM25 adds to the frequency of a term in a passage of so many terms.
func (x *Corpus) lengthNorm(length int) float64 {
	return lengthNorm(float64(length), x.AvgLen, x.K1, x.B)
}

// pools makes the memory of searches.
func (x *Corpus) pools(passages, docs int) {
	x.scratch = &sync.Pool{New: func() any { return newScratch(passages, docs) }}
	x.gatherers = &sync.Pool{New: func() any { return &gatherer{place: make([]int32, docs)} }}
}

// nameDocuments makes the documents of each stem of their names, and counts these
// among the documents' terms.
func (x *Corpus) nameDocuments() {
	t := x.Table
	from := make([]int, len(t.NameTerms)+1)
	for _, name := range t.NameOf {
		for _, n := range name {
			from[n.Term+1]++
		}
	}
	for i := range t.NameTerms {
		from[i+1] += from[i]
	}
	x.nameFrom, x.nameUses = from, make([]nameCount, from[len(t.NameTerms)])
	next := slices.Clone(from)
	for doc, name := range t.NameOf {
		for _, n := range name {
			x.nameUses[next[n.Term]] = nameCount{doc: int32(doc), count: int(n.Count)}
			next[n.Term]++
			x.docLen[doc] += float64(nameWeight * n.Count)
		}
	}
}

// members lists the passages of a document that are at hand.
func (x *Corpus) members(doc int32) []int32 {
	if x.gathered != nil {
		return x.gathered.members[doc]
	}
	return x.inDoc[doc]
}

// named lists the documents with a stem in their name, and how often it is there.
func (x *Corpus) named(term string) []nameCount {
	at, found := slices.BinarySearch(x.Table.NameTerms, term)
	if !found {
		return nil
	}
	return x.nameUses[x.nameFrom[at]:x.nameFrom[at+1]]
}

// inName reports whether a stem is part of a document's name.
func (x *Corpus) inName(doc int, term string) bool {
	_, found := slices.BinarySearchFunc(x.Table.NameOf[doc], term, func(n storage.NameTerm, term string) int {
		return strings.Compare(x.Table.NameTerms[n.Term], term)
	})
	return found
}
