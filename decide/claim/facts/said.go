package facts

import (
	"example.com/assay/memory/text"
	"example.com/assay/memory/text/wordnet"
)

// A said is a parsed claim.
type said struct {
	s      *sentence
	words  []int // content tokens outside of amounts and dates
	denied []bool
	taken  []bool
	alike  []map[string]wordPair // similarity to words of units, by token
	verb   int                   // token of the verb; -1 if uncertain
	l      text.Language
}

func (r *Reader) claimOf(claim string, l text.Language) *said {
	c := &said{s: r.reading(claim, l).sentence, verb: -1, l: l}
	if st, ok := statementOf(c.s); ok && l == "" && !st.linked {
		c.verb = st.verb
	}
	toks := c.s.toks
	c.denied, _ = polarity(c.s)
	c.taken = make([]bool, len(toks))
	c.alike = make([]map[string]wordPair, len(toks))
	take := func(first, end int) {
		for i := first; i < end; i++ {
			c.taken[i] = true
		}
	}
	for _, q := range c.s.quantities {
		if !q.soft || q.rate {
			take(q.first, q.end)
		}
	}
	for _, d := range c.s.dates {
		take(d.first, d.end)
	}
	for _, k := range c.s.clocks {
		take(k.first, k.end)
	}
	for i, t := range toks {
		if !c.taken[i] && t.kind == word && (t.content || t.capital && i > 0 && len(t.text) == 1 && t.text != "i") && modalRoots[t.root] == 0 && extents[t.text] == 0 {
			c.words = append(c.words, i)
		}
	}
	return c
}

// size returns how many words a claim has. Three overlapping pairs of characters count as one word.
func (c *said) size() int {
	n, pairs := 0, 0
	for _, i := range c.words {
		if unspaced(c.s.toks[i].text) {
			pairs++
		} else {
			n++
		}
	}
	return n + pairs/3
}

// weight returns the weight of a word. Actions can be said in many words, participants in few.
func (c *said) weight(i int) float64 {
	switch {
	case c.named(i):
		return criticalWeight
	case i == c.verb:
		return verbWeight * weightOf(c.s.toks[i])
	}
	return weightOf(c.s.toks[i])
}

const verbWeight = .5

// named reports whether a word of a claim is a name: capitalised without need, or in no dictionary
// of the language.
func (c *said) named(i int) bool {
	t := c.s.toks[i]
	return t.capital && (i != firstWord(c.s.toks) || len(t.text) > 3 && !wordnet.Known(t.text) && len(wordnet.Bases(t.text)) == 0)
}
