package ranking

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"example.com/assay/memory/citation"
	"example.com/assay/memory/index/internal/analysis"
	"example.com/assay/memory/index/internal/storage"
	"example.com/assay/memory/retrieval"
	"example.com/assay/memory/text"
	"example.com/assay/memory/text/pattern"
)

// Scores of passages that a query names by their number. The first two exceed the sum of
// all other signals, so such passages come first, and the exact ones before the others. The
// third is for a number that several documents have, in a query that says more than the
// number: it adds half of the best BM25 score, and the other signals choose the document.
const (
	citedExactly    = 16.0
	citedNearly     = 8.0
	citedDoubtfully = .5
	poolCited       = 100 // passages that are lifted so
	idDocuments     = 3   // what looks like an identifier and stands for more documents than that is a word
)

// A lifted passage is one that the query names by its number.
type lifted struct {
	score float64
	doubt bool // its number is one of several documents, and the query says more than the number
}

// resolve finds the passages that a query names by their numbers, and how well it names
// them. For the confidence, a citation counts as one more word of the query; only the
// passages that it names exactly hold that word, each once.
func (x *Corpus) resolve(ctx context.Context, query string, list []citation.Citation, sig *signals) (map[int32]lifted, []retrieval.Cited, error) {
	if len(list) == 0 {
		return nil, nil, nil
	}
	up := map[int32]lifted{}
	note := func(ords []int32, l lifted) {
		for _, ord := range ords {
			if have, ok := up[ord]; !ok || l.score > have.score || l.score == have.score && !l.doubt {
				up[ord] = l
			}
		}
	}
	more := x.saysMore(query, list)
	out := make([]retrieval.Cited, 0, len(list))
	for _, c := range list {
		exact, near, found, err := x.part(ctx, c, sig.only)
		if err != nil {
			return nil, nil, err
		}
		exact, near = x.narrow(query, exact), x.narrow(query, near)
		one := retrieval.Cited{Text: c.Text, Exact: len(exact) > 0, Passages: max(len(exact), len(near))}
		if one.Exact {
			one.Passages = len(exact)
		}
		if one.Passages > 0 {
			one.Found = found.Name()
		}
		one.Documents = x.works(append(slices.Clone(exact), near...))
		doubt := more && one.Documents > 1
		out = append(out, one)
		note(near, lifted{citedNearly, doubt})
		note(exact, lifted{citedExactly, doubt})
		x.countCited(c, exact, sig)
	}
	return up, out, nil
}

// saysMore reports whether a query holds content words beside its citations.
func (x *Corpus) saysMore(query string, list []citation.Citation) bool {
	var rest strings.Builder
	at := 0
	for _, c := range list { // in order, not overlapping
		rest.WriteString(query[at:c.Start] + " ")
		at = c.End
	}
	rest.WriteString(query[at:])
	said := acronym.ReplaceAllString(rest.String(), " ")
	if x.Reader.IsEnglish(said) {
		return len(analysis.Terms(said, text.QueryStops)) > 0
	}
	return len(x.Reader.Terms(said)) > 0
}

// settle lowers what a doubtful number gave to passages. What is left still favours them.
func settle(ranked []candidate, up map[int32]lifted) {
	for i := range ranked {
		if c := &ranked[i]; up[c.ord].doubt {
			c.fused += citedDoubtfully - c.cited
			c.cited = citedDoubtfully
		}
	}
}

// part finds the passages that are what a citation names, and those that lie
// in it. Where there are none, those of the nearest wider part are near it.
func (x *Corpus) part(ctx context.Context, c citation.Citation, only *subset) (exact, near []int32, found citation.Citation, err error) {
	if exact, err = x.labelled(ctx, storage.OwnField, c, only); err != nil {
		return nil, nil, c, err
	}
	if c.Kind == "id" && x.documents(exact) > idDocuments {
		return nil, nil, c, nil
	}
	if near, err = x.labelled(ctx, storage.WithinField, c, only); err != nil || len(exact)+len(near) > 0 {
		return exact, near, c, err
	}
	for _, w := range c.Wider() {
		for _, field := range []string{storage.OwnField, storage.WithinField} {
			if near, err = x.labelled(ctx, field, w, only); err != nil || len(near) > 0 {
				return nil, near, w, err
			}
		}
	}
	return nil, nil, c, nil
}

// labelled lists the passages with one of a citation's keys in a field,
// sorted.
func (x *Corpus) labelled(ctx context.Context, field string, c citation.Citation, only *subset) ([]int32, error) {
	var out []int32
	var list []storage.Posting
	for _, key := range c.Exact() {
		var err error
		if list, err = x.Store.Postings(ctx, field, key, list[:0]); err != nil {
			return nil, err
		}
		for _, p := range list {
			if only.has(p.Ord) {
				out = append(out, p.Ord)
			}
		}
	}
	return analysis.Distinct(out), nil
}

func (x *Corpus) documents(ords []int32) int {
	seen := map[int]bool{}
	for _, ord := range ords {
		seen[x.Table.Doc(ord)] = true
	}
	return len(seen)
}

// works counts the documents of passages, those of one title once: they are
// copies or editions.
func (x *Corpus) works(ords []int32) int {
	seen := map[int]bool{}
	titles := map[string]bool{}
	untitled := 0
	for _, ord := range ords {
		doc := x.Table.Doc(ord)
		if seen[doc] {
			continue
		}
		seen[doc] = true
		if title := x.Table.Title(ord); title != "" {
			titles[title] = true
		} else {
			untitled++
		}
	}
	return len(titles) + untitled
}

var acronym = pattern.New(`\b[A-Z]{2,10}\b`)

// narrow keeps of passages in several documents those whose title or file the
// query names by an acronym, "COBS Rule 22.4.2", if there are any.
func (x *Corpus) narrow(query string, ords []int32) []int32 {
	if x.documents(ords) < 2 {
		return ords
	}
	var kept []int32
	names := acronym.FindAllString(query, 20)
	for _, ord := range ords {
		own := append(analysis.Words(x.Table.Title(ord)), analysis.Words(analysis.FileName(x.Table.Source(ord)))...)
		if slices.ContainsFunc(names, func(a string) bool { return slices.Contains(own, strings.ToLower(a)) }) {
			kept = append(kept, ord)
		}
	}
	if len(kept) == 0 {
		return ords
	}
	return kept
}

// countCited adds a citation to the words of the query. The passages that it
// names also have the words that it is written in, whatever their text says.
func (x *Corpus) countCited(c citation.Citation, exact []int32, sig *signals) {
	if len(exact) == 0 {
		return
	}
	held := sig.bits(x.Reader.Terms(c.Text))
	weight := idf(float64(x.Passages), float64(len(exact)))
	if len(sig.idfs) < maxTerms {
		held |= 1 << len(sig.idfs)
		sig.idfs = append(sig.idfs, weight)
	}
	for _, ord := range exact {
		if sig.holds[ord] == 0 && sig.plain[ord] == 0 { // no word of the query has reached it
			sig.touched = append(sig.touched, ord)
		}
		sig.holds[ord] |= held
		sig.plain[ord] += weight
		sig.plainBest = nil
	}
}

// bits are those of terms in sig.holds.
func (sig *signals) bits(terms []string) uint64 {
	var out uint64
	for i, t := range sig.terms {
		if slices.Contains(terms, t.term) {
			out |= 1 << i
		}
	}
	return out
}

// lift lists the passages that the query names and that may be returned: if
// there are too many, those that it names best.
func lift(cited map[int32]lifted, sig *signals, out func(int32) bool) []int32 {
	var pool []int32
	for ord := range cited {
		if !out(ord) {
			pool = append(pool, ord)
		}
	}
	slices.SortFunc(pool, func(a, b int32) int {
		return cmp.Or(cmp.Compare(cited[b].score, cited[a].score), cmp.Compare(sig.scoped[b], sig.scoped[a]), cmp.Compare(a, b))
	})
	return pool[:min(poolCited, len(pool))]
}
