package support

import (
	"math/bits"
	"slices"

	"example.com/assay/memory/text"
)

const (
	likeAcronym = .95 // how alike an acronym and words with its initials are
	lightWeight = .3  // factor for the IDF of light words
)

// longest bounds the words of a claim that are compared by order, and its terms in a cover. No real
// sentence is longer; further words count as missing.
const longest = 256

// A term is a distinct content word of a claim.
type term struct {
	word
	at   int // position among the claim's words
	id   int32
	idf  float64
	soft float64 // similarity of the evidence's most similar stem; 1 if it is there
	name bool    // capitalised, and not a number
}

func (t term) found() bool { return t.id >= 0 }

// A cover is a set of a claim's terms.
type cover [longest / 64]uint64

func (c *cover) add(i int)      { c[i/64] |= 1 << (i % 64) }
func (c *cover) has(i int) bool { return c[i/64]&(1<<(i%64)) != 0 }
func (c *cover) join(other *cover) {
	for i := range c {
		c[i] |= other[i]
	}
}
func (c *cover) each(do func(int)) {
	for i, w := range c {
		for ; w != 0; w &= w - 1 {
			do(i*64 + bits.TrailingZeros64(w))
		}
	}
}

// A claim is a claim as the evidence sees it.
type claim struct {
	text  string
	words []word
	ids   []int32 // IDs of the words' stems in the evidence, −1 for none
	terms []term
	mass  float64 // sum of the terms' IDF

	covers []cover   // by sentence of the evidence
	shares []float64 // share of the mass, by sentence
	order  []int     // sentences with a share above 0, the best first
	window cover     // cover of the best three consecutive sentences
	greedy cover     // cover of three sentences, each adding most to the previous ones
}

func (e *Evidence) read(s string) *claim {
	c := &claim{text: s, words: newLexer().words(s)}
	own := map[string]bool{}
	initials(c.words, own)
	c.ids = make([]int32, len(c.words))
	seen := map[string]bool{}
	for i, w := range c.words {
		id := e.id(w.stem)
		if id < 0 && w.joined {
			id = e.id(text.Stem(c.words[i-1].low + w.low))
		}
		if id < 0 && i+1 < len(c.words) && c.words[i+1].joined {
			id = e.id(text.Stem(w.low + c.words[i+1].low))
		}
		c.ids[i] = id
		if w.stop || seen[w.stem] {
			continue
		}
		seen[w.stem] = true
		t := term{word: w, at: i, id: id, idf: e.model.idf.Of(w.stem), name: w.capital && !w.number, soft: 1}
		if len(c.terms) >= longest {
			t.id = -1
		}
		switch {
		case t.found():
		case w.acronym && (own[w.low] || e.initials[w.low]):
			t.soft = likeAcronym
		case !w.number:
			t.soft = e.soft(w.stem)
		default:
			t.soft = 0
		}
		if w.light {
			t.idf *= lightWeight
		}
		c.mass += t.idf
		c.terms = append(c.terms, t)
	}
	e.spread(c)
	return c
}

// spread computes which sentences contain which terms, and the best of them.
func (e *Evidence) spread(c *claim) {
	c.covers = make([]cover, len(e.sentences))
	c.shares = make([]float64, len(e.sentences))
	for i, t := range c.terms {
		if !t.found() {
			continue
		}
		for _, at := range e.postings[t.id] {
			c.covers[at].add(i)
			c.shares[at] += t.idf
		}
	}
	for at := range c.shares {
		if c.mass > 0 {
			c.shares[at] /= c.mass
		}
		if c.shares[at] > 0 {
			c.order = append(c.order, at)
		}
	}
	slices.SortStableFunc(c.order, func(a, b int) int {
		switch {
		case c.shares[a] > c.shares[b]:
			return -1
		case c.shares[a] < c.shares[b]:
			return 1
		}
		return a - b
	})
	c.window = c.best(3)
	c.greedy, _ = c.carriers(func(int) bool { return true })
}

// carriers returns up to three sentences, each adding the most of the claim to the previous ones,
// and their common cover.
func (c *claim) carriers(usable func(sentence int) bool) (held cover, sentences []int) {
	for range 3 {
		best, gain := -1, 0.0
		for _, at := range c.order {
			if c.shares[at] <= gain {
				break // no later sentence can add more than it contains
			}
			if !usable(at) {
				continue
			}
			added := 0.0
			c.covers[at].each(func(i int) {
				if !held.has(i) {
					added += c.terms[i].idf / c.mass
				}
			})
			if added > gain+1e-9 {
				best, gain = at, added
			}
		}
		if best < 0 {
			break
		}
		held.join(&c.covers[best])
		sentences = append(sentences, best)
	}
	return held, sentences
}

// best returns the cover of the n consecutive sentences that contain most.
func (c *claim) best(n int) cover {
	var out cover
	most := 0.0
	for _, at := range c.order {
		for first := max(0, at-n+1); first <= at; first++ {
			var joined cover
			for k := first; k < min(first+n, len(c.covers)); k++ {
				joined.join(&c.covers[k])
			}
			if share := c.share(&joined); share > most+1e-9 {
				most, out = share, joined
			}
		}
	}
	return out
}

// share returns the part of the claim's mass in a cover.
func (c *claim) share(of *cover) float64 {
	if c.mass == 0 {
		return 0
	}
	sum := 0.0
	of.each(func(i int) { sum += c.terms[i].idf })
	return sum / c.mass
}

// id returns the ID of a stem, −1 if the evidence lacks it.
func (e *Evidence) id(stem string) int32 {
	if id, ok := e.ids[stem]; ok {
		return id
	}
	return -1
}
