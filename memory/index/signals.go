package index

import (
	"context"
	"math"
	"slices"

	"example.com/assay/memory/lsa"
)

// Parameters of the two BM25s: of passages and documents, and of word pairs.
const (
	bodyK1, bodyB = 1.2, .7
	pairK1, pairB = .9, .4
	inDocMin      = 10 // a document of fewer passages has no idf of its own
	maxTerms      = 64 // distinct terms of a query that are looked at
)

// idf is BM25's inverse document frequency with one added, so that it is
// positive for every term.
func idf(n, df float64) float64 { return math.Log(1 + (n-df+.5)/(df+.5)) }

// saturate is BM25's term frequency part.
func saturate(tf, length, avg, k1, b float64) float64 {
	if avg == 0 {
		avg = 1
	}
	return (k1 + 1) * tf / (tf + k1*(1-b+b*length/avg))
}

// A weighted term of a query.
type weighted struct {
	term   string
	weight float64
}

// weigh counts terms; fn turns a count into a weight. The result is sorted,
// so sums over it come out the same every time.
func weigh(list []string, fn func(n float64) float64) []weighted {
	bag := lsa.Bag(list)
	if len(bag) > maxTerms {
		bag = bag[:maxTerms]
	}
	out := make([]weighted, len(bag))
	for i, t := range bag {
		out[i] = weighted{term: t.Text, weight: fn(float64(t.N))}
	}
	return out
}

func count(n float64) float64 { return n }

// scratch holds the scores of every passage and document for one query. It
// is reused, and cleared before use.
type scratch struct {
	plain, scoped []float64 // BM25; BM25 with in-document idf and with name words as far as restoreNames says
	names         []float64 // the name words' part of BM25
	pairs         []float64 // BM25 of bigrams
	cosine        []float64 // to the query in the offline embedder's space, at least 0
	near          []float64 // to the query in a remote embedder's space, by its scale; empty without one
	holds         []uint64  // bit i: the passage holds term i of the query
	docs          []float64 // BM25 of documents
	docTF         []float64 // of one term
	docDF         []int     // passages of a document that hold one term
	postings      []posting
}

func newScratch(passages, docs int) *scratch {
	return &scratch{
		plain: make([]float64, passages), scoped: make([]float64, passages), names: make([]float64, passages),
		pairs: make([]float64, passages), cosine: make([]float64, passages), holds: make([]uint64, passages),
		docs: make([]float64, docs), docTF: make([]float64, docs), docDF: make([]int, docs),
	}
}

func (s *scratch) clear() {
	for _, list := range [][]float64{s.plain, s.scoped, s.names, s.pairs, s.cosine, s.near, s.docs, s.docTF} {
		clear(list)
	}
	clear(s.holds)
	clear(s.docDF)
}

// signals are the scores of one query, each over all passages.
type signals struct {
	*scratch
	terms []weighted
	idfs  []float64 // per term, over passages
	cfs   []float64 // per term, occurrences in all passages
	best  int       // the document that scores best, -1 for none
	top   float64   // its score
	gate  float64   // 1 − second best / best document score
}

// score computes every signal that is a function of the query and one
// passage or document. vector is the query's in the space of a remote
// embedder; nil leaves that signal at zero.
func (x *Index) score(ctx context.Context, list []string, vector []float32, s *scratch) (*signals, error) {
	s.clear()
	sig := &signals{scratch: s, terms: weigh(list, math.Sqrt), best: -1}
	for i, q := range sig.terms {
		if err := x.scoreTerm(ctx, i, q, sig); err != nil {
			return nil, err
		}
	}
	x.gateDocuments(sig)
	x.restoreNames(sig)
	residual := x.withoutName(list, sig.best)
	if err := x.scorePairs(ctx, residual, s); err != nil {
		return nil, err
	}
	x.scoreCosine(residual, s)
	if x.meaning != nil {
		s.near = x.meaning.near(vector, s.near)
	}
	return sig, nil
}

// scoreTerm adds one term's part to the passages' and documents' BM25.
func (x *Index) scoreTerm(ctx context.Context, i int, q weighted, sig *signals) error {
	s := sig.scratch
	list, err := x.store.postings(ctx, bodyField, q.term, x.table.drawn, s.postings[:0])
	if err != nil {
		return err
	}
	s.postings = list
	n := float64(len(x.table.rows))
	global := idf(n, float64(len(list)))
	sig.idfs = append(sig.idfs, global)
	var cf float64
	for _, p := range list {
		doc := x.table.rows[p.ord].doc
		s.docDF[doc]++
		s.docTF[doc] += float64(p.tf)
		cf += float64(p.tf)
		s.holds[p.ord] |= 1 << i
	}
	sig.cfs = append(sig.cfs, cf)
	for _, p := range list {
		r := &x.table.rows[p.ord]
		tfn := saturate(float64(p.tf), float64(r.length), x.avgLen, bodyK1, bodyB)
		plain := q.weight * global * tfn
		s.plain[p.ord] += plain
		switch {
		case x.nameOf[r.doc] == nil:
			s.scoped[p.ord] += plain
		case !x.inName(r.doc, q.term):
			local := global
			if size := len(x.members[r.doc]); size >= inDocMin {
				local = idf(float64(size), float64(s.docDF[r.doc]))
			}
			s.scoped[p.ord] += q.weight * (global + local) / 2 * tfn
		default:
			s.names[p.ord] += plain
		}
	}
	x.scoreDocuments(q, list, s)
	return nil
}

// scoreDocuments adds one term's part to the documents' BM25, whose bag is
// that of all passages and, three times, the name. It clears docTF and docDF.
func (x *Index) scoreDocuments(q weighted, list []posting, s *scratch) {
	var docs []int32
	for _, named := range x.named[q.term] {
		if s.docTF[named.doc] == 0 {
			docs = append(docs, named.doc)
		}
		s.docTF[named.doc] += float64(nameWeight * named.count)
	}
	for _, p := range list {
		if doc := int32(x.table.rows[p.ord].doc); s.docDF[doc] > 0 {
			docs = append(docs, doc)
			s.docDF[doc] = 0
		}
	}
	weight := idf(float64(len(x.table.docs)), float64(len(docs)))
	for _, doc := range docs {
		s.docs[doc] += q.weight * math.Sqrt(weight) * weight * saturate(s.docTF[doc], x.docLen[doc], x.avgDoc, bodyK1, bodyB)
		s.docTF[doc] = 0
	}
}

// gateDocuments finds the best document and how far it is ahead. The margin
// is near zero where every document speaks of the same things, and large
// when a query names one.
func (x *Index) gateDocuments(sig *signals) {
	var second float64
	for doc, score := range sig.docs {
		switch {
		case score > sig.top:
			second, sig.top, sig.best = sig.top, score, doc
		case score > second:
			second = score
		}
	}
	if sig.top > 0 && len(x.table.docs) > 1 {
		sig.gate = 1 - second/sig.top
	}
}

// restoreNames gives passages the part of the words of their document's name
// that the document's score does not already pay for. Where a query names a
// document clearly, the words chose it and say nothing within it; where it
// does not, as with a topic that several documents treat, dropping them would
// hand the query to the documents that are named otherwise.
func (x *Index) restoreNames(sig *signals) {
	for ord, part := range sig.names {
		if part > 0 {
			sig.scoped[ord] += part * max(0, 1-documentWeight*x.document(sig, int32(ord)))
		}
	}
}

// document is the gated score of a passage's document. Where most passages
// are documents of their own it says nothing about those.
func (x *Index) document(sig *signals, ord int32) float64 {
	doc := x.table.rows[ord].doc
	if sig.top == 0 || !x.grouped && len(x.members[doc]) < 2 {
		return 0
	}
	return sig.docs[doc] / sig.top * sig.gate
}

// withoutName drops the words of a document's name from a query that has at
// least two others: they chose the document, and say nothing within it.
func (x *Index) withoutName(list []string, doc int) []string {
	if doc < 0 || x.nameOf[doc] == nil {
		return list
	}
	var rest []string
	for _, t := range list {
		if !x.inName(doc, t) {
			rest = append(rest, t)
		}
	}
	if len(rest) < 2 {
		return list
	}
	return rest
}

func (x *Index) scorePairs(ctx context.Context, list []string, s *scratch) error {
	for _, q := range weigh(bigrams(list), count) {
		found, err := x.store.postings(ctx, bigramField, q.term, x.table.drawn, s.postings[:0])
		if err != nil {
			return err
		}
		s.postings = found
		weight := q.weight * idf(float64(len(x.table.rows)), float64(len(found)))
		for _, p := range found {
			s.pairs[p.ord] += weight * saturate(float64(p.tf), float64(x.table.rows[p.ord].bigrams), x.avgPairs, pairK1, pairB)
		}
	}
	return nil
}

func (x *Index) scoreCosine(list []string, s *scratch) {
	query, known := x.model.Project(lsa.Bag(list))
	if known == 0 {
		return
	}
	scale := math.Sqrt(known)
	for ord := range s.cosine {
		s.cosine[ord] = max(0, scale*lsa.Dot(query, x.vector(int32(ord))))
	}
}

func (x *Index) vector(ord int32) []float32 {
	dims := x.model.Dims()
	return x.vectors[int(ord)*dims : (int(ord)+1)*dims]
}

// graphDims is how many leading dimensions tell how alike two passages are.
const graphDims = 100

// alike is the cosine of two passages over the leading dimensions.
func (x *Index) alike(a, b int32) float64 {
	u, v := x.vector(a), x.vector(b)
	if len(u) <= graphDims {
		return max(0, lsa.Dot(u, v))
	}
	u, v = u[:graphDims], v[:graphDims]
	norm := math.Sqrt(lsa.Dot(u, u) * lsa.Dot(v, v))
	if norm == 0 {
		return 0
	}
	return max(0, lsa.Dot(u, v)/norm)
}

// best returns the k passages with the highest positive values, best first;
// of equals, the one with the lower ordinal.
func best(values []float64, k int) []int32 {
	var heap []int32 // sorted, worst last; k is small
	worse := func(a, b int32) bool {
		if values[a] != values[b] {
			return values[a] < values[b]
		}
		return a > b
	}
	for i, v := range values {
		ord := int32(i)
		if v <= 0 || len(heap) == k && !worse(heap[k-1], ord) {
			continue
		}
		at, _ := slices.BinarySearchFunc(heap, ord, func(a, b int32) int {
			if worse(b, a) {
				return -1
			}
			return 1
		})
		if len(heap) == k {
			heap = heap[:k-1]
		}
		heap = slices.Insert(heap, at, ord)
	}
	return heap
}
