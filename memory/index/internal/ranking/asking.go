package ranking

import (
	"cmp"
	"context"
	"slices"

	"example.com/assay/memory/index/internal/analysis"
)

// What a server is asked for beside a query's words.
const (
	documentLead = .25 // what a document's score must be worth to ask for its passages
	mostInside   = 3   // documents
)

// EachWording calls fn for a query and its alternatives with what to ask a server by: its
// terms, its vector in the offline embedder's space, nil where that knows no word of it, and
// the documents whose score alone may make candidates of their passages.
func (x *Corpus) EachWording(ctx context.Context, a Asked, alternatives []string, fn func(terms []string, latent []float32, leading []LeadingDocument)) error {
	s := x.scratch.Get().(*scratch)
	defer x.scratch.Put(s)
	a.Vectors = nil
	wordings, err := x.wordings(ctx, a, alternatives, &s.lists)
	if err != nil {
		return err
	}
	for _, w := range wordings {
		terms := make([]string, len(w.terms))
		for i, t := range w.terms {
			terms[i] = t.term
		}
		sig, _ := x.scoreScoped(w, &s.lists, s)
		fn(terms, sig.latent, x.leading(sig))
	}
	return nil
}

// A LeadingDocument is one whose score alone may make candidates of its passages.
type LeadingDocument struct {
	ID       string
	Passages int
}

// leading lists the leading documents, the best first.
func (x *Corpus) leading(sig *signals) []LeadingDocument {
	var docs []int
	if sig.top == 0 {
		return nil
	}
	for doc := range x.Table.Docs {
		if documentWeight*sig.gate*sig.docs[doc]/sig.top >= documentLead {
			docs = append(docs, doc)
		}
	}
	slices.SortFunc(docs, func(a, b int) int { return cmp.Or(cmp.Compare(sig.docs[b], sig.docs[a]), cmp.Compare(a, b)) })
	var out []LeadingDocument
	for _, doc := range docs[:min(len(docs), mostInside)] {
		out = append(out, LeadingDocument{x.Table.Docs[doc], int(x.sizes[doc])})
	}
	return out
}

// TitlesMentioned returns the keys of titles that the best passages mention, of those that
// the whole generation has.
func (x *Corpus) TitlesMentioned(ctx context.Context, a Asked) ([]uint64, error) {
	best, _, err := x.ByWords(ctx, a.Terms, a.Respelt.Same, bridges)
	if err != nil {
		return nil, err
	}
	var keys []uint64
	for _, ord := range best {
		p, err := x.Store.Passage(ord)
		if err != nil {
			return nil, err
		}
		analysis.EachRun(p.Text, func(key uint64) {
			if x.Lexicon.IsTitle(key) {
				keys = append(keys, key)
			}
		})
	}
	return keys, nil
}
