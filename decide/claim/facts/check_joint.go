package facts

// checkJoint compares numbers that belong together. Each number of a claim may be somewhere in the
// evidence, but not together with the others: "Store 3 holds 45 barrels" where store 3 holds 43 and
// store 5 holds 45. There is a conflict if no sentence has all of them, and a sentence with some of
// them counts the same thing with a number that the claim lacks.
func (c *comparison) checkJoint() {
	if len(c.claim.quantities) < 2 || len(c.found) > 0 {
		return
	}
	type rival struct {
		q  quantity
		at place
	}
	var best rival
	shared := 0
	for _, a := range c.near(.6) {
		s := c.sentence(a)
		held := 0
		var other *rival
		for _, q := range c.claim.quantities {
			if c.holds(s, q) {
				held++
				continue
			}
			for j, r := range s.quantities {
				if other != nil || q.rate || r.rate || q.ordinal != r.ordinal || c.inClaim(r) || !q.sameFamily(r) && (len(q.units) > 0 || len(r.units) > 0) {
					continue
				}
				if c.likeness(q, r, s, a.Share).same {
					other = &rival{q, place{a.Sentence, j}}
				}
			}
		}
		if held == len(c.claim.quantities) {
			return
		}
		if other != nil && held > shared && a.Share >= aboutSame {
			best, shared = *other, held
		}
	}
	if shared > 0 {
		c.addQuantity(best.q, best.at, true)
	}
}

func (c *comparison) holds(s *sentence, q quantity) bool {
	for _, r := range s.quantities {
		if q.equal(r) {
			return true
		}
	}
	return false
}

// inClaim reports whether the claim has a quantity of the evidence.
func (c *comparison) inClaim(r quantity) bool { return c.holds(c.claim, r) }
