package facts

import (
	"slices"
	"strings"

	"example.com/assay/memory/text"
	"example.com/assay/state"
)

// checkNegation compares the denials of the claim with those of the evidence.
func (c *comparison) checkNegation() {
	if len(c.aligned) == 0 {
		return
	}
	unmatched := false
	for _, n := range c.claim.negations {
		if !n.odd || len(n.heads) == 0 {
			unmatched = unmatched || n.odd
			continue
		}
		unmatched = c.checkDenied(n) || unmatched
	}
	if !unmatched {
		c.checkAsserted()
	}
}

// softened reports whether a claim contains a negative word that a sentence lacks.
func (c *comparison) softened(s *sentence) bool {
	for i, t := range c.claim.toks {
		if t.kind == word && (negative[t.root] || undone(t.text)) && !s.has[t.root] || keptFrom(c.claim.toks, i) {
			return true
		}
	}
	return false
}

// undone reports whether a word is a negated participle: "unused", "unpaid".
func undone(w string) bool {
	base, ok := strings.CutPrefix(w, "un")
	return ok && len(base) > 3 && (strings.HasSuffix(base, "ed") || strings.HasSuffix(base, "en") || strings.HasSuffix(base, "aid"))
}

// keptFrom reports whether "from" precedes a gerund: "kept it from moving".
func keptFrom(toks []token, i int) bool {
	return toks[i].text == "from" && strings.HasSuffix(textAt(toks, i+1), "ing")
}

// excepts reports whether a sentence makes an exception: its denial or assertion then covers only
// the rest.
func excepts(s *sentence) bool { return hasAny(s, exceptions) }

// limits is excepts without "without", which states a circumstance.
func limits(s *sentence) bool { return hasAny(s, limiting) }

var limiting = text.Set(`except unless excluding`)

// excepted reports whether a denial has an exception: "not without consent" requires consent.
func (c *comparison) excepted(s *sentence, n negation) bool {
	if !exceptions[s.toks[n.tok].text] {
		return excepts(s)
	}
	return slices.ContainsFunc(s.negations, func(m negation) bool { return m.odd && m.tok != n.tok })
}

var exceptions = text.Set(`except unless without excluding`)

// checkDenied looks for one denial of the claim in the evidence. It returns true if the evidence
// has nothing that is clearly the same.
func (c *comparison) checkDenied(n negation) (unmatched bool) {
	at, from, unsure := -1, 0, false
	plain := plainly(c.claim.toks[n.tok].text)
	words := 1
	if plain {
		words = 2
	}
	if c.aligned[0].Share < nearCopy {
		return true
	}
	for _, a := range c.near(.6) {
		s := c.sentence(a)
		for _, h := range n.heads {
			if c.deniedIn(s, h) {
				return false
			}
		}
		if m, ok := c.crossed(s, n); ok && plain && a.Share >= aboutSame {
			c.add(state.ConflictNegation, n.tok, n.end, a.Sentence, m.tok, m.end, true)
			return true
		}
		unsure = unsure || c.saysNo(s, words) && (!plain || a.Share >= aboutSame)
		if at >= 0 || a.Share < aboutSame || s.asks {
			continue
		}
		for i, t := range s.toks {
			if t.kind == word && slices.Contains(n.heads, t.root) && !s.negated[i] && at < 0 {
				at, from = a.Sentence, i
			}
		}
	}
	switch {
	case unsure || c.deniedAnywhere(n.heads[0]):
	case at >= 0:
		c.add(state.ConflictNegation, n.tok, n.end, at, from, from+1, true)
	case plain || c.aligned[0].Share >= aboutSame:
		c.add(state.ConflictNegation, n.tok, n.end, -1, 0, 0, false)
	}
	return true
}

// deniedAnywhere reports whether any sentence of the evidence denies a root.
func (c *comparison) deniedAnywhere(root string) bool {
	return slices.ContainsFunc(c.e.holders[root], func(k int32) bool { return c.deniedIn(c.e.sentences[k], root) })
}

// nearCopy is the share of a claim's words from which the claim was probably written from the
// sentence.
const nearCopy = .6

// crossed finds the denial in a sentence that denies what the claim asserts and asserts what the
// claim denies: "sold, not lent" and "lent, not sold".
func (c *comparison) crossed(s *sentence, n negation) (negation, bool) {
	asserted := false
	for i, t := range s.toks {
		asserted = asserted || t.kind == word && t.root == n.heads[0] && !s.negated[i]
	}
	for _, m := range s.negations {
		if asserted && m.odd && plainly(s.toks[m.tok].text) && len(m.heads) > 0 && m.heads[0] != n.heads[0] && c.asserts(m.heads[0]) >= 0 {
			return m, true
		}
	}
	return negation{}, false
}

// deniedIn reports whether a sentence denies a root, with a negation or a prefix.
func (c *comparison) deniedIn(s *sentence, root string) bool {
	for i, t := range s.toks {
		if t.kind != word {
			continue
		}
		if t.root == root && s.negated[i] {
			return true
		}
		if base, ok := withoutPrefix(t.text); ok && !s.negated[i] && rootOf(base) == root {
			return true
		}
	}
	return false
}

// plainly reports whether a negation is a bare "not"; others ("without", "unable") are more often
// paraphrases.
func plainly(w string) bool {
	return w == "not" || w == "no" || w == "never" || w == "cannot" || strings.HasSuffix(w, "n't")
}

// saysNo reports whether a sentence denies something near at least this many words of the claim.
func (c *comparison) saysNo(s *sentence, words int) bool {
	for i, t := range s.toks {
		if t.kind == word && (negative[t.root] && !c.claim.has[t.root] || isNegator(s.toks, i) || keptFrom(s.toks, i)) && s.around(i, c.claim, "") >= words {
			return true
		}
	}
	return false
}

// checkAsserted finds assertions of the claim that the best evidence denies.
func (c *comparison) checkAsserted() {
	for _, a := range c.near(.8) {
		s := c.sentence(a)
		if a.Share < aboutSame || s.asks || c.softened(s) {
			continue
		}
		for _, n := range s.negations {
			if !n.odd || len(n.heads) == 0 || c.claimDenies(n) || c.excepted(s, n) || s.around(n.tok, c.claim, "") < 2 && len(c.claim.contents) > 2 {
				continue
			}
			// Words far behind the denial are its circumstances.
			for _, h := range n.heads[:min(len(n.heads), denied)] {
				i := c.asserts(h)
				if i < 0 || c.assertedElsewhere(h, a.Sentence) {
					continue
				}
				c.add(state.ConflictNegation, i, i+1, a.Sentence, n.tok, n.end, true)
				return
			}
		}
	}
}

// denied is how many content words after a denial it covers.
const denied = 2

// claimDenies reports whether the claim denies a part of the same.
func (c *comparison) claimDenies(n negation) bool {
	return slices.ContainsFunc(c.claim.negations, func(m negation) bool { return m.odd && meet(m.heads, n.heads) })
}

// asserts returns the token where the claim asserts a root; -1 for none.
func (c *comparison) asserts(root string) int {
	for i, t := range c.claim.toks {
		if t.kind == word && t.root == root && !c.claim.negated[i] && t.content {
			return i
		}
	}
	return -1
}

// assertedElsewhere reports whether an aligned sentence asserts a root, in another sentence or at
// another place of this one.
func (c *comparison) assertedElsewhere(root string, sentence int) bool {
	for _, a := range c.aligned {
		s := c.sentence(a)
		if a.Sentence != sentence && a.Share < aboutSame*.6 {
			continue
		}
		for i, t := range s.toks {
			if t.kind == word && t.root == root && !s.negated[i] {
				return true
			}
		}
	}
	return false
}
