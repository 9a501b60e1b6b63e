package facts

import (
	"slices"

	"example.com/assay/memory/text"
	"example.com/assay/state"
)

// checkDirection finds a word whose opposite is in its place in an aligned sentence, next to the
// same words. If the evidence contradicts the claim in something else, that is enough.
func (c *comparison) checkDirection() {
	if slices.ContainsFunc(c.found, func(f Conflict) bool { return f.Opposed }) {
		return
	}
	for i, t := range c.claim.toks {
		if t.kind != word || unpolar[t.text] || relative[t.text] || t.roles&asQuantifier != 0 || c.bounds(i) {
			continue
		}
		if at, ok := c.turned(i); ok {
			c.add(state.ConflictDirection, i, i+1, at.sentence, at.index, at.index+1, true)
			return
		}
	}
}

// turned returns where the aligned sentences have the opposite of a word of the claim, with more of
// its company than the word itself.
func (c *comparison) turned(i int) (at place, ok bool) {
	t, m := c.claim.toks[i], meaningOf(c.claim.toks[i].text)
	if len(m.opposite) == 0 {
		return place{}, false
	}
	same, opposite := 0, 0
	for _, a := range c.near(.6) {
		s := c.sentence(a)
		if excepts(s) != excepts(c.claim) {
			continue
		}
		for _, stem := range m.own {
			for _, j := range s.places[stem] {
				if s.negated[j] == c.claim.negated[i] {
					same = max(same, s.around(j, c.claim, t.root))
				}
			}
		}
		for _, stem := range m.opposite {
			for _, j := range s.places[stem] {
				u, n := s.toks[j], s.around(j, c.claim, t.root)
				switch {
				case !m.opposes(u.text) || negates(t, u) || negates(u, t): // negating prefixes are handled by the other checks
				case s.negated[j] != c.claim.negated[i]:
					same = max(same, n)
				case n > opposite && a.Share >= aboutSame*.8 && !s.asks && !c.claim.has[u.root] && meet(beside(c.claim, i), beside(s, j)):
					opposite, at = n, place{a.Sentence, j}
				}
			}
		}
	}
	return at, opposite > same && !c.converse(i, at)
}

// bounds reports whether token i belongs to the bound of a number: "more than five".
func (c *comparison) bounds(i int) bool {
	return slices.ContainsFunc(c.claim.quantities, func(q quantity) bool { return q.bound != exactly && q.first-3 <= i && i < q.first })
}

// beside returns the roots of the two content words on each side of a token.
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

// ordering words compare their two sides.
var ordering = text.Set(`before after above below over under prior precede precedes preceded follow follows followed exceed exceeds
	exceeded succeeded bought sold buys sells buy sell`)

// converse reports whether the two sides of a direction are exchanged as well: "A is heavier than
// B" and "B is lighter than A".
func (c *comparison) converse(tok int, at place) bool {
	s := c.e.sentences[at.sentence]
	if !compares(c.claim, tok) || !compares(s, at.index) {
		return false
	}
	l1, r1 := sides(c.claim, tok)
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

// inOrder reports whether a sentence has the three parts of a triple close together and in the
// claim's order.
func (c *comparison) inOrder(t triple) bool {
	for _, k := range c.e.holders[t.what] {
		s := c.e.sentences[k]
		want := []string{t.agent, t.what, t.patient}
		at, from := 0, 0
		for i, u := range s.toks {
			if u.kind != word || u.root != want[at] || at > 0 && i-from > 5 {
				if at > 0 && i-from > 5 {
					at = 0
				}
				continue
			}
			from = i
			if at++; at == len(want) {
				return !(c.passiveIn(s, i))
			}
		}
	}
	return false
}

// passiveIn reports whether "by" is within the three tokens before a token.
func (c *comparison) passiveIn(s *sentence, i int) bool {
	return textAt(s.toks, i-1) == "by" || textAt(s.toks, i-2) == "by" || textAt(s.toks, i-3) == "by"
}

// checkRoles finds two parties that have exchanged their roles.
func (c *comparison) checkRoles() {
	for _, t := range c.claim.triples {
		if c.inOrder(t) {
			continue
		}
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
			return
		}
	}
}
