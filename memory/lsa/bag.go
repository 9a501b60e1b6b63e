package lsa

import "slices"

// A Term is a term of a text and how often it occurs there.
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

// A Cell is a non-zero entry of a passage's row: the index of a term in
// Corpus.Terms and how often it occurs.
type Cell struct {
	Term, N int32
}

// A Corpus is what a model is trained on.
type Corpus struct {
	Terms []string // sorted, each once
	Docs  [][]Cell // a row per passage, sorted by term, each term once
}
