package facts

import (
	"slices"

	"example.com/assay/memory/text/values"
	"example.com/assay/state"
)

// scope compares the quantifiers and the modality of a claim with those of the unit.
func (c *said) scope(u *unitRead, matches []match) (kind state.ConflictKind, claim, evidence string) {
	toks := c.s.toks
	for i, t := range toks {
		wide := extents[t.text] == all || extents[t.text] == always || t.text == "any" && !c.denied[i]
		if !wide && extents[t.text] != only {
			continue
		}
		if next := textAt(toks, i+1); len(values.UnitWords[next]) > 0 && t.text != "any" && next != "day" {
			continue
		}
		for j, v := range u.body.toks {
			e := extents[v.text]
			switch {
			case extents[t.text] == only:
				continue
			case v.text == "alone", e == 0 && u.shareAt(j) && extents[t.text] == all && t.text != "any":
				return state.ConflictQuantifier, t.text, u.body.words(j, min(j+3, len(u.body.toks)))
			case e == 0:
				continue
			case (e == some || e == few || e == most || e == many || e == only || e == usually || e == sometimes || e == often) && v.text != "several":
				if hasAny(u.body, likeAll) && e != only {
					continue
				}
				return state.ConflictQuantifier, t.text, u.body.words(j, min(j+3, len(u.body.toks)))
			}
		}
		if t.text != "any" && t.text != "every" && t.text != "all" || hasAny(u.body, likeAll) {
			continue
		}
		for k, w := range c.words { // "any site" where the unit has "the licensed site"
			if w < i+1 || w > i+3 || matches[k].at < 1 {
				continue
			}
			for j := matches[k].at - 1; j >= max(0, matches[k].at-3); j-- {
				if d := u.body.toks[j].text; d == "the" || d == "its" || d == "this" {
					return state.ConflictQuantifier, c.s.words(i, w+1), u.body.words(j, matches[k].at+1)
				}
			}
			break
		}
	}
	for _, m := range c.s.modals {
		for _, r := range u.body.modals {
			if m.negated || r.negated || u.turned[r.tok] || c.denied[m.tok] || m.force == might || r.force == might || len(u.body.modals) > 1 && !meet(m.heads, r.heads) {
				continue
			}
			if (m.force == must) != (r.force == must) && (m.force == may || r.force == may) {
				return state.ConflictModality, toks[m.tok].text, u.body.words(r.tok, r.tok+1)
			}
		}
	}
	return "", "", ""
}

// shareAt reports whether a part of a whole begins at a token: "half", "one in ten", "40 %".
func (u *unitRead) shareAt(j int) bool {
	if isNumeral(u.body.toks, j) && (textAt(u.body.toks, j+1) == "in" || textAt(u.body.toks, j+1) == "of") && isNumeral(u.body.toks, j+2) {
		return true
	}
	for _, q := range u.body.quantities {
		if q.first == j && (q.share && !q.digits || len(q.units) > 0 && q.units[0].Dimension == "ratio" && q.value*q.units[0].Factor < 1) {
			return true
		}
	}
	return false
}

func isNumeral(toks []token, i int) bool {
	_, ok := readNumeral(toks, i)
	return ok
}

// exchanged reports whether two compared things are exchanged: "A has more than B" where the unit
// has "B has more than A".
func (c *said) exchanged(u *unitRead, matches []match) bool {
	than := func(s *sentence) int {
		return slices.IndexFunc(s.toks, func(t token) bool { return t.text == "than" })
	}
	a, b := than(c.s), than(u.body)
	if a < 0 || b < 0 {
		return false
	}
	left, right := false, false
	for k, i := range c.words {
		if j := matches[k].at; j >= 0 && matches[k].strength >= .9 {
			left, right = left || i < a && j > b, right || i > a && j < b
		}
	}
	return left && right
}

// ways are prepositions and their opposites.
var ways = map[string]string{"for": "against", "until": "from", "till": "from", "before": "after", "above": "below", "over": "under", "inside": "outside", "within": "outside", "to": "from", "with": "without"}

// otherWay finds a preposition next to a word that both have, where the unit has its opposite.
func (c *said) otherWay(u *unitRead, matches []match) (claim, evidence string) {
	beside := func(toks []token, i int, w string) bool {
		for _, j := range [...]int{i - 2, i - 1, i + 1, i + 2} {
			if textAt(toks, j) == w {
				return true
			}
		}
		return false
	}
	for k, i := range c.words {
		j := matches[k].at
		if j < 0 {
			continue
		}
		for a, b := range ways {
			for range 2 {
				if beside(c.s.toks, i, a) && !beside(c.s.toks, i, b) && beside(u.body.toks, j, b) && !beside(u.body.toks, j, a) && (claim == "" || a < claim) {
					claim, evidence = a, b
				}
				a, b = b, a
			}
		}
	}
	return claim, evidence
}
