package facts

import (
	"slices"
	"strings"

	"example.com/assay/state"
)

// checkNegation compares what the claim denies with what the evidence denies.
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
	if c.checkPrefixes() {
		unmatched = true
	}
	if !unmatched {
		c.checkAsserted()
	}
}

// softened reports whether a claim says no in words that a sentence does not
// have.
func (c *comparison) softened(s *sentence) bool {
	return slices.ContainsFunc(c.claim.toks, func(t token) bool { return t.kind == word && negative[t.root] && !s.has[t.root] })
}

// checkDenied looks for one denial of the claim in the evidence. It reports
// whether the evidence has nothing that is clearly the same.
func (c *comparison) checkDenied(n negation) (unmatched bool) {
	at, from, unsure := -1, 0, false
	plain := plainly(c.claim.toks[n.tok].text)
	words := 1
	if plain {
		words = 2
	}
	for _, a := range c.near(.6) {
		s := c.sentence(a)
		for _, h := range n.heads {
			if c.deniedIn(s, h) {
				return false
			}
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
	case unsure:
	case at >= 0:
		c.add(state.ConflictNegation, n.tok, n.end, at, from, from+1, true)
	case plain || c.aligned[0].Share >= aboutSame:
		c.add(state.ConflictNegation, n.tok, n.end, -1, 0, 0, false)
	}
	return true
}

// deniedIn reports whether a sentence denies a root: by a negation, by a
// prefix, or by the contrary.
func (c *comparison) deniedIn(s *sentence, root string) bool {
	sides := axes[root]
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
		for _, x := range axes[t.root] {
			for _, y := range sides {
				if x.axis == y.axis && x.sign != y.sign && !s.negated[i] {
					return true
				}
			}
		}
	}
	return false
}

// plainly reports whether a negation is a bare "not"; others ("without",
// "unable") are more often a paraphrase.
func plainly(w string) bool {
	return w == "not" || w == "no" || w == "never" || w == "cannot" || strings.HasSuffix(w, "n't")
}

// saysNo reports whether a sentence denies something, near so many words of the
// claim.
func (c *comparison) saysNo(s *sentence, words int) bool {
	for i, t := range s.toks {
		if t.kind == word && (negative[t.root] && !c.claim.has[t.root] || isNegator(s.toks, i)) && s.around(i, c.claim, "") >= words {
			return true
		}
	}
	return false
}

// checkPrefixes compares "invisible" with "visible". It reports whether the
// claim has such a word.
func (c *comparison) checkPrefixes() (has bool) {
	for i, t := range c.claim.toks {
		base, ok := withoutPrefix(t.text)
		if !ok || t.kind != word || !t.content || len(c.e.holders[t.root]) > 0 && c.anyHas(t.text) {
			continue
		}
		root := rootOf(base)
		for _, a := range c.near(.6) {
			s := c.sentence(a)
			for j, u := range s.toks {
				if u.kind != word || u.root != root {
					continue
				}
				has = true
				if s.negated[j] == c.claim.negated[i] && a.Share >= aboutSame-.1 && !c.saysNo(s, 1) {
					c.add(state.ConflictNegation, i, i+1, a.Sentence, j, j+1, true)
					return true
				}
			}
		}
	}
	return has
}

// anyHas reports whether an aligned sentence has a word as it stands.
func (c *comparison) anyHas(text string) bool {
	for _, a := range c.near(.6) {
		for _, t := range c.sentence(a).toks {
			if t.text == text {
				return true
			}
		}
	}
	return false
}

// checkAsserted finds what the claim asserts and the best evidence denies.
func (c *comparison) checkAsserted() {
	for _, a := range c.near(.8) {
		s := c.sentence(a)
		if a.Share < aboutSame || s.asks || c.softened(s) {
			continue
		}
		for _, n := range s.negations {
			if !n.odd || len(n.heads) == 0 || c.claimDenies(n) || s.around(n.tok, c.claim, "") < 2 && len(c.claim.contents) > 2 {
				continue
			}
			for _, h := range n.heads {
				i := c.asserts(h)
				if i < 0 || c.assertedElsewhere(h, a.Sentence) {
					continue
				}
				c.add(state.ConflictNegation, i, i+1, a.Sentence, n.tok, n.end, true)
				return
			}
		}
		c.checkUnasserted(s, a)
	}
}

// claimDenies reports whether the claim denies a part of the same.
func (c *comparison) claimDenies(n negation) bool {
	return slices.ContainsFunc(c.claim.negations, func(m negation) bool { return m.odd && meet(m.heads, n.heads) })
}

// checkUnasserted is checkAsserted for "invalid" against "valid".
func (c *comparison) checkUnasserted(s *sentence, a Alignment) {
	for j, t := range s.toks {
		base, ok := withoutPrefix(t.text)
		if !ok || t.kind != word || !t.content || s.negated[j] {
			continue
		}
		if i := c.asserts(rootOf(base)); i >= 0 && !c.claim.has[t.root] && !s.has[rootOf(base)] {
			c.add(state.ConflictNegation, i, i+1, a.Sentence, j, j+1, true)
			return
		}
	}
}

// asserts returns the token at which the claim says a root without denying it,
// or -1.
func (c *comparison) asserts(root string) int {
	for i, t := range c.claim.toks {
		if t.kind == word && t.root == root && !c.claim.negated[i] && t.content {
			return i
		}
	}
	return -1
}

// assertedElsewhere reports whether an aligned sentence other than this one, or
// this one in another place, says a root without denying it.
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

// checkDirection compares words that say which way, and who did it to whom.
func (c *comparison) checkDirection() {
	if c.checkRoles() {
		return
	}
	for _, t := range c.claim.turns {
		same, opposite := -1, -1
		var at place
		for _, a := range c.near(.6) {
			s := c.sentence(a)
			for _, u := range s.turns {
				if u.axis != t.axis || c.agreed(t, u) {
					continue
				}
				n := s.around(u.tok, c.claim, c.claim.toks[t.tok].root)
				switch {
				case t.same(u):
					same = max(same, n)
				case u.sign != t.sign && n > opposite && a.Share >= aboutSame*.8 && !s.asks &&
					meet(beside(c.claim, t.tok), beside(s, u.tok)):
					opposite, at = n, place{a.Sentence, u.tok}
				}
			}
		}
		if opposite <= 0 {
			c.checkAbsentTurn(t)
			continue
		}
		if same >= opposite || c.converse(t, at) {
			continue
		}
		c.add(state.ConflictDirection, t.tok, t.tok+1, at.sentence, at.index, at.index+1, true)
		return
	}
}

// checkAbsentTurn finds a direction that no sentence of the evidence has, where
// an aligned one has the contrary, if of other words.
func (c *comparison) checkAbsentTurn(t turn) {
	at, tok := -1, 0
	for i, s := range c.e.sentences {
		for _, u := range s.turns {
			if u.axis != t.axis || c.agreed(t, u) {
				continue
			}
			if t.same(u) || u.sign == t.sign {
				return
			}
			if at < 0 && c.share(i) >= enoughShared && s.around(u.tok, c.claim, "") > 0 {
				at, tok = i, u.tok
			}
		}
	}
	if at >= 0 && !c.converse(t, place{at, tok}) {
		c.add(state.ConflictDirection, t.tok, t.tok+1, at, tok, tok+1, false)
	}
}

// beside returns the roots of the two content words on each side of a token:
// what it is said of.
func beside(s *sentence, at int) []string {
	var out []string
	for _, step := range []int{-1, 1} {
		for i, n := at+step, 0; i >= 0 && i < len(s.toks) && n < 2; i += step {
			if t := s.toks[i]; t.kind == word && t.content {
				out = append(out, t.root)
				n++
			}
		}
	}
	return out
}

// agreed reports whether a turn of the evidence is already that of another
// word of the claim.
func (c *comparison) agreed(t, u turn) bool {
	return !t.same(u) && slices.ContainsFunc(c.claim.turns, func(o turn) bool { return o.axis == u.axis && o.same(u) })
}

// ordering words compare what stands on their two sides.
var ordering = words(`before after above below over under prior precede precedes preceded follow follows followed exceed exceeds
	exceeded succeeded bought sold buys sells buy sell`)

// converse reports whether what stands on the two sides of a direction is
// exchanged as well: "A is heavier than B" and "B is lighter than A".
func (c *comparison) converse(t turn, at place) bool {
	s := c.e.sentences[at.sentence]
	if !compares(c.claim, t.tok) || !compares(s, at.index) {
		return false
	}
	l1, r1 := sides(c.claim, t.tok)
	l2, r2 := sides(s, at.index)
	crossed, straight := 0, 0
	for _, x := range l1 {
		crossed += count(r2, x)
		straight += count(l2, x)
	}
	for _, x := range r1 {
		crossed += count(l2, x)
		straight += count(r2, x)
	}
	return crossed > straight && crossed >= 2 || crossed > 0 && straight == 0 && len(l1) > 0 && len(r1) > 0
}

func compares(s *sentence, i int) bool {
	return ordering[s.toks[i].text] || textAt(s.toks, i+1) == "than" || textAt(s.toks, i+2) == "than" || textAt(s.toks, i+3) == "than"
}

func count(list []string, x string) int {
	if slices.Contains(list, x) {
		return 1
	}
	return 0
}

// sides returns the roots before and after a token.
func sides(s *sentence, at int) (left, right []string) {
	for i, t := range s.toks {
		if t.kind != word || !t.content || i == at {
			continue
		}
		if i < at {
			left = append(left, t.root)
		} else {
			right = append(right, t.root)
		}
	}
	return left, right
}

// checkRoles finds two parties that have changed places.
func (c *comparison) checkRoles() bool {
	for _, t := range c.claim.triples {
		var at place
		found, straight := false, false
		for _, a := range c.near(.6) {
			for j, u := range c.sentence(a).triples {
				if u.what != t.what {
					continue
				}
				straight = straight || u.agent == t.agent || u.patient == t.patient
				if u.agent == t.patient && u.patient == t.agent && a.Share >= aboutSame {
					at, found = place{a.Sentence, j}, true
				}
			}
		}
		if found && !straight {
			u := c.e.sentences[at.sentence].triples[at.index]
			c.add(state.ConflictDirection, t.first, t.end, at.sentence, u.first, u.end, true)
			return true
		}
	}
	return false
}
