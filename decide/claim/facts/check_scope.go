package facts

import (
	"slices"

	"example.com/assay/memory/text"
	"example.com/assay/state"
)

// checkQuantifiers compares of how many, and how often, the claim speaks.
func (c *comparison) checkQuantifiers() {
	if len(c.aligned) == 0 {
		return
	}
	for _, q := range c.claim.quantifiers {
		c.checkQuantifier(q)
	}
	c.checkDropped()
}

func (c *comparison) checkQuantifier(q quantifier) {
	rival, at := quantifier{}, -1
	for _, a := range c.near(.6) {
		s := c.sentence(a)
		for _, r := range s.quantifiers {
			if r.extent.compatible(q.extent) {
				return
			}
			if r.extent.family() == q.extent.family() && meet(q.heads, r.heads) && at < 0 && a.Share >= aboutSame*.8 {
				rival, at = r, a.Sentence
			}
		}
		if q.extent == all && hasAny(s, likeAll) && at < 0 || q.extent == only && hasAny(s, likeOnly) ||
			q.extent == always && hasAny(s, likeAll) && at < 0 {
			return
		}
	}
	if at >= 0 {
		c.add(state.ConflictQuantifier, q.tok, q.tok+1, at, rival.tok, rival.tok+1, rival.extent.contrary(q.extent))
		return
	}
	if c.aligned[0].Share < aboutSame {
		return
	}
	switch q.extent {
	case only, always, most:
		c.add(state.ConflictQuantifier, q.tok, q.tok+1, -1, 0, 0, false)
	}
}

func hasAny(s *sentence, set map[string]bool) bool {
	return slices.ContainsFunc(s.toks, func(t token) bool { return t.kind == word && set[t.text] })
}

func meet(a, b []string) bool {
	return slices.ContainsFunc(a, func(x string) bool { return slices.Contains(b, x) })
}

// checkDropped finds a claim about all where the evidence restricts it: "some
// drivers" has become "drivers", or "few" has.
func (c *comparison) checkDropped() {
	if len(c.claim.quantifiers) > 0 || len(c.claim.quantities) > 0 || len(c.claim.negations) > 0 {
		return
	}
	a := c.aligned[0]
	s := c.sentence(a)
	if a.Share < .8 || len(s.quantifiers) != 1 {
		return
	}
	q := s.quantifiers[0]
	if q.extent != some && q.extent != few && q.extent != sometimes || len(q.heads) == 0 {
		return
	}
	for i, t := range c.claim.toks {
		if t.kind == word && t.root == q.heads[0] && (i == 0 || q.extent == sometimes) && t.text != t.root {
			c.add(state.ConflictQuantifier, i, i+1, a.Sentence, q.tok, q.tok+1, false)
			return
		}
	}
}

// checkModality compares what must, may and might be, and what causes with what
// goes together.
func (c *comparison) checkModality() {
	if len(c.aligned) == 0 {
		return
	}
	for _, m := range c.claim.modals {
		if c.checkModal(m) {
			return
		}
	}
	if len(c.claim.modals) == 0 {
		c.checkHedge()
	}
	c.checkCause()
}

// checkModal compares one modal of the claim with that of the evidence for the
// same predicate.
func (c *comparison) checkModal(m modal) bool {
	rival, at := modal{}, -1
	for _, a := range c.near(.6) {
		s := c.sentence(a)
		for _, r := range s.modals {
			if !meet(m.heads, r.heads) && (len(s.modals) > 1 || a.Share < .6) {
				continue
			}
			if agree(m, r) {
				return false
			}
			if at < 0 && a.Share >= aboutSame*.8 {
				rival, at = r, a.Sentence
			}
		}
	}
	if at < 0 {
		return false
	}
	c.add(state.ConflictModality, m.tok, m.tok+1, at, rival.tok, rival.tok+1, m.force != should && rival.force != should)
	return true
}

// agree reports whether two modals say the same. What must not be may not be,
// and differences in what is denied are for the check of negations.
func agree(m, r modal) bool {
	switch {
	case m.negated || r.negated:
		return true
	case m.force == r.force:
		return true
	}
	return m.force >= may && r.force >= may
}

// checkHedge finds "X is" where the evidence says "X may be".
func (c *comparison) checkHedge() {
	a := c.aligned[0]
	s := c.sentence(a)
	if a.Share < .6 {
		return
	}
	for _, r := range s.modals {
		if r.force < may || r.negated || len(r.heads) == 0 || c.asserts(r.heads[0]) < 0 {
			continue
		}
		i := c.asserts(r.heads[0])
		if c.statedPlainly(r.heads[0]) || hedged(c.claim) || r.force == may && permits(s, r) {
			continue
		}
		c.add(state.ConflictModality, i, i+1, a.Sentence, r.tok, r.tok+1, false)
		return
	}
}

// permits reports whether "may" or "can" is a leave or an ability, which is
// commonly reported without it.
func permits(s *sentence, m modal) bool {
	return s.toks[m.tok].text != "may"
}

var hedges = text.Set(`likely probably suggest suggests suggested possible possibly potential potentially appears appear
	seems seem thought believed said considered could would reportedly expected estimated maybe`)

func hedged(s *sentence) bool { return hasAny(s, hedges) }

// statedPlainly reports whether a good sentence has a root outside of any
// modal.
func (c *comparison) statedPlainly(root string) bool {
	for _, a := range c.aligned {
		s := c.sentence(a)
		if a.Share < aboutSame || !s.has[root] {
			continue
		}
		if !slices.ContainsFunc(s.modals, func(m modal) bool { return slices.Contains(m.heads, root) }) {
			return true
		}
	}
	return false
}

// checkCause finds "causes" where the evidence says "is associated with".
func (c *comparison) checkCause() {
	for i, t := range c.claim.toks {
		after, ok := provingCause[t.text]
		if !ok || after != "" && textAt(c.claim.toks, i+1) != after || c.claim.negated[i] {
			continue
		}
		for _, a := range c.near(.6) {
			if slices.ContainsFunc(c.sentence(a).toks, func(u token) bool { return u.kind == word && causing[u.root] }) {
				return
			}
		}
		a := c.aligned[0]
		s := c.sentence(a)
		if a.Share < aboutSame {
			return
		}
		for j, u := range s.toks {
			if u.kind == word && linking[u.root] && s.around(j, c.claim, "") > 0 {
				c.add(state.ConflictModality, i, i+1, a.Sentence, j, j+1, false)
				return
			}
		}
	}
}
