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
	apartWording = 0.2    // by how much it must be less similar to the other variable
	mostWordings = 3      // of one variable
	mostPlaces   = 50_000 // phrases whose places are remembered
	kinship      = 5      // letters of their beginnings that words of one family share
)

// wordings finds what passages call a variable by another name, in the embedder's
// space. It is safe for concurrent use.
type wordings struct {
	embedder Embedder
	mu       sync.Mutex
	known    map[string][]float32
}

func newWordings(e Embedder) *wordings { return &wordings{embedder: e, known: map[string][]float32{}} }

// of returns the phrases of one or two content words that the embedder places
// next to a variable and away from the other one, the nearest first: at most
// three. Since counting words places one drug next to another, a phrase must
// share a word with the variable, or the beginning of one; of its own words alone
// it is none, and neither is it with a word of the other variable. Without an
// embedder there are none.
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

// another reports whether a phrase can be another name of a variable, of whose
// words and of the other variable's these are the stems.
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

// place is the vector of a phrase.
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

// phrases are the content words of a text, and each with the next one when only a
// space parts them.
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
