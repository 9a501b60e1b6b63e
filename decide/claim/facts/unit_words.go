package facts

import (
	"slices"
	"strings"

	"example.com/assay/memory/text"
)

// weightOf returns the weight of a claim's token.
func weightOf(t token) float64 { return min(max(rarityOf(t.stem), 1), 8) }

const criticalWeight = 7

// A match is the place of a claim's word in a unit.
type match struct {
	strength float64
	at       int // token of the body; -1 in the context
	opposite bool
}

// like returns how similar a word of a claim and a word of a unit are.
func (c *said) like(i int, u token) (strength float64, opposite bool) {
	if u.kind != word {
		return 0, false
	}
	known, ok := c.alike[i][u.text]
	if !ok {
		if c.alike[i] == nil {
			c.alike[i] = map[string]wordPair{}
		}
		known.strength, known.opposite = alike(c.s.toks[i], meaningOf(c.s.toks[i].text), u)
		c.alike[i][u.text] = known
	}
	return known.strength, known.opposite
}

type wordPair struct {
	strength float64
	opposite bool
}

func alike(t token, m meaning, u token) (strength float64, opposite bool) {
	switch {
	case t.text == u.text || t.stem == u.stem || t.text == norm(u.text):
		return 1, false
	case meets(t, u):
		return 1, false
	case u.content && len(m.opposite) > 0 && slices.ContainsFunc(meaningOf(u.text).same, func(x string) bool { return slices.Contains(m.opposite, x) }) ||
		m.opposes(u.text) || negates(t, u) || negates(u, t):
		return .8, true
	case t.content && u.content && (t.root == u.root || begin(t.stem, u.stem)):
		return .9, false
	case slices.Contains(m.same, u.stem):
		return .75, false
	case slices.Contains(m.kinds, u.stem) || slices.Contains(meaningOf(u.text).kinds, t.stem):
		return .5, false
	}
	return 0, false
}

// begin reports whether two stems share most of their first letters.
func begin(a, b string) bool {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n >= 4 && 3*n >= 2*max(len(a), len(b))
}

func norm(w string) string { return strings.ReplaceAll(w, "-", "") }

func meets(t, u token) bool {
	return slices.Contains(u.bases, t.stem) || slices.ContainsFunc(t.bases, func(b string) bool { return b == u.stem || slices.Contains(u.bases, b) })
}

// negates reports whether a word is another one with a negating prefix.
func negates(t, u token) bool {
	base, ok := withoutPrefix(t.text)
	return ok && (text.Stem(base) == u.stem)
}

// find looks for a word of a claim in a unit: in its text, else in its context. Among several
// places, one with the claim's polarity counts.
func (c *said) find(i int, u *unitRead) (best match) {
	t := c.s.toks[i]
	named := c.named(i)
	best.at = -1
	score := 0.0
	for j, v := range u.body.toks {
		strength, opposite := c.like(i, v)
		if strength == 0 || named && (strength < 1 || opposite) || len(t.text) == 1 && !v.capital {
			continue
		}
		agrees := (c.denied[i] == u.turned[j]) != opposite
		s := strength
		if !agrees {
			s -= .3
		}
		if s > score {
			score, best = s, match{strength, j, opposite}
		}
	}
	if best.strength >= .8 && !best.opposite || best.strength > 0 && score >= .7 {
		return best
	}
	back := .5
	if refersBack(u.body) || pronoun(u.body) {
		back = .9
	}
	for k, s := range [...]*sentence{u.context, u.title, u.before} {
		for _, v := range s.toks {
			strength, opposite := c.like(i, v)
			strength *= [...]float64{1, .8, back}[k]
			if opposite || named && strength < .6 || strength <= max(best.strength, score) {
				continue
			}
			best, score = match{strength, -1, false}, strength
		}
	}
	return best
}

// pronoun reports whether a sentence has a pronoun after its beginning.
func pronoun(s *sentence) bool {
	return slices.ContainsFunc(s.toks, func(t token) bool { return t.text == "it" || t.text == "they" || t.text == "them" || t.text == "this" })
}
