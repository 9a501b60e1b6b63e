package facts

import (
	"strings"

	"example.com/assay/memory/text"
)

// A triple is who, does what, to whom: the nearest things on both sides of a
// word, exchanged in the passive.
type triple struct {
	agent, what, patient string
	first, end           int // tokens
}

// mutual predicates hold in both directions.
var mutual = rootSet(`meet marry differ equal similar adjacent border share agree compare same neighbour
	join connect link match resemble divorce compete cooperate separate different between parallel`)

var being = text.Set(`is are was were be been being get gets got`)

// triples finds them around every content word, and around "to", "before",
// "after" and "than".
func triples(toks []token, all []name) []triple {
	type thing struct {
		root       string
		first, end int
		proper     bool
	}
	var things []thing
	inName := make([]int, len(toks))
	for k, n := range all {
		for i := n.first; i < n.end; i++ {
			inName[i] = k + 1
		}
	}
	for i := 0; i < len(toks); i++ {
		t := toks[i]
		switch {
		case inName[i] > 0:
			n := all[inName[i]-1]
			things = append(things, thing{toks[n.parts[len(n.parts)-1]].root, n.first, n.end, !n.weak})
			i = n.end - 1
		case t.kind == word && (t.content || t.text == "to" || t.text == "before" || t.text == "after"):
			things = append(things, thing{t.root, i, i + 1, false})
		}
	}
	link := func(t thing) bool { w := toks[t.first].text; return w == "to" || w == "before" || w == "after" }
	var out []triple
	for k := 1; k+1 < len(things); k++ {
		left, p, right := things[k-1], things[k], things[k+1]
		if p.proper || mutual[p.root] || link(left) || link(right) || left.root == right.root {
			continue
		}
		if stops(toks, left.end, p.first) || stops(toks, p.end, right.first) {
			continue
		}
		be, by := passive(toks, left.end, p.first, p.end, right.first)
		if be && !by && participle(toks[p.first].text) {
			continue // who did it is not said
		}
		t := triple{left.root, p.root, right.root, left.first, right.end}
		if by && (be || left.end == p.first) {
			t.agent, t.patient = t.patient, t.agent
		}
		out = append(out, t)
	}
	return out
}

// stops reports whether something between two things parts them.
func stops(toks []token, from, to int) bool {
	for i := from; i < to; i++ {
		switch toks[i].text {
		case ",", ";", ":", "(", ")", "and", "or", "–", "—":
			return true
		}
	}
	return false
}

// passive reports a form of "be" before a word, and "by" after it.
func passive(toks []token, left, p, afterP, right int) (be, by bool) {
	for i := left; i < p; i++ {
		be = be || being[toks[i].text]
	}
	for i := afterP; i < right; i++ {
		by = by || toks[i].text == "by"
	}
	return be, by
}

// participle reports whether a word may be a past participle.
func participle(w string) bool {
	_, odd := irregular[w]
	return odd || strings.HasSuffix(w, "ed") || strings.HasSuffix(w, "en")
}
