package causal

import (
	"cmp"
	"math"
	"slices"

	"example.com/assay/memory/text"
)

// frames are words with which a query asks for a relation. They do not change which passages it
// asks for.
var frames = stems("effect effects impact impacts influence influences affect affects role relation relationship link links association " +
	"connection evidence causes cause causal causation consequence consequences study studies research between")

// repeats recognises queries that repeat earlier ones.
type repeats struct{ embedder Embedder }

func newRepeats(e Embedder) repeats { return repeats{e} }

// of returns the first earlier query that q repeats. Two queries are equal if they have the same
// words, ignoring case, order, inflection, stop words and frames, or a similarity of at least 0.9.
// The similarity comes from the embedder if it can embed both, and else from the cosine of their
// counted stems.
func (r repeats) of(q string, earlier []string) (string, bool) {
	key := normalized(q)
	for _, e := range earlier {
		if slices.Equal(key, normalized(e)) || r.similarity(q, e) >= sameQuery {
			return e, true
		}
	}
	return "", false
}

// normalized returns the distinct content stems of a query, sorted. A query with only stop words
// and frames keeps all its stems.
func normalized(q string) []string {
	all := text.Terms(q, text.DocStops)
	out := slices.DeleteFunc(slices.Clone(all), func(stem string) bool { return frames[stem] })
	if len(out) == 0 {
		if out = all; len(out) == 0 {
			out = text.Terms(q, nil)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (r repeats) similarity(a, b string) float64 {
	if r.embedder != nil {
		va, vb := r.embedder.Embed(a), r.embedder.Embed(b)
		if dot, ok := cosine(va, vb); ok {
			return dot
		}
	}
	return stemCosine(text.Terms(a, text.DocStops), text.Terms(b, text.DocStops))
}

// cosine returns false for zero vectors and for vectors of unequal length.
func cosine(a, b []float32) (float64, bool) {
	if len(a) != len(b) {
		return 0, false
	}
	var dot, na, nb float64
	for i := range a {
		x, y := float64(a[i]), float64(b[i])
		dot, na, nb = dot+x*y, na+x*x, nb+y*y
	}
	if na == 0 || nb == 0 {
		return 0, false
	}
	return dot / math.Sqrt(na*nb), true
}

// stemCosine returns the cosine of two bags of stems.
func stemCosine(a, b []string) float64 {
	slices.Sort(a)
	slices.Sort(b)
	dot, i, j := 0, 0, 0
	for i < len(a) && j < len(b) {
		stem := min(a[i], b[j])
		n, m := 0, 0
		for ; i < len(a) && a[i] == stem; i++ {
			n++
		}
		for ; j < len(b) && b[j] == stem; j++ {
			m++
		}
		dot += n * m
	}
	if na, nb := squares(a), squares(b); na > 0 && nb > 0 {
		return float64(dot) / math.Sqrt(float64(na)*float64(nb))
	}
	return 0
}

// squares returns the sum of the squared counts in a sorted bag.
func squares(bag []string) int {
	sum := 0
	for i := 0; i < len(bag); {
		from := i
		for i < len(bag) && cmp.Compare(bag[i], bag[from]) == 0 {
			i++
		}
		sum += (i - from) * (i - from)
	}
	return sum
}

func stems(words string) map[string]bool {
	out := map[string]bool{}
	for _, t := range text.Tokens(words) {
		out[text.Stem(t.Text)] = true
	}
	return out
}
