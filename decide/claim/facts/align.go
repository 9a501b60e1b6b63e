package facts

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"example.com/assay/memory/text"
	"example.com/assay/state"
)

// A Standing is the relation of a claim to units of evidence.
type Standing int

const (
	Open    Standing = iota // the claim says too much, or too little, or the evidence is bare text
	Shown                   // a unit states the claim
	Refuted                 // a unit on the same subject says something else
	Lacking                 // no unit states the claim
)

// A Reading is a claim's Standing, with the unit that decided it.
type Reading struct {
	Standing Standing
	Unit     int     // -1 if there is none
	P        float64 // probability of support, if both kinds of claims are equally frequent
	About    bool    // the unit contains most of the claim
	Conflict state.Conflict
	Why      string // what the unit says instead, in words
	Lacks    string // what the unit lacks
}

// aboutIt is the share of a claim that a unit must contain to contradict it. A unit with less only
// lacks it.
const aboutIt = .6

// longestRead is the maximum number of content words of a claim that one unit must state alone. A
// longer claim says several things.
const longestRead = 9

// nearBy is the allowed distance, in share of the claim, to the unit that contains most of it.
const nearBy = .25

// sameBy is the same distance for two units about one thing.
const sameBy = .1

// Weights for how much a unit is about a claim: of a word outside the unit, and of a value in it.
const (
	besideWeight = .5
	metWeight    = .8
)

// Read judges a claim by the unit that is most about it. Among units equally about it, the later
// one counts. Evidence without a typed block is not read.
func (r *Reader) Read(claim string, l text.Language, units []Unit) Reading {
	c := r.claimOf(claim, l)
	if c.size() > longestRead || len(c.words)+len(c.s.quantities)+len(c.s.dates) < 2 || !slices.ContainsFunc(units, func(u Unit) bool { return u.Block }) {
		return Reading{Unit: -1}
	}
	read := make([]*unitRead, len(units))
	tables := map[int]*held{}
	for i, u := range units {
		read[i] = r.unit(u, l)
		if u.Row {
			if tables[u.Table] == nil {
				tables[u.Table] = &held{strength: make([]float64, len(c.words)), values: map[int]bool{}}
			}
			c.hold(read[i], tables[u.Table])
		}
	}
	fits := make([]fit, len(units))
	most := 0.0
	for i, u := range read {
		fits[i] = c.fit(u, tables[u.Table])
		most = max(most, fits[i].relevance)
	}
	best := -1
	for i, f := range fits {
		if f.relevance < most-nearBy {
			continue
		}
		f.by = -1
		for j, g := range fits {
			if i != j && g.conflict.Kind != "" && g.relevance > f.relevance-sameBy {
				if by := min(1, (g.relevance-f.relevance)/sameBy+1); by > f.x[outdone] {
					f.x[outdone], f.by = by, j
				}
			}
			if g.topic >= f.topic-sameBy && (units[i].Earlier && !units[j].Earlier || units[i].Version != "" && units[j].Version > units[i].Version) {
				f.x[older] = 1
				if g.conflict.Kind != "" {
					f.x[outdone], f.by = 1, j
				}
			}
		}
		f.score = 0
		for k, w := range weights {
			f.score += w * f.x[k]
		}
		fits[i] = f
		if best < 0 || f.score > fits[best].score+1e-9 {
			best = i
		}
	}
	f := fits[best]
	out := Reading{Unit: best, P: 1 / (1 + math.Exp(-f.score)), Standing: Shown, About: f.relevance >= aboutIt}
	if out.P < .5 {
		out.Standing, out.Conflict, out.Lacks = Lacking, f.conflict, f.lacks
		if f.conflict.Kind == "" && f.by >= 0 {
			f = fits[f.by]
			out.Unit, out.Conflict = fits[best].by, f.conflict
		}
		if out.Conflict.Kind != "" && f.relevance >= aboutIt {
			out.Standing, out.Why = Refuted, f.why
		}
	}
	return out
}

// A fit is the comparison of a claim with one unit.
type fit struct {
	x                [featureCount]float64
	relevance, score float64
	by               int     // the unit that outdoes this one; -1 for none
	topic            float64 // share of the claim's words, without values
	conflict         state.Conflict
	why              string // the conflict in words
	lacks            string
}

// held is the part of a claim that the rows of a table contain.
type held struct {
	strength []float64    // strength of the best match, by word of the claim
	values   map[int]bool // by the first token of a value
}

// hold records what a row's cells contain.
func (c *said) hold(u *unitRead, t *held) {
	for k, i := range c.words {
		for j, v := range u.body.toks {
			if s, opposite := c.like(i, v); !u.head[j] && !opposite {
				t.strength[k] = max(t.strength[k], s)
			}
		}
	}
	for _, v := range c.valuesIn(u, piece{0, len(u.body.toks)}) {
		t.values[v.first] = t.values[v.first] || v.met
	}
}

// fit compares a claim with a unit.
func (c *said) fit(u *unitRead, table *held) (f fit) {
	toks := c.s.toks
	x := &f.x
	x[always1] = 1
	oppose := func(feature int, by float64, kind state.ConflictKind, claim, evidence, why string) {
		x[feature] = max(x[feature], by)
		if f.conflict.Kind == "" {
			if why == "" {
				why = fmt.Sprintf("the claim says “%s” and the evidence “%s”", claim, evidence)
			}
			f.conflict, f.why = state.Conflict{Kind: kind, Claim: claim, Evidence: evidence, Opposed: true}, why
		}
	}
	matches := make([]match, len(c.words))
	total, got, own, other := 0.0, 0.0, 0.0, 0.0
	heaviest := 0.0 // weight of the heaviest missing word
	var here, there parity
	only := [2]int{-1, -1} // a word that only the unit denies, and one that only the claim denies
	for k, i := range c.words {
		w := c.weight(i)
		m := c.find(i, u)
		matches[k] = m
		total += w
		if !m.opposite {
			got += w * m.strength
		}
		if m.strength < .7 {
			if w*(1-m.strength) > heaviest {
				heaviest, f.lacks = w*(1-m.strength), c.s.words(i, i+1)
			}
			if c.named(i) {
				x[missName] = 1
			}
			if u.Row && table.strength[k] >= .9 {
				other += w
			}
		}
		if m.at >= 0 {
			own += w * m.strength
		}
	}
	p := c.piece(u, matches)
	for k, i := range c.words {
		switch m := matches[k]; {
		case m.at < p.first || m.at >= p.end:
		case m.opposite && c.denied[i] == u.turned[m.at]:
			oppose(contrary, 1, state.ConflictDirection, toks[i].text, u.body.words(m.at, m.at+1), "")
		case m.strength >= .7 && !m.opposite:
			here.see(c.denied[i], i)
			there.see(u.turned[m.at], m.at)
			switch {
			case u.turned[m.at] && !c.denied[i]:
				only[0] = i
			case c.denied[i] && !u.turned[m.at]:
				only[1] = i
			}
		}
	}
	if only[0] >= 0 && only[1] >= 0 {
		oppose(reversed, 1, state.ConflictNegation, toks[only[0]].text, "not "+toks[only[0]].text, "")
	}
	values, met, rivals := 0.0, 0.0, 0.0
	for _, v := range c.valuesIn(u, p) {
		values++
		switch {
		case v.met:
			if v.bounded {
				rivals++
			} else {
				met++
			}
			if v.at >= 0 {
				here.see(c.denied[v.first], v.first)
				there.see(u.turned[v.at], v.at)
				if v.bounded {
					oppose(bounds, 1, v.kind, v.claim, u.body.words(max(0, v.at-2), v.at+1), "")
				}
				if c.isNearer(v, u, matches) {
					x[nearer] = 1
				}
			}
			continue
		case v.rival != "":
			rivals++
			oppose(rivalled, 1, v.kind, v.claim, v.rival, "")
		default:
			f.lacks = v.claim
		}
		if u.Row && table.values[v.first] {
			other += criticalWeight
		}
	}
	all := total + values*criticalWeight
	if all == 0 {
		return f
	}
	f.relevance = (own + besideWeight*(got-own) + metWeight*met*criticalWeight) / all
	if total > 0 {
		f.topic = (own + besideWeight*(got-own)) / total
		x[covered] = got / total
	}
	if values > 0 {
		x[valueMet], x[valueLost] = met/values*x[covered], (values-met-rivals)/values
	}
	if other > 0 {
		oppose(elsewhere, other/all, state.ConflictName, f.lacks, u.Text, fmt.Sprintf("“%s” stands in another row", f.lacks))
	}
	if here.denies != there.denies {
		said, found, why := here.at, there.at, "the claim denies what the evidence says"
		if here.denies {
			found = there.first
		} else {
			said, why = here.first, "the evidence denies what the claim says"
		}
		oppose(reversed, 1, state.ConflictNegation, c.s.words(said, said+1), clauseText(u, found), why)
	}
	if u.body.asks {
		x[asks] = 1
	}
	if from, to := c.otherWay(u, matches); from != "" {
		oppose(otherWise, 1, state.ConflictDirection, from, to, "")
	}
	if c.exchanged(u, matches) {
		oppose(exchange, 1, state.ConflictRole, c.s.text, u.body.text, "the evidence says it with the two exchanged")
	}
	if kind, claim, evidence := c.scope(u, matches); kind == state.ConflictModality {
		oppose(firmness, 1, kind, claim, evidence, "")
	} else if kind != "" {
		oppose(narrower, 1, kind, claim, evidence, "")
	}
	if said := c.otherWord(u, matches); said != "" {
		x[replaced], f.lacks = 1, said
	}
	if own > 0 {
		for k, i := range c.words {
			if at := matches[k].at; at >= 0 && (at < p.first || at >= p.end) {
				x[scattered] += weightOf(toks[i]) * matches[k].strength / own
			}
		}
	}
	return f
}

// otherWord finds a word of the claim that the unit replaces by another. The words on both sides
// must be the same, or several on one side, including a content word.
func (c *said) otherWord(u *unitRead, matches []match) string {
	used := map[int]bool{}
	for _, m := range matches {
		used[m.at] = true
	}
	a, b := c.s.toks, u.body.toks
	for k, i := range c.words {
		if matches[k].strength > 0 {
			continue
		}
		for j := range b {
			if used[j] || b[j].kind != word || !b[j].content {
				continue
			}
			left, heavy := sameTokens(a, b, i, j, -1)
			right, more := sameTokens(a, b, i, j, 1)
			if (left > 0 && right > 0 || max(left, right) == mostBeside) && left+right > 2 && (heavy || more) {
				return a[i].text
			}
		}
	}
	return ""
}

// mostBeside is how many tokens are compared on each side: that many equal ones are enough.
const mostBeside = 4

// sameTokens counts the equal tokens next to a position in each of two texts, in one direction, up
// to mostBeside. If both texts end there, that counts as one.
func sameTokens(a, b []token, i, j, step int) (n int, heavy bool) {
	for n < mostBeside {
		i, j = i+step, j+step
		endA, endB := i < 0 || i >= len(a), j < 0 || j >= len(b)
		if endA && endB {
			return n + 1, heavy
		}
		if endA || endB || !strings.EqualFold(a[i].text, b[j].text) {
			break
		}
		heavy = heavy || a[i].content
		n++
	}
	return n, heavy
}

// A parity records whether one of the texts denies a shared word, and where.
type parity struct {
	denies, seen bool
	first, at    int // tokens of the first word, and of the first denied one
}

func (p *parity) see(denied bool, at int) {
	if !p.seen {
		p.seen, p.first = true, at
	}
	if denied && !p.denies {
		p.denies, p.at = true, at
	}
}

// isNearer reports whether a word next to a value in the claim is nearer to another value in the
// unit.
func (c *said) isNearer(v value, u *unitRead, matches []match) bool {
	for k, i := range c.words {
		at := matches[k].at
		if at < 0 || i < v.first-2 || i > v.first+3 || u.Row || c.clockAt(v.first) {
			continue
		}
		own := max(at-v.at, v.at-at)
		for _, q := range u.body.quantities {
			if d := max(at-q.first, q.first-at); q.first != v.at && v.kind == state.ConflictNumber && d+1 < own && !q.soft && !q.ordinal {
				return true
			}
		}
	}
	return false
}

func clauseText(u *unitRead, at int) string {
	first, end := clauseAround(u.body.toks, at)
	return u.body.words(first, end)
}

// piece returns the part of a unit that contains most of a claim's words.
func (c *said) piece(u *unitRead, matches []match) piece {
	best, most := u.parts[0], -1.0
	carried := make([]float64, len(c.words))
	for _, p := range u.parts {
		sum := 0.0
		for k, i := range c.words {
			t := c.s.toks[i]
			if matches[k].strength == 0 {
				continue
			}
			own := 0.0
			for j := p.first; j < p.end; j++ {
				if s, opposite := c.like(i, u.body.toks[j]); s > 0 && !opposite {
					own = weightOf(t) * s
					break
				}
			}
			sum += max(own, .9*carried[k])
			carried[k] = max(carried[k], own)
		}
		if sum > most+1e-9 {
			best, most = p, sum
		}
	}
	return best
}
