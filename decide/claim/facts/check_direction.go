package facts

import (
	"slices"

	"example.com/assay/memory/text"
	"example.com/assay/state"
)

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
				if u.axis != t.axis || c.agreed(t, u) || excepts(s) != excepts(c.claim) {
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
			if u.axis != t.axis || c.agreed(t, u) || excepts(s) != excepts(c.claim) {
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
var ordering = text.Set(`before after above below over under prior precede precedes preceded follow follows followed exceed exceeds
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

// inOrder reports whether a sentence has who, what and whom of a claim close
// together and in the claim's order.
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

// passiveIn reports "by" within the three tokens before a token.
func (c *comparison) passiveIn(s *sentence, i int) bool {
	return textAt(s.toks, i-1) == "by" || textAt(s.toks, i-2) == "by" || textAt(s.toks, i-3) == "by"
}

// checkRoles finds two parties that have changed places.
func (c *comparison) checkRoles() bool {
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
			return true
		}
	}
	return false
}
