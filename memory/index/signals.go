package index

import (
	"cmp"
	"context"
	"math"
	"slices"

	"example.com/assay/memory/lsa"
	"example.com/assay/memory/vector"
)

// Parameters of the BM25 of word pairs, and others; that of passages and documents
// has its own in the manifest.
const (
	pairK1, pairB = .9, .4
	inDocMin      = 10 // a document of fewer passages has no idf of its own
	maxTerms      = 64 // distinct terms of a query that are looked at
)

// idf is BM25's inverse document frequency with one added, so that it is
// positive for every term.
func idf(n, df float64) float64 { return math.Log(1 + (n-df+.5)/(df+.5)) }

// saturate is BM25's term frequency part.
func saturate(tf, length, avg, k1, b float64) float64 {
	return (k1 + 1) * tf / (tf + lengthNorm(length, avg, k1, b))
}

// lengthNorm is what saturate adds to the frequency.
func lengthNorm(length, avg, k1, b float64) float64 {
	if avg == 0 {
		avg = 1
	}
	return k1 * (1 - b + b*length/avg)
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
	out := make([]weighted, len(bag))
	for i, t := range bag {
		out[i] = weighted{term: t.Text, weight: fn(float64(t.N))}
	}
	return out
}

func count(n float64) float64 { return n }

// telling returns the terms that say most about which passages are meant, no more
// than maxTerms, in the order given: those that the fewest passages hold. Terms that
// no passage holds find nothing and are the first to go.
func (x *Index) telling(ctx context.Context, field string, terms []weighted) ([]weighted, error) {
	if len(terms) <= maxTerms {
		return terms, nil
	}
	held := make(map[string]uint64, len(terms)) // passages with a term, less one: none is the most
	for _, q := range terms {
		n, err := x.store.frequency(ctx, field, q.term)
		if err != nil {
			return nil, err
		}
		held[q.term] = n - 1
	}
	rarest := slices.Clone(terms)
	slices.SortStableFunc(rarest, func(a, b weighted) int { return cmp.Compare(held[a.term], held[b.term]) })
	rarest = rarest[:maxTerms]
	slices.SortFunc(rarest, func(a, b weighted) int { return cmp.Compare(a.term, b.term) })
	return rarest, nil
}

// scratch holds the scores of every passage and document for one query. It
// is reused, and cleared before use: only what was touched, since most
// queries touch few passages.
type scratch struct {
	plain, scoped []float64 // BM25; BM25 with in-document idf and with name words as far as restoreNames says
	names         []float64 // the name words' part of BM25
	pairs         []float64 // BM25 of bigrams
	holds         []uint64  // bit i: the passage holds term i of the query
	docs          []float64 // BM25 of documents
	touched       []int32   // passages that hold a term, each once
	paired        []int32   // passages that hold a bigram, each once
	only          *subset   // what a filter lets through; nil for all

	// Of one term, and zero between two of them.
	docTF  []float64
	docDF  []int     // passages of a document that hold it
	docIDF []float64 // among those passages
	inName []bool    // whether the document's name has it

	lists postingLists
}

func newScratch(passages, docs int) *scratch {
	return &scratch{
		plain: make([]float64, passages), scoped: make([]float64, passages), names: make([]float64, passages),
		pairs: make([]float64, passages), holds: make([]uint64, passages), docs: make([]float64, docs),
		docTF: make([]float64, docs), docDF: make([]int, docs), docIDF: make([]float64, docs), inName: make([]bool, docs),
	}
}

func (s *scratch) clear() {
	for _, ord := range s.touched {
		s.plain[ord], s.scoped[ord], s.names[ord], s.holds[ord] = 0, 0, 0, 0
	}
	for _, ord := range s.paired {
		s.pairs[ord] = 0
	}
	s.touched, s.paired = s.touched[:0], s.paired[:0]
	clear(s.docs)
}

// signals are the scores of one query, each over all passages.
type signals struct {
	*scratch
	terms   []weighted
	idfs    []float64 // per term, over passages
	cfs     []float64 // per term, occurrences in all passages
	best    int       // the document that scores best, -1 for none
	top     float64   // its score
	gate    float64   // 1 − second best / best document score
	latent  []float32 // the query in the offline embedder's space; nil when it knows no word of it
	known   float64   // by which a cosine there is lowered: the root of the share of the query that it knows
	meaning []float32 // the query in a remote embedder's space; nil without one

	plainBest []int32 // what bestPlain found; nil before
}

// score computes the signals that candidates are chosen by. vector is the
// query's in the space of a remote embedder; nil leaves that signal at zero.
// What it returns besides is the query without the words of a document's name.
func (x *Index) score(ctx context.Context, list []string, vector []float32, s *scratch) (*signals, []string, error) {
	s.clear()
	terms, err := x.telling(ctx, bodyField, weigh(list, math.Sqrt))
	if err != nil {
		return nil, nil, err
	}
	sig := &signals{scratch: s, terms: terms, best: -1}
	if err := x.fetch(ctx, bodyField, sig.terms, &s.lists); err != nil {
		return nil, nil, err
	}
	for i, q := range sig.terms {
		x.scoreTerm(i, q, sig)
	}
	s.only.lexical(s)
	x.gateDocuments(sig)
	x.restoreNames(sig)
	residual := x.withoutName(list, sig.best)
	x.project(residual, sig)
	if x.meaning != nil && len(vector) == x.meaning.dims {
		sig.meaning = vector
	}
	return sig, residual, nil
}

// scoreTerm adds one term's part to the passages' and documents' BM25.
func (x *Index) scoreTerm(i int, q weighted, sig *signals) {
	s := sig.scratch
	list := s.lists.of(q.term)
	global := idf(float64(x.table.len()), float64(len(list)))
	sig.idfs = append(sig.idfs, global)
	var cf float64
	for _, p := range list {
		doc := x.docOf[p.ord]
		s.docDF[doc]++
		s.docTF[doc] += float64(p.tf)
		cf += float64(p.tf)
		if s.holds[p.ord] == 0 {
			s.touched = append(s.touched, p.ord)
		}
		s.holds[p.ord] |= 1 << i
	}
	sig.cfs = append(sig.cfs, cf)
	for _, named := range x.named[q.term] {
		s.inName[named.doc] = true
	}
	for _, p := range list {
		doc := x.docOf[p.ord]
		tf := float64(p.tf)
		tfn := (x.bm25.K1 + 1) * tf / (tf + x.norm[p.ord])
		plain := q.weight * global * tfn
		s.plain[p.ord] += plain
		switch {
		case x.nameOf[doc] == nil:
			s.scoped[p.ord] += plain
		case !s.inName[doc]:
			s.scoped[p.ord] += q.weight * (global + x.localIDF(doc, global, s)) / 2 * tfn
		default:
			s.names[p.ord] += plain
		}
	}
	x.scoreDocuments(q, list, s)
	for _, named := range x.named[q.term] {
		s.inName[named.doc] = false
	}
}

// localIDF is a term's idf among the passages of a document, that among all
// where it has few.
func (x *Index) localIDF(doc int32, global float64, s *scratch) float64 {
	size := len(x.members[doc])
	if size < inDocMin {
		return global
	}
	if s.docIDF[doc] == 0 { // it is never 0
		s.docIDF[doc] = idf(float64(size), float64(s.docDF[doc]))
	}
	return s.docIDF[doc]
}

// scoreDocuments adds one term's part to the documents' BM25, whose bag is
// that of all passages and, three times, the name. It clears what is of one
// term.
func (x *Index) scoreDocuments(q weighted, list []posting, s *scratch) {
	var docs []int32
	for _, named := range x.named[q.term] {
		if s.docTF[named.doc] == 0 {
			docs = append(docs, named.doc)
		}
		s.docTF[named.doc] += float64(nameWeight * named.count)
	}
	for _, p := range list {
		if doc := x.docOf[p.ord]; s.docDF[doc] > 0 {
			docs = append(docs, doc)
			s.docDF[doc], s.docIDF[doc] = 0, 0
		}
	}
	weight := idf(float64(len(x.table.docs)), float64(len(docs)))
	for _, doc := range docs {
		s.docs[doc] += q.weight * math.Sqrt(weight) * weight * saturate(s.docTF[doc], x.docLen[doc], x.avgDoc, x.bm25.K1, x.bm25.B)
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
	for _, ord := range sig.touched {
		if part := sig.names[ord]; part > 0 {
			sig.scoped[ord] += part * max(0, 1-documentWeight*x.document(sig, ord))
		}
	}
}

// document is the gated score of a passage's document. Where most passages
// are documents of their own it says nothing about those.
func (x *Index) document(sig *signals, ord int32) float64 {
	doc := x.docOf[ord]
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

// scorePairs adds BM25 of adjacent words.
func (x *Index) scorePairs(ctx context.Context, list []string, s *scratch) error {
	found, err := x.telling(ctx, bigramField, weigh(bigrams(list), count))
	if err != nil {
		return err
	}
	if err := x.fetch(ctx, bigramField, found, &s.lists); err != nil {
		return err
	}
	for _, q := range found {
		list := s.lists.of(q.term)
		weight := q.weight * idf(float64(x.table.len()), float64(len(list)))
		for _, p := range list {
			if s.pairs[p.ord] == 0 {
				s.paired = append(s.paired, p.ord)
			}
			s.pairs[p.ord] += weight * saturate(float64(p.tf), float64(x.table.number(p.ord, rowBigrams)), x.avgPairs, pairK1, pairB)
		}
	}
	return nil
}

// project places the query in the offline embedder's space.
func (x *Index) project(list []string, sig *signals) {
	query, known := x.model.Project(lsa.Bag(list))
	if known > 0 {
		sig.latent, sig.known = query, math.Sqrt(known)
	}
}

// cosine is a passage's likeness to the query in the offline embedder's
// space, at least 0.
func (x *Index) cosine(sig *signals, ord int32) float64 {
	if sig.latent == nil {
		return 0
	}
	return max(0, sig.known*x.vectors.Dot(sig.latent, ord))
}

// near is a passage's likeness to the query in a remote embedder's space, by
// its scale; 0 without one.
func (x *Index) near(sig *signals, ord int32) float64 {
	if sig.meaning == nil {
		return 0
	}
	return x.meaning.scale.of(x.meaning.set.Dot(sig.meaning, ord))
}

func (x *Index) vector(ord int32) []float32 { return x.vectors.Row(ord) }

// graphDims is how many leading dimensions tell how alike two passages are.
const graphDims = 100

// alike is the cosine of two passages over the leading dimensions.
func (x *Index) alike(a, b int32) float64 { return alike(x.vector(a), x.vector(b)) }

func alike(u, v []float32) float64 {
	if len(u) <= graphDims {
		return max(0, vector.Dot(u, v))
	}
	u, v = u[:graphDims], v[:graphDims]
	norm := math.Sqrt(vector.Dot(u, u) * vector.Dot(v, v))
	if norm == 0 {
		return 0
	}
	return max(0, vector.Dot(u, v)/norm)
}
