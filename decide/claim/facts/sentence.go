package facts

import (
	"slices"
	"strings"

	"example.com/assay/memory/text"
)

// A sentence is a parsed sentence of the evidence, or a claim.
type sentence struct {
	text        string
	toks        []token
	contents    []int            // indices of content tokens that are neither names nor numbers
	has         map[string]bool  // roots of its words
	places      map[string][]int // tokens by stem
	quantities  []quantity
	dates       []date
	clocks      []clock
	names       []name
	negated     []bool // by token: within the scope of an odd number of negations
	negations   []negation
	modals      []modal
	quantifiers []quantifier
	triples     []triple
	asks        bool // it is a question
}

// mostPlaces is how many places of a stem in one sentence are looked at.
const mostPlaces = 16

func parse(s string, known *lexicon) *sentence {
	p := &sentence{text: s, toks: lex(s, known)}
	p.has = make(map[string]bool, len(p.toks))
	p.places = make(map[string][]int, len(p.toks))
	for i, t := range p.toks {
		if t.stem == "" {
			continue
		}
		for _, stem := range append([]string{t.stem}, t.bases...) {
			if len(p.places[stem]) < mostPlaces {
				p.places[stem] = append(p.places[stem], i)
			}
		}
	}
	taken := make([]bool, len(p.toks))
	p.dates = dates(p.toks, taken)
	p.clocks = clocks(p.toks)
	p.quantities = quantities(p.toks, taken)
	for _, q := range p.quantities {
		for i := q.first; i < q.end; i++ {
			taken[i] = true
		}
	}
	p.names = names(p.toks, taken)
	for _, n := range p.names {
		for _, i := range n.parts {
			taken[i] = taken[i] || !n.weak
		}
	}
	for i, t := range p.toks {
		if t.kind != word {
			continue
		}
		p.has[t.root] = true
		p.asks = p.asks || t.text == "whether"
		if t.content && !taken[i] {
			p.contents = append(p.contents, i)
		}
	}
	p.asks = p.asks || len(p.toks) > 0 && p.toks[len(p.toks)-1].text == "?"
	p.negations, p.negated = negations(p.toks)
	p.modals = modals(p.toks, p.negated)
	p.quantifiers = quantifiers(p.toks, p.quantities)
	p.triples = triples(p.toks, p.names)
	return p
}

// words returns the text of tokens first..end.
func (s *sentence) words(first, end int) string {
	if first < 0 || end <= first || end > len(s.toks) {
		return ""
	}
	return s.text[s.toks[first].start:s.toks[end-1].end]
}

// widest bounds the tokens of a clause that are searched.
const widest = 40

// around returns how many content roots of other are in the neighbourhood of token i of s: in its
// clause, or up to six tokens away.
func (s *sentence) around(i int, other *sentence, except string) int {
	n := 0
	var seen []string
	for j := max(0, i-widest); j < len(s.toks) && j <= i+widest; j++ {
		t := s.toks[j]
		if t.kind != word || !t.content || t.root == except || t.clause != s.toks[i].clause && (j < i-6 || j > i+6) {
			continue
		}
		if other.has[t.root] && !slices.Contains(seen, t.root) {
			seen = append(seen, t.root)
			n++
		}
	}
	return n
}

// A triple is who, does what, to whom: the nearest things on both sides of a word, exchanged in the
// passive.
type triple struct {
	agent, what, patient string
	first, end           int // tokens
}

// mutual predicates hold in both directions.
var mutual = rootSet(`meet marry differ equal similar adjacent border share agree compare same neighbour
	join connect link match resemble divorce compete cooperate separate different between parallel`)

// articles precede things, not actions.
var articles = text.Set(`the a an`)

var being = text.Set(`is are was were be been being get gets got`)

// triples returns the triples around every content word, and around "to", "before", "after" and
// "than".
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
		if p.proper || mutual[p.root] || link(left) || link(right) || left.root == right.root || articles[toks[p.first-1].text] {
			continue
		}
		if stops(toks, left.end, p.first) || stops(toks, p.end, right.first) {
			continue
		}
		be, by := passive(toks, left.end, p.first, p.end, right.first)
		if be && !by && participle(toks[p.first].text) {
			continue // the agent is unknown
		}
		t := triple{left.root, p.root, right.root, left.first, right.end}
		if by && (be || left.end == p.first) {
			t.agent, t.patient = t.patient, t.agent
		}
		out = append(out, t)
	}
	return out
}

// stops reports whether something separates two things.
func stops(toks []token, from, to int) bool {
	for i := from; i < to; i++ {
		switch toks[i].text {
		case ",", ";", ":", "(", ")", "and", "or", "–", "—":
			return true
		}
	}
	return false
}

// passive reports whether a form of "be" precedes a word, and whether "by" follows it.
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
