package facts

import (
	"example.com/assay/memory/text"
	"example.com/assay/memory/text/values"
)

// The part of a whole that a quantifier takes.
type extent uint8

const (
	all extent = iota + 1
	most
	many
	some
	few
	only
	always
	usually
	often
	sometimes
)

// A quantifier says for how many, or how often, something holds.
type quantifier struct {
	tok    int
	extent extent
	heads  []string // roots of what it is said of
}

var extents = map[string]extent{
	"all": all, "every": all, "each": all, "everyone": all, "everybody": all, "entire": all, "everything": all, "everywhere": all, "anywhere": all, "whole": all,
	"most": most, "majority": most, "mostly": most, "largely": most,
	"many": many, "numerous": many,
	"some": some, "several": some, "certain": some, "various": some, "partly": some,
	"few": few, "minority": few,
	"only": only, "solely": only, "exclusively": only,
	"always": always, "invariably": always,
	"usually": usually, "generally": usually, "normally": usually, "typically": usually,
	"often": often, "frequently": often, "regularly": often,
	"sometimes": sometimes, "occasionally": sometimes,
}

// likeOnly are other words for "only" and "all".
var likeOnly = text.Set(`only solely exclusively sole except nobody none unless exclusive limited confined restricted just single unique but alone`)

var likeAll = text.Set(`all every each everyone everybody any both entire whole throughout entirely full fully complete
	completely total always whoever nobody none no without universal across everything either invariably whenever never total unanimous unanimously`)

// quantifiers returns the quantifiers of a sentence. "Every 200 hours" and "each month" state how
// often, and are not quantifiers.
func quantifiers(toks []token, quantities []quantity) []quantifier {
	var out []quantifier
	for i, t := range toks {
		if t.kind != word || t.roles&asQuantifier == 0 {
			continue
		}
		e := extents[t.text]
		next := textAt(toks, i+1)
		switch {
		case e == all && (len(values.UnitWords[next]) > 0 || startsQuantity(quantities, i+1)):
			continue
		case t.text == "most" && (textAt(toks, i-1) == "the" || textAt(toks, i-1) == "at"):
			continue // the most important; at most
		case t.text == "few" && textAt(toks, i-1) == "a", t.text == "some" && startsQuantity(quantities, i+1):
			if t.text == "some" {
				continue
			}
			e = some
		case t.text == "whole" && textAt(toks, i-1) == "the" || t.text == "certain" && textAt(toks, i-1) == "a":
			continue
		case e == only && (textAt(toks, i-1) == "not" || startsQuantity(quantities, i+1)), e == all && textAt(toks, i-1) == "at":
			continue
		case e == all && textAt(toks, i-1) == "not":
			e = some
		}
		q := quantifier{tok: i, extent: e}
		for j := i + 1; j < len(toks) && j < i+8 && len(q.heads) < 2; j++ {
			if toks[j].kind == word && toks[j].content && (toks[j].clause == t.clause || len(q.heads) == 0) {
				q.heads = append(q.heads, toks[j].root)
			}
		}
		if e >= always && i > 0 { // "is always used", "covers … sometimes"
			for j := i - 1; j >= 0 && j > i-4; j-- {
				if toks[j].kind == word && toks[j].content {
					q.heads = append(q.heads, toks[j].root)
					break
				}
			}
		}
		out = append(out, q)
	}
	return out
}

func startsQuantity(quantities []quantity, i int) bool {
	for _, q := range quantities {
		if q.first == i {
			return true
		}
	}
	return false
}

// family says whether a quantifier counts things, says how often, or restricts.
func (e extent) family() int {
	switch {
	case e == only:
		return 1
	case e >= always:
		return 2
	}
	return 0
}

// compatible reports whether evidence with the quantifier e supports a claim with c. Neighbouring
// vague quantifiers do.
func (e extent) compatible(c extent) bool {
	if e == c || e.family() != c.family() {
		return e == c
	}
	near := func(a, b extent) bool { return e == a && c == b || e == b && c == a }
	return near(many, some) || near(usually, often) || near(often, sometimes)
}

// contrary reports whether the two exclude each other.
func (e extent) contrary(c extent) bool {
	pair := func(a, b extent) bool { return e == a && c == b || e == b && c == a }
	return pair(all, few) || pair(most, few) || pair(many, few) || pair(always, sometimes)
}
