package lsa

import "slices"

// A Term is a term of a text with its count.
type Term struct {
	Text string
	N    int
}

// Bag counts terms. The result is sorted by term, each term once.
func Bag(terms []string) []Term {
	sorted := slices.Clone(terms)
	slices.Sort(sorted)
	var bag []Term
	for _, t := range sorted {
		if n := len(bag); n > 0 && bag[n-1].Text == t {
			bag[n-1].N++
			continue
		}
		bag = append(bag, Term{Text: t, N: 1})
	}
	return bag
}

// Hash selects the passages of a sample: FNV-1a of a bag's terms and counts, in order.
func Hash(bag []Term) uint64 {
	h := fnvStart
	for _, t := range bag {
		h = h.term(t.Text, t.N)
	}
	return uint64(h)
}

// A fnv is the FNV-1a of the data so far.
type fnv uint64

const fnvStart fnv = 14695981039346656037

func (h fnv) byte(b byte) fnv { return (h ^ fnv(b)) * 1099511628211 }

// term reads a term, a zero byte and a count.
func (h fnv) term(text string, count int) fnv {
	for i := range len(text) {
		h = h.byte(text[i])
	}
	h = h.byte(0)
	for shift := 0; shift < 32; shift += 8 {
		h = h.byte(byte(count >> shift))
	}
	return h
}

// A Cell is a non-zero entry of a passage's row: the index of a term in Corpus.Terms and its count.
type Cell struct {
	Term, N int32
}

// A Corpus is the training data of a model. For a large corpus Docs is a sample.
type Corpus struct {
	Terms    []string // sorted, each once
	DF       []int    // per term: passages of the whole corpus with it
	Passages int      // of the whole corpus
	Docs     [][]Cell // a row per passage, sorted by term, each term once
}
