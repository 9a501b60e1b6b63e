package ranking

import (
	"cmp"
	"context"
	"slices"

	"example.com/assay/memory/index/internal/analysis"
	"example.com/assay/memory/index/internal/codec"
	"example.com/assay/memory/index/internal/queryterms"
	"example.com/assay/memory/index/internal/storage"
)

// occurrences are where a term occurs, with the numbers of BM25 that every wording of a
// question shares.
type occurrences struct {
	idf       float64   // over passages
	total     float64   // occurrences in all passages
	ords      []int32   // passages, those of one document one after the other
	saturated []float64 // the part of BM25 that depends on the passage
	docs      []docOccurrences
	docIDF    float64 // over documents
}

// docOccurrences are those in one document.
type docOccurrences struct {
	doc       int32
	passages  int32   // that hold the term; none where only the document's name does
	here      int32   // of them, those that are in the index's table: all, but in a pool
	saturated float64 // the part of BM25 that depends on the document
	idf       float64 // in a document of many passages over these; -1 where its name holds the term
}

// postingLists are the occurrences of the terms of one question and its other wordings,
// which share most of them: each term is read once.
type postingLists struct {
	at   map[string]int
	list []*occurrences // reused, also its elements, by the next question
	used int
	same []queryterms.OtherForm // whose terms are read with the postings of the other form
}

// of returns the occurrences of a term that was fetched.
func (l *postingLists) of(term string) *occurrences { return l.list[l.at[term]] }

// reset forgets the terms and keeps the memory.
func (l *postingLists) reset(same []queryterms.OtherForm) {
	clear(l.at)
	l.used, l.same = 0, same
}

// together is the number of passages from which the postings of several terms are read at
// the same time.
const together = 4096

// fetch reads the postings of terms that were not read yet, on all processors
// where the corpus is large.
func (x *Corpus) fetch(ctx context.Context, terms []weighted, l *postingLists) error {
	if l.at == nil {
		l.at = make(map[string]int)
	}
	from := l.used
	var missing []string
	for _, q := range terms {
		if _, ok := l.at[q.term]; ok {
			continue
		}
		l.at[q.term] = l.used
		if l.used == len(l.list) {
			l.list = append(l.list, new(occurrences))
		}
		l.used++
		missing = append(missing, q.term)
	}
	errs := make([]error, len(missing))
	read := func(i int) {
		g := x.gatherers.Get().(*gatherer)
		defer x.gatherers.Put(g)
		errs[i] = codec.Guarded(func() error { return x.gather(ctx, missing[i], l.same, g, l.list[from+i]) })
	}
	if x.Table.Len() >= together {
		codec.Parallel(len(missing), read)
	} else {
		for i := range missing {
			read(i)
		}
	}
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// A gatherer is the memory in which one goroutine gathers postings.
type gatherer struct {
	list, sorted []storage.Posting
	place        []int32 // per document: its place among those that hold the term, plus one; 0 between two terms
}

// gather reads the postings of a term, brings those of a document together, and
// computes what all wordings need of them.
func (x *Corpus) gather(ctx context.Context, term string, same []queryterms.OtherForm, g *gatherer, o *occurrences) (err error) {
	g.list, err = x.Store.Postings(ctx, storage.BodyField, term, g.list[:0])
	if err == nil {
		g.list, err = x.withOther(ctx, term, g.list, same)
	}
	if err != nil {
		return err
	}
	list, all := x.byDocument(term, g, o)
	o.idf = idf(float64(x.Passages), float64(all.passages))
	o.docIDF = idf(float64(x.Documents), float64(all.documents))
	for i := range o.docs {
		d := &o.docs[i]
		g.place[d.doc] = 0
		d.saturated = saturate(d.saturated, x.docLen[d.doc], x.AvgDoc, x.K1, x.B)
		switch size := x.sizes[d.doc]; {
		case d.idf < 0:
		case x.Table.NameOf[d.doc] == nil || size < inDocMin:
			d.idf = o.idf
		default:
			d.idf = idf(float64(size), float64(d.passages))
		}
	}
	o.total = 0
	o.ords, o.saturated = slices.Grow(o.ords[:0], len(list)), slices.Grow(o.saturated[:0], len(list))
	for _, p := range list {
		tf := float64(p.TF)
		o.total += tf
		o.ords = append(o.ords, p.Ord)
		o.saturated = append(o.saturated, (x.K1+1)*tf/(tf+x.norm[p.Ord]))
	}
	o.total = max(o.total, all.total)
	return nil
}

// byDocument counts the occurrences in each document, three times those in its name,
// and returns the gathered postings with those of a document one after the other, and
// how many there are in the generation.
func (x *Corpus) byDocument(term string, g *gatherer, o *occurrences) ([]storage.Posting, termTotals) {
	o.docs = o.docs[:0]
	add := func(doc int32) *docOccurrences {
		if g.place[doc] == 0 {
			o.docs = append(o.docs, docOccurrences{doc: doc})
			g.place[doc] = int32(len(o.docs))
		}
		return &o.docs[g.place[doc]-1]
	}
	apart := false
	for _, p := range g.list {
		d := add(x.docOf[p.Ord])
		apart = apart || d != &o.docs[len(o.docs)-1]
		d.passages++
		d.here++
		d.saturated += float64(p.TF)
	}
	all := termTotals{passages: len(g.list)}
	if x.Lexicon != nil {
		all = x.completed(term, len(g.list), o, add)
	}
	for _, named := range x.named(term) {
		d := add(named.doc)
		d.saturated += float64(nameWeight * named.count)
		d.idf = -1
	}
	all.documents += len(o.docs)
	if !apart {
		return g.list, all
	}
	next := make([]int32, len(o.docs)+1)
	for i, d := range o.docs {
		next[i+1] = next[i] + d.here
	}
	g.sorted = slices.Grow(g.sorted[:0], len(g.list))[:len(g.list)]
	for _, p := range g.list {
		at := &next[g.place[x.docOf[p.Ord]]-1]
		g.sorted[*at] = p
		*at++
	}
	return g.sorted, all
}

// termTotals are what a generation holds of a term.
type termTotals struct {
	passages  int
	documents int // of one passage, without those at hand
	total     float64
}

// completed counts the documents of a term of which not all passages are at hand, and
// returns what the generation holds of it. add returns a document's occurrences.
func (x *Corpus) completed(term string, found int, o *occurrences, add func(doc int32) *docOccurrences) termTotals {
	alone := 0
	for _, d := range o.docs {
		if int(d.doc) >= len(x.Lexicon.Docs) {
			alone--
		}
	}
	passages, times := x.Lexicon.Held(term, func(doc int32, passages, times int) {
		d := add(doc)
		// What is at hand may be more: it counts other forms of the term, too.
		d.passages, d.saturated = max(d.passages, int32(passages)), max(d.saturated, float64(times))
		alone -= passages
	})
	return termTotals{passages: max(found, passages), documents: max(0, alone+passages), total: float64(times)}
}

// withOther adds to the postings of a term those of the other form of what it is part
// of: all terms of an abbreviated phrase are where its abbreviation is, and an
// abbreviation is where all words of the phrase follow each other.
func (x *Corpus) withOther(ctx context.Context, term string, list []storage.Posting, same []queryterms.OtherForm) ([]storage.Posting, error) {
	for _, o := range same {
		if !slices.Contains(o.Terms, term) {
			continue
		}
		more, err := x.phrase(ctx, o.Other)
		if err != nil {
			return nil, err
		}
		list = united(list, more)
	}
	return list, nil
}

// phrase are the postings of terms that follow each other, how often at most.
func (x *Corpus) phrase(ctx context.Context, list []string) ([]storage.Posting, error) {
	if len(list) == 1 {
		return x.Store.Postings(ctx, storage.BodyField, list[0], nil)
	}
	var out []storage.Posting
	for i, pair := range analysis.Bigrams(list) {
		found, err := x.Store.Postings(ctx, storage.BigramField, pair, nil)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			out = found
			continue
		}
		times := make(map[int32]int32, len(found))
		for _, p := range found {
			times[p.Ord] = p.TF
		}
		kept := out[:0]
		for _, p := range out {
			if n := min(p.TF, times[p.Ord]); n > 0 {
				kept = append(kept, storage.Posting{Ord: p.Ord, TF: n})
			}
		}
		out = kept
	}
	return out, nil
}

// united adds postings to others, one for each passage, in the order of the passages.
func united(list, more []storage.Posting) []storage.Posting {
	list = append(list, more...)
	slices.SortFunc(list, func(a, b storage.Posting) int { return cmp.Compare(a.Ord, b.Ord) })
	out := list[:0]
	for _, p := range list {
		if n := len(out); n > 0 && out[n-1].Ord == p.Ord {
			out[n-1].TF += p.TF
			continue
		}
		out = append(out, p)
	}
	return out
}
