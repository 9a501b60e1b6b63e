package ranking

import (
	"context"
	"math"
	"slices"

	"golang.org/x/sync/errgroup"

	"example.com/assay/memory/citation"
	"example.com/assay/memory/index/internal/analysis"
	"example.com/assay/memory/index/internal/codec"
	"example.com/assay/memory/index/internal/queryterms"
	"example.com/assay/memory/retrieval"
	"example.com/assay/state"
)

// DefaultK is how many hits a query gets that does not say how many.
const DefaultK = 5

// Sizes of the lists of candidates.
const (
	PoolLexical = 100 // by BM25 and document score
	PoolCosine  = 50  // by each embedder
	poolLinks   = 20
	bridges     = 5  // best passages whose text is searched for titles
	graphSeeds  = 20 // best passages that others are compared with
	MaxQueries  = 8  // alternatives that are looked at
)

// Weights of the ranking, set by design and checked on public collections.
const (
	pairWeight        = .25
	cosineWeight      = .2
	linkWeight        = 1.0
	linkWeightGrouped = .25 // where documents have several passages
	documentWeight    = 3.0
	graphWeight       = .1
	meaningWeight     = 2.0 // fitted over four manuals: 1 finds fewer plain questions, 3 fewer in the manual's words
)

// round cuts the numbers of a result to six decimals. Further decimals differ between
// processors that fuse operations and others, and traces are compared byte by byte.
func round(r *retrieval.Result) {
	r.Confidence, r.Similarity, r.Strength = rounded(r.Confidence), rounded(r.Similarity), rounded(r.Strength)
	for _, h := range r.Hits {
		for i := range h.Scores {
			h.Scores[i].Value = rounded(h.Scores[i].Value)
		}
	}
}

func rounded(v float64) float64 { return math.Round(v*1e6) / 1e6 }

// An Asked query is what is known of a query before the files are read.
type Asked struct {
	Terms     []string    // of the primary query
	Vectors   [][]float32 // of the primary query and its alternatives; nil without an embedder
	About     [][]float32 // of the texts of Query.About; nil without an embedder
	Citations []citation.Citation
	Respelt   queryterms.Respelling
}

// vector returns the vector of the primary query, 0, or of an alternative.
func (a Asked) vector(i int) []float32 {
	if i >= len(a.Vectors) {
		return nil
	}
	return a.Vectors[i]
}

// Search ranks the passages for a query of which some is known.
func (x *Corpus) Search(ctx context.Context, a Asked, q retrieval.Query) (retrieval.Result, error) {
	k := q.K
	if k <= 0 {
		k = DefaultK
	}
	only, err := x.subset(ctx, q.Filter)
	if err != nil || len(a.Terms) == 0 || x.Passages == 0 {
		return retrieval.Result{}, err
	}
	excluded := x.excluded(q.Exclude)
	out := func(ord int32) bool { return excluded[ord] || !only.has(ord) }

	s := x.scratch.Get().(*scratch)
	s.only = only
	defer func() { s.only = nil; x.scratch.Put(s) }()
	var known *Precedents
	if x.Trained != nil && q.Primary != "" {
		known = x.Trained.Precedents
	}
	f, err := x.find(ctx, a, q, out, known, -1, s)
	if err != nil {
		return retrieval.Result{}, err
	}
	hits, err := x.distinct(ctx, f.ranked, max(k, judged, mmrPool(q, k)), q.Repeats)
	if err != nil {
		return retrieval.Result{}, err
	}
	result := retrieval.Result{Candidates: len(f.ranked), Widened: f.widened, Citations: f.cited}
	e := evidence{similarity: x.similarity(f.signals, hits), strength: x.strength(f.signals, hits, out)}
	if len(q.About) > 0 {
		if e, err = x.measured(ctx, q, a, hits, out, only); err != nil {
			return retrieval.Result{}, err
		}
	}
	result.Similarity, result.Strength = e.similarity, e.strength
	result.Confidence = x.Confidence(e.similarity, e.strength)
	if known != nil {
		if err := x.reorder(ctx, q.Primary, a.Terms, f); err != nil {
			return retrieval.Result{}, err
		}
		if hits, err = x.distinct(ctx, f.ranked, max(k, mmrPool(q, k)), q.Repeats); err != nil {
			return retrieval.Result{}, err
		}
		result.Reranker = x.Trained.ID
	}
	if q.MMR > 0 {
		hits = x.diversify(hits, q.MMR, k)
	}
	for i, h := range hits[:min(k, len(hits))] {
		hit := state.Hit{Rank: i + 1, Passage: h.passage, Scores: h.scores(x.Meaning != nil), Copies: h.copies}
		if f.signals.meaning != nil && x.Meaning.Pieces() {
			hit.Near = x.Meaning.Cosines(f.signals.meaning, h.ord)
		}
		if q.MMR > 0 {
			hit.Scores = append(hit.Scores, state.Score{Ranker: retrieval.RankerMMR, Value: h.mmr})
		}
		if hit.Before, hit.After, err = x.neighbours(ctx, h.ord, q.Neighbours, only); err != nil {
			return retrieval.Result{}, err
		}
		result.Hits = append(result.Hits, hit)
	}
	round(&result)
	return result, nil
}

// A found holds the ranked candidates of a query and their signals. It is valid until its
// scratch is used again.
type found struct {
	signals  *signals
	ranked   []candidate
	recalled *recollection // nil without judged questions
	without  int           // the judged question that is left out; -1 for none
	cited    []retrieval.Cited
	widened  int // candidates that only alternatives brought
}

// find pools the candidates of a query and its alternatives, and ranks them.
func (x *Corpus) find(ctx context.Context, a Asked, q retrieval.Query, out func(int32) bool, known *Precedents, without int, s *scratch) (*found, error) {
	wordings, err := x.wordings(ctx, a, q.Alternatives, &s.lists)
	if err != nil {
		return nil, err
	}
	others, wait := x.alternatives(wordings[1:], out, s)
	defer func() { _ = wait() }() // also after an error: it reads files that the caller may close
	sig, residual := x.scoreScoped(wordings[0], &s.lists, s)
	sig.scorePlain()
	if err := x.scorePairs(ctx, residual, s); err != nil {
		return nil, err
	}
	f := &found{signals: sig, without: without}
	pool := x.candidates(sig, out)
	if err := wait(); err != nil {
		return nil, err
	}
	near := x.nearest(append([]*signals{sig}, others.signals...), out)
	pool = append(pool, near[0]...)
	links, err := x.links(ctx, sig)
	if err != nil {
		return nil, err
	}
	pool = append(pool, linked(links, out)...)
	var cited map[int32]lifted
	if cited, f.cited, err = x.resolve(ctx, q.Primary, a.Citations, sig); err != nil {
		return nil, err
	}
	pool = append(pool, lift(cited, sig, out)...)
	if known != nil {
		f.recalled = x.recall(known, sig.terms, without)
		pool = append(pool, f.recalled.candidates(out)...)
	}
	pool = analysis.Distinct(pool)
	own := len(pool)
	pool = analysis.Distinct(slices.Concat(pool, others.pool, slices.Concat(near[1:]...)))
	f.widened = len(pool) - own
	f.ranked = x.fuse(sig, pool, links, cited)
	return f, x.placed(ctx, sig, f.ranked)
}

func (x *Corpus) excluded(ids []string) map[int32]bool {
	out := make(map[int32]bool, len(ids))
	for _, id := range ids {
		if ord, ok := x.Table.Find(id); ok {
			out[int32(ord)] = true
		}
	}
	return out
}

// wordings returns the query and its alternatives, and fetches their postings.
func (x *Corpus) wordings(ctx context.Context, a Asked, alternatives []string, lists *postingLists) ([]worded, error) {
	lists.reset(a.Respelt.Same)
	own, err := x.worded(ctx, a.Terms, a.vector(0))
	if err != nil {
		return nil, err
	}
	out, terms := []worded{own}, slices.Clone(own.terms)
	for i, text := range alternatives[:min(len(alternatives), MaxQueries)] {
		stems := a.Respelt.Terms(text)
		if len(stems) == 0 {
			continue
		}
		w, err := x.worded(ctx, stems, a.vector(i+1))
		if err != nil {
			return nil, err
		}
		out, terms = append(out, w), append(terms, w.terms...)
	}
	return out, x.fetch(ctx, terms, lists)
}

// apart is the number of passages from which alternatives are looked for in a goroutine,
// with a scratch of its own.
const apart = 100000

// An other holds what the alternatives of the query bring.
type other struct {
	signals []*signals // only their vectors are valid
	pool    []int32
}

// alternatives chooses candidates by the alternatives of the query. In a large corpus it
// returns at once and works on; the caller must call the function that it returns.
func (x *Corpus) alternatives(wordings []worded, out func(int32) bool, s *scratch) (*other, func() error) {
	found := new(other)
	look := func(own *scratch) {
		for _, w := range wordings {
			sig, _ := x.scoreScoped(w, &s.lists, own)
			found.signals, found.pool = append(found.signals, sig), append(found.pool, x.candidates(sig, out)...)
		}
	}
	if len(wordings) == 0 || x.Table.Len() < apart {
		look(s)
		return found, func() error { return nil }
	}
	own := x.scratch.Get().(*scratch)
	own.only = s.only
	var g errgroup.Group
	g.Go(func() error {
		defer func() { own.only = nil; x.scratch.Put(own) }()
		return codec.Guarded(func() error { look(own); return nil })
	})
	return found, g.Wait
}

// candidates lists the best passages by the words of one wording.
func (x *Corpus) candidates(sig *signals, out func(int32) bool) []int32 {
	largest := 0.0
	for _, ord := range sig.touched {
		largest = max(largest, sig.scoped[ord])
	}
	if largest <= 0 {
		largest = 1
	}
	return bestOf(PoolLexical, sig.touched, scoring{
		scores: sig.scoped, largest: largest,
		more:   func(ord int32) float64 { return documentWeight * x.document(sig, ord) },
		most:   documentWeight * sig.gate,
		others: func(least float64) []int32 { return x.ofDocuments(sig, least) },
	}, out)
}

// nearest lists the best passages of each wording by the embedders.
func (x *Corpus) nearest(wordings []*signals, out func(int32) bool) [][]int32 {
	pools, latent, meant := make([][]int32, len(wordings)), make([][]float32, len(wordings)), make([][]float32, len(wordings))
	for i, sig := range wordings {
		latent[i], meant[i] = sig.latent, sig.meaning
	}
	for i, matches := range x.Vectors.TopOfEach(latent, PoolCosine, 0, out) {
		for _, m := range matches {
			pools[i] = append(pools[i], m.Row)
		}
	}
	if x.Meaning != nil && x.Meaning.Scale.Tells() {
		for i, found := range x.Meaning.Top(meant, PoolCosine, x.Meaning.Scale.Floor, out) {
			pools[i] = append(pools[i], found...)
		}
	}
	return pools
}

// ofDocuments lists the passages of documents whose score alone reaches least.
func (x *Corpus) ofDocuments(sig *signals, least float64) []int32 {
	var list []int32
	if sig.top == 0 || documentWeight*sig.gate*(1+1e-9) < least || sig.gate == 0 {
		return nil
	}
	floor := least / documentWeight / sig.gate * sig.top * (1 - 1e-9)
	for doc, score := range sig.docs {
		if score <= 0 || score < floor {
			continue
		}
		if members := x.members(int32(doc)); len(members) > 0 && documentWeight*x.document(sig, members[0]) >= least {
			list = append(list, members...)
		}
	}
	return list
}
