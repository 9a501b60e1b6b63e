package facts

import (
	"slices"

	"example.com/assay/state"
)

// aboutSame is the share of a claim's words from which a sentence with another value in the same
// place contradicts it.
const aboutSame = .5

// checkQuantities compares the claim's numbers. A number that the evidence never has is a conflict.
// A number that it has is a conflict only if the aligned sentence has another number for the same
// thing.
func (c *comparison) checkQuantities() {
	for i, q := range c.claim.quantities {
		if q.rate {
			c.checkRate(q)
			continue
		}
		if impliedOne(c.claim.toks, q.first) || c.converted(i) {
			continue
		}
		at := q.first
		match, matchScore, held := c.bestQuantity(q)
		unrelated := held && !matchScore.related()
		held = held && !unrelated
		rival, rivalScore, rivalHeld := c.rivalQuantity(q)
		switch {
		case held && c.boundsOppose(q, match):
			s := c.e.sentences[match.sentence]
			r := s.quantities[match.index]
			c.add(state.ConflictDirection, max(0, at-2), q.end, match.sentence, max(0, r.first-2), r.end, true)
		case held && rivalHeld && rivalScore.same && !matchScore.same &&
			(rivalScore.local > matchScore.local || c.countsOther(q, rival, match)):
			c.addQuantity(q, rival, true)
		case held || c.numberStands(q) || q.soft && (!rivalHeld || !rivalScore.same):
		case rivalHeld:
			c.addQuantity(q, rival, rivalScore.same || rivalScore.local > 1 && rivalScore.share >= aboutSame && len(q.units) > 0 && q.units[0].Dimension != "ratio")
		case unrelated:
			c.doubt(state.ConflictNumber, q.first, q.end) // the number is there, but for something else
		default:
			c.add(state.ConflictNumber, q.first, q.end, -1, 0, 0, false)
		}
	}
}

// checkRate compares "per day" with "per hour".
func (c *comparison) checkRate(q quantity) {
	for _, s := range c.e.sentences {
		if slices.ContainsFunc(s.quantities, func(r quantity) bool { return r.value == 1 && len(r.units) > 0 && q.equal(r) }) {
			return
		}
	}
	for _, a := range c.near(.6) {
		for _, r := range c.sentence(a).quantities {
			if r.rate && q.sameFamily(r) && a.Share >= aboutSame {
				c.add(state.ConflictUnit, q.first, q.end, a.Sentence, r.first, r.end, true)
				return
			}
		}
	}
}

// countsOther reports whether a rival counts what q counts, and the match counts something else:
// "58 girls" against "64 girls and 58 boys".
func (c *comparison) countsOther(q quantity, rival, match place) bool {
	r := c.e.sentences[rival.sentence].quantities[rival.index]
	m := c.e.sentences[match.sentence].quantities[match.index]
	return q.counted != "" && q.counted == r.counted && m.counted != "" && m.counted != q.counted && rival.sentence == match.sentence
}

// converted reports whether a quantity is next to its conversion into another unit, "18 in (460
// mm)", and the evidence has the conversion.
func (c *comparison) converted(i int) bool {
	q := c.claim.quantities[i]
	for _, j := range []int{i - 1, i + 1} {
		if j < 0 || j >= len(c.claim.quantities) {
			continue
		}
		p := c.claim.quantities[j]
		bracket := max(q.first, p.first) - 1
		if bracket < 0 || c.claim.toks[bracket].text != "(" || len(q.units) == 0 || len(p.units) == 0 {
			continue
		}
		for _, u := range q.units {
			for _, v := range p.units {
				if u.Dimension == v.Dimension && u.Factor != v.Factor && near(q.value*u.Factor, p.value*v.Factor, .06) {
					_, _, held := c.bestQuantity(p)
					return held
				}
			}
		}
	}
	return false
}

type place struct{ sentence, index int }

// likeness is the similarity of the surroundings of two values.
type likeness struct {
	same  bool    // they count the same noun, or are next to the same word
	local int     // shared content words nearby
	share float64 // share of the claim in the sentence
}

func (a likeness) beats(b likeness) bool {
	if a.same != b.same {
		return a.same
	}
	if a.local != b.local {
		return a.local > b.local
	}
	return a.share > b.share
}

// related reports whether the sentences of two values have anything in common: an equal amount of
// something else is no evidence.
func (a likeness) related() bool { return a.same || a.local > 0 || a.share > 0 }

func (c *comparison) likeness(q, r quantity, s *sentence, share float64) likeness {
	return likeness{
		same:  slices.ContainsFunc(q.nouns, func(n string) bool { return slices.Contains(r.nouns, n) }),
		local: s.around(r.first, c.claim, ""),
		share: share,
	}
}

// bestQuantity returns the quantity in the whole evidence that equals q in the most similar
// surroundings.
func (c *comparison) bestQuantity(q quantity) (best place, score likeness, ok bool) {
	for i, s := range c.e.sentences {
		for j, r := range s.quantities {
			if !q.equal(r) {
				continue
			}
			if l := c.likeness(q, r, s, c.share(i)); !ok || l.beats(score) {
				best, score, ok = place{i, j}, l, true
			}
		}
	}
	return best, score, ok
}

func (c *comparison) share(sentence int) float64 {
	for _, a := range c.aligned {
		if a.Sentence == sentence {
			return a.Share
		}
	}
	return 0
}

// rivalQuantity returns the quantity of an aligned sentence that has q's place: it is for the same
// thing or measure, and the claim does not have it.
func (c *comparison) rivalQuantity(q quantity) (best place, score likeness, ok bool) {
	for _, a := range c.near(.6) {
		s := c.sentence(a)
		for j, r := range s.quantities {
			if q.equal(r) || r.rate || r.soft && q.ordinal || impliedOne(s.toks, r.first) || q.ordinal != r.ordinal || slices.ContainsFunc(c.claim.quantities, r.equal) {
				continue
			}
			l := c.likeness(q, r, s, a.Share)
			comparable := q.sameFamily(r) || len(q.units) == 0 && len(r.units) == 0 && l.same || q.raw == r.raw && len(q.units) > 0 && len(r.units) > 0
			if comparable && (!ok || l.beats(score)) {
				best, score, ok = place{a.Sentence, j}, l, true
			}
		}
	}
	return best, score, ok
}

func (c *comparison) addQuantity(q quantity, at place, opposed bool) {
	r := c.e.sentences[at.sentence].quantities[at.index]
	kind := state.ConflictNumber
	if q.value == r.value && len(q.units) > 0 && len(r.units) > 0 {
		kind = state.ConflictUnit
	}
	c.add(kind, q.first, q.end, at.sentence, r.first, r.end, opposed)
}

// numberStands reports whether the evidence has a claim's number in another form: in a date, or
// among other digits.
func (c *comparison) numberStands(q quantity) bool {
	for _, s := range c.e.sentences {
		for _, d := range s.dates {
			if q.exact && len(q.units) == 0 && (float64(d.year) == q.value && q.value > 0 || q.digits && float64(d.day) == q.value && q.value > 0) {
				return true
			}
		}
		if len(q.units) > 0 {
			continue
		}
		for _, r := range s.quantities {
			if q.exact && r.exact && q.value == r.value {
				return true
			}
		}
	}
	return false
}

// boundsOppose reports whether one is "at least" and the other "at most" the same amount, and
// neither is denied.
func (c *comparison) boundsOppose(q quantity, at place) bool {
	s := c.e.sentences[at.sentence]
	r := s.quantities[at.index]
	opposite := q.bound == lower && r.bound == upper || q.bound == upper && r.bound == lower
	if !opposite || c.share(at.sentence) < aboutSame {
		return false
	}
	for _, other := range s.quantities {
		if other.bound == q.bound && q.equal(other) {
			return false
		}
	}
	return denials(c.claim) == denials(s)
}

// denials counts the words that reverse a statement: an odd number means the opposite.
func denials(s *sentence) int {
	n := 0
	for _, d := range s.negations {
		if d.odd {
			n++
		}
	}
	for _, t := range s.toks {
		if t.kind == word && (negative[t.root] || t.text == "only") && !function[t.text] {
			n++
		}
	}
	return n % 2
}

// checkDates compares the claim's dates in the same way.
func (c *comparison) checkDates() {
	for _, d := range c.claim.dates {
		if c.dateHeld(d) {
			if at, ok := c.exchangedDate(d); ok {
				r := c.e.sentences[at.sentence].dates[at.index]
				c.add(state.ConflictDate, d.first, d.end, at.sentence, r.first, r.end, true)
			}
			continue
		}
		if d.bare {
			if c.numberStands(quantity{numeral: numeral{value: float64(d.year), exact: true, digits: true}}) {
				continue
			}
		}
		kind := state.ConflictDate
		if d.bare {
			kind = state.ConflictNumber
		}
		if at, share, ok := c.rivalDate(d); ok {
			r := c.e.sentences[at.sentence].dates[at.index]
			c.add(kind, d.first, d.end, at.sentence, r.first, r.end, share >= aboutSame && d.precise() == r.precise())
			continue
		}
		c.add(kind, d.first, d.end, -1, 0, 0, false)
	}
}

// dateHeld reports whether the evidence has the date, in one place or, like a headline's year and a
// day in the text, in two.
func (c *comparison) dateHeld(d date) bool {
	rest := d
	rest.year = 0
	yearSeen, restSeen := d.year == 0, rest.month+rest.day+rest.quarter+rest.weekday == 0
	for _, s := range c.e.sentences {
		for _, r := range s.dates {
			compatible, whole := d.agrees(r)
			if compatible && whole {
				return true
			}
			yearSeen = yearSeen || d.year == r.year
			if _, whole := rest.agrees(r); whole && compatible {
				restSeen = true
			}
		}
		for _, q := range s.quantities {
			if d.year != 0 && q.exact && q.value == float64(d.year) {
				yearSeen = true
			}
		}
	}
	return yearSeen && restSeen
}

// rivalDate returns the date of an aligned sentence that differs from d.
func (c *comparison) rivalDate(d date) (best place, share float64, ok bool) {
	local := -1
	for _, a := range c.near(.6) {
		s := c.sentence(a)
		for j, r := range s.dates {
			if compatible, _ := d.agrees(r); compatible || !d.shares(r) || c.claimHasDate(r) {
				continue
			}
			if n := s.around(r.first, c.claim, ""); n > local {
				best, share, local, ok = place{a.Sentence, j}, a.Share, n, true
			}
		}
	}
	return best, share, ok
}

func (c *comparison) claimHasDate(r date) bool {
	return slices.ContainsFunc(c.claim.dates, func(d date) bool {
		compatible, whole := d.agrees(r)
		return compatible && whole
	})
}

// exchangedDate finds a date that the evidence has for something else, while it has another date
// for the claim: "born in 1956" where the sentence says "born in 1881, died in 1956".
func (c *comparison) exchangedDate(d date) (place, bool) {
	word := wordBefore(c.claim.toks, d.first)
	if word == "" {
		return place{}, false
	}
	var rival place
	found := false
	for _, a := range c.near(.6) {
		s := c.sentence(a)
		for j, r := range s.dates {
			if wordBefore(s.toks, r.first) != word {
				continue
			}
			if compatible, _ := d.agrees(r); compatible {
				return place{}, false
			}
			if d.shares(r) && a.Share >= aboutSame {
				rival, found = place{a.Sentence, j}, true
			}
		}
	}
	return rival, found
}

// wordBefore returns the root of the verb or noun that a date belongs to: the nearest before it in
// its clause that is not a name.
func wordBefore(toks []token, i int) string {
	for j := i - 1; j >= 0 && j >= i-6 && toks[j].clause == toks[i].clause; j-- {
		if t := toks[j]; t.kind == word && t.content && !t.capital {
			return t.root
		}
	}
	return ""
}
