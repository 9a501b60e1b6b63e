package ranking

import (
	"cmp"
	"context"
	"math"
	"slices"

	"example.com/assay/memory/index/internal/analysis"
	"example.com/assay/memory/index/internal/storage"
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
func (x *Corpus) telling(ctx context.Context, field string, terms []weighted) ([]weighted, error) {
	if len(terms) <= maxTerms {
		return terms, nil
	}
	held := make(map[string]uint64, len(terms)) // passages with a term, less one: none is the most
	for _, q := range terms {
		n, err := x.Store.Frequency(ctx, field, q.term)
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

// scratch holds the scores of every passage and document for one query. It is reused.
// Before use only what was touched is cleared, since most queries touch few passages.
type scratch struct {
	plain   []float64 // BM25; of what scorePlain was asked for
	scoped  []float64 // BM25 with in-document idf and with name words as far as restoreNames says
	names   []float64 // the name words' part of BM25
	pairs   []float64 // BM25 of bigrams
	holds   []uint64  // bit i: the passage holds term i of the query
	docs    []float64 // BM25 of documents
	touched []int32   // passages that hold a term, each once
	named   []int32   // passages that hold a term of their document's name, each once
	paired  []int32   // passages that hold a bigram, each once
	only    *subset   // what a filter lets through; nil for all

	lists postingLists
}

func newScratch(passages, docs int) *scratch {
	return &scratch{
		plain: make([]float64, passages), scoped: make([]float64, passages), names: make([]float64, passages),
		pairs: make([]float64, passages), holds: make([]uint64, passages), docs: make([]float64, docs),
	}
}

func (s *scratch) clear() {
	for _, ord := range s.touched {
		s.plain[ord], s.scoped[ord], s.holds[ord] = 0, 0, 0
	}
	for _, ord := range s.named {
		s.names[ord] = 0
	}
	for _, ord := range s.paired {
		s.pairs[ord] = 0
	}
	s.touched, s.named, s.paired = s.touched[:0], s.named[:0], s.paired[:0]
	clear(s.docs)
}

// A worded query is one wording of it.
type worded struct {
	stems  []string
	terms  []weighted // those of the stems that are looked at
	vector []float32  // in the space of a remote embedder; nil without one
}

func (x *Corpus) worded(ctx context.Context, stems []string, vector []float32) (worded, error) {
	terms, err := x.telling(ctx, storage.BodyField, weigh(stems, math.Sqrt))
	return worded{stems, terms, vector}, err
}

// signals are the scores of one query, each over all passages.
type signals struct {
	*scratch
	terms   []weighted
	found   []*occurrences // per term
	idfs    []float64      // per term, over passages
	cfs     []float64      // per term, occurrences in all passages
	best    int            // the document that scores best, -1 for none
	top     float64        // its score
	gate    float64        // 1 − second best / best document score
	latent  []float32      // the query in the offline embedder's space; nil when it knows no word of it
	known   float64        // by which a cosine there is lowered: the root of the share of the query that it knows
	meaning []float32      // the query in a remote embedder's space; nil without one

	plainBest []int32 // what bestPlain found; nil before
}

// score computes the signals of a wording that shares its postings with no other.
// vector is the query's in the space of a remote embedder; nil leaves that signal at
// zero. What it returns besides is the query without the words of a document's name.
func (x *Corpus) score(ctx context.Context, stems []string, vector []float32, s *scratch) (*signals, []string, error) {
	w, err := x.worded(ctx, stems, vector)
	if err == nil {
		err = x.fetch(ctx, w.terms, &s.lists)
	}
	if err != nil {
		return nil, nil, err
	}
	sig, residual := x.scoreScoped(w, &s.lists, s)
	sig.scorePlain()
	return sig, residual, nil
}

// scoreScoped computes the signals that candidates are chosen by, and returns besides
// the query without the words of a document's name. The postings were fetched.
func (x *Corpus) scoreScoped(w worded, lists *postingLists, s *scratch) (*signals, []string) {
	s.clear()
	sig := &signals{scratch: s, terms: w.terms, best: -1}
	for i, q := range sig.terms {
		o := lists.of(q.term)
		sig.found, sig.idfs, sig.cfs = append(sig.found, o), append(sig.idfs, o.idf), append(sig.cfs, o.total)
		s.scoreTerm(1<<i, q.weight, o)
	}
	s.only.lexical(s)
	x.gateDocuments(sig)
	x.restoreNames(sig)
	residual := x.withoutName(w.stems, sig.best)
	x.project(residual, sig)
	if x.Meaning != nil && len(w.vector) == x.Meaning.Dims() {
		sig.meaning = w.vector
	}
	return sig, residual
}

// scoreTerm adds one term's part to the passages' and documents' BM25.
func (s *scratch) scoreTerm(bit uint64, weight float64, o *occurrences) {
	global, docWeight := weight*o.idf, weight*math.Sqrt(o.docIDF)*o.docIDF
	ords, saturated := o.ords, o.saturated
	for _, d := range o.docs {
		s.docs[d.doc] += docWeight * d.saturated
		local := weight * (o.idf + d.idf) / 2
		for i, ord := range ords[:d.here] {
			if s.holds[ord] == 0 {
				s.touched = append(s.touched, ord)
			}
			s.holds[ord] |= bit
			if d.idf > 0 {
				s.scoped[ord] += local * saturated[i]
				continue
			}
			if s.names[ord] == 0 {
				s.named = append(s.named, ord)
			}
			s.names[ord] += global * saturated[i]
		}
		ords, saturated = ords[d.here:], saturated[d.here:]
	}
}

// scorePlain computes the passages' BM25.
func (sig *signals) scorePlain() {
	for i, o := range sig.found {
		weight := sig.terms[i].weight * o.idf
		for j, ord := range o.ords {
			sig.plain[ord] += weight * o.saturated[j]
		}
	}
	sig.only.lexical(sig.scratch)
}

// gateDocuments finds the best document and how far it is ahead. The margin
// is near zero where every document speaks of the same things, and large
// when a query names one.
func (x *Corpus) gateDocuments(sig *signals) {
	var second float64
	for doc, score := range sig.docs {
		switch {
		case score > sig.top:
			second, sig.top, sig.best = sig.top, score, doc
		case score > second:
			second = score
		}
	}
	if sig.top > 0 && x.Documents > 1 {
		sig.gate = 1 - second/sig.top
	}
}

// restoreNames gives passages the BM25 of words of their document's name, as far as the
// document's score does not count them already. Where a query clearly names a document,
// these words say nothing within it. Where several documents treat a topic, leaving the
// words out would favour documents whose names lack them.
func (x *Corpus) restoreNames(sig *signals) {
	for _, ord := range sig.named {
		sig.scoped[ord] += sig.names[ord] * max(0, 1-documentWeight*x.document(sig, ord))
	}
}

// document is the gated score of a passage's document. Where most passages
// are documents of their own it says nothing about those.
func (x *Corpus) document(sig *signals, ord int32) float64 {
	doc := x.docOf[ord]
	if sig.top == 0 || !x.Grouped && x.sizes[doc] < 2 {
		return 0
	}
	return sig.docs[doc] / sig.top * sig.gate
}

// withoutName drops the words of a document's name from a query that has at
// least two others: they chose the document, and say nothing within it.
func (x *Corpus) withoutName(list []string, doc int) []string {
	if doc < 0 || x.Table.NameOf[doc] == nil {
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
func (x *Corpus) scorePairs(ctx context.Context, list []string, s *scratch) error {
	found, err := x.telling(ctx, storage.BigramField, weigh(analysis.Bigrams(list), count))
	if err != nil {
		return err
	}
	var held []storage.Posting
	for _, q := range found {
		if held, err = x.Store.Postings(ctx, storage.BigramField, q.term, held[:0]); err != nil {
			return err
		}
		among := len(held)
		if x.Lexicon != nil {
			among = max(among, x.Lexicon.Pair(q.term))
		}
		weight := q.weight * idf(float64(x.Passages), float64(among))
		for _, p := range held {
			if s.pairs[p.Ord] == 0 {
				s.paired = append(s.paired, p.Ord)
			}
			s.pairs[p.Ord] += weight * saturate(float64(p.TF), float64(x.Table.Pairs(p.Ord)), x.AvgPairs, pairK1, pairB)
		}
	}
	return nil
}

// project places the query in the offline embedder's space.
func (x *Corpus) project(list []string, sig *signals) {
	query, known := x.model.Project(lsa.Bag(list))
	if known > 0 {
		sig.latent, sig.known = query, math.Sqrt(known)
	}
}

// cosine is a passage's likeness to the query in the offline embedder's
// space, at least 0.
func (x *Corpus) cosine(sig *signals, ord int32) float64 {
	if sig.latent == nil {
		return 0
	}
	return max(0, sig.known*x.Vectors.Dot(sig.latent, ord))
}

// near is a passage's likeness to the query in a remote embedder's space, by
// its scale; 0 without one.
func (x *Corpus) near(sig *signals, ord int32) float64 {
	if sig.meaning == nil {
		return 0
	}
	return x.Meaning.Scale.Of(x.Meaning.Cosine(sig.meaning, ord))
}

func (x *Corpus) vector(ord int32) []float32 { return x.Vectors.Row(ord) }

// graphDims is how many leading dimensions tell how alike two passages are.
const graphDims = 100

// alike is the cosine of two passages over the leading dimensions.
func (x *Corpus) alike(a, b int32) float64 { return alike(x.vector(a), x.vector(b)) }

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
