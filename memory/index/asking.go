package index

import (
	"cmp"
	"context"
	"slices"
)

// What a server is asked for beside a query's words.
const (
	documentLead = .25 // what a document's score must be worth to ask for its passages
	mostInside   = 3   // documents
)

// eachWording calls fn for a query and its alternatives with what to ask a server by: its
// terms, its vector in the offline embedder's space, nil where that knows no word of it, and
// the documents whose score alone may make candidates of their passages.
func (x *corpus) eachWording(ctx context.Context, a asked, alternatives []string, fn func(terms []string, latent []float32, leading []leadingDocument)) error {
	s := x.scratch.Get().(*scratch)
	defer x.scratch.Put(s)
	a.vectors = nil
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

// A leadingDocument is one whose score alone may make candidates of its passages.
type leadingDocument struct {
	id       string
	passages int
}

// leading lists the leading documents, the best first.
func (x *corpus) leading(sig *signals) []leadingDocument {
	var docs []int
	if sig.top == 0 {
		return nil
	}
	for doc := range x.table.docs {
		if documentWeight*sig.gate*sig.docs[doc]/sig.top >= documentLead {
			docs = append(docs, doc)
		}
	}
	slices.SortFunc(docs, func(a, b int) int { return cmp.Or(cmp.Compare(sig.docs[b], sig.docs[a]), cmp.Compare(a, b)) })
	var out []leadingDocument
	for _, doc := range docs[:min(len(docs), mostInside)] {
		out = append(out, leadingDocument{x.table.docs[doc], int(x.sizes[doc])})
	}
	return out
}

// titlesMentioned returns the keys of titles that the best passages mention, of those that
// the whole generation has.
func (x *corpus) titlesMentioned(ctx context.Context, a asked) ([]uint64, error) {
	best, _, err := x.byWords(ctx, a.terms, a.respelt.same, bridges)
	if err != nil {
		return nil, err
	}
	var keys []uint64
	for _, ord := range best {
		p, err := x.store.passage(ord)
		if err != nil {
			return nil, err
		}
		eachRun(p.Text, func(key uint64) {
			if x.lexicon.isTitle(key) {
				keys = append(keys, key)
			}
		})
	}
	return keys, nil
}
