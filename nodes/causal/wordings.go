package causal

import (
	"cmp"
	"slices"
	"sync"

	"example.com/assay/memory/text"
	"example.com/assay/state"
)

const (
	akinWording  = 0.8    // similarity from which a phrase is another wording of a variable
	apartWording = 0.2    // minimum by which it is less similar to the other variable
	mostWordings = 3      // per variable
	mostPlaces   = 50_000 // phrases whose vectors are cached
	kinship      = 5      // common first letters of words of one family
)

// wordings finds other names that passages use for a variable, with the embedder. It is safe for
// concurrent use.
type wordings struct {
	embedder Embedder
	mu       sync.Mutex
	known    map[string][]float32
}

func newWordings(e Embedder) *wordings { return &wordings{embedder: e, known: map[string][]float32{}} }

// of returns up to three phrases of one or two content words that the embedder places near a
// variable and away from the other variable, nearest first. Counting words places one drug near
// another, so a phrase must also share a word or the beginning of a word with the variable. A
// phrase of only the variable's words, or with a word of the other variable, does not count.
// Without an embedder there are none.
func (w *wordings) of(variable, other string, passages []state.Passage) []string {
	if w.embedder == nil {
		return []string{}
	}
	own, others := stems(variable), stems(other)
	at, away := w.place(variable), w.place(other)
	type candidate struct {
		phrase string
		near   float64
	}
	var found []candidate
	seen := map[string]bool{}
	for _, p := range passages {
		for _, phrase := range phrases(p.Text) {
			if seen[phrase] {
				continue
			}
			seen[phrase] = true
			if !another(phrase, own, others) {
				continue
			}
			v := w.place(phrase)
			near, known := cosine(v, at)
			if !known || near < akinWording {
				continue
			}
			if far, _ := cosine(v, away); near-far >= apartWording {
				found = append(found, candidate{phrase, near})
			}
		}
	}
	slices.SortFunc(found, func(a, b candidate) int { return cmp.Or(-cmp.Compare(a.near, b.near), cmp.Compare(a.phrase, b.phrase)) })
	out := []string{}
	for _, c := range found[:min(mostWordings, len(found))] {
		out = append(out, c.phrase)
	}
	return out
}

// another reports whether a phrase can be another name of a variable. Own and others are the stems
// of this and the other variable.
func another(phrase string, own, others map[string]bool) bool {
	fresh, family := false, false
	for stem := range stems(phrase) {
		if others[stem] {
			return false
		}
		fresh = fresh || !own[stem]
		family = family || kin(own, stem)
	}
	return fresh && family
}

// place returns the vector of a phrase.
func (w *wordings) place(phrase string) []float32 {
	w.mu.Lock()
	v, ok := w.known[phrase]
	w.mu.Unlock()
	if ok {
		return v
	}
	v = w.embedder.Embed(phrase)
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.known) >= mostPlaces {
		clear(w.known)
	}
	w.known[phrase] = v
	return v
}

// phrases returns the content words of a text, and each pair of them that is separated only by a
// space.
func phrases(s string) []string {
	var out []string
	end, last := -1, ""
	for _, t := range text.Tokens(s) {
		if len(t.Text) < 4 || text.DocStops.Has(t.Text) {
			end = -1
			continue
		}
		out = append(out, t.Text)
		if end >= 0 && t.Start == end+1 && s[end] == ' ' {
			out = append(out, last+" "+t.Text)
		}
		end, last = t.End, t.Text
	}
	return out
}
