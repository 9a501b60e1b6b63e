package facts

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"example.com/assay/memory/text"
	"example.com/assay/state"
)

// A Standing is what units of evidence say of a claim.
type Standing int

const (
	Open    Standing = iota // the claim says too much, or too little, or the evidence is bare text
	Shown                   // a unit says it, in all that matters
	Refuted                 // a unit is about the same and says something else
	Lacking                 // no unit says it
)

// A Reading is how a claim stands to units, with the one that it was decided by.
type Reading struct {
	Standing Standing
	Unit     int     // -1 where there is none
	P        float64 // of support, where claims of both kinds are equally many
	About    bool    // the unit holds most of the claim
	Conflict state.Conflict
	Why      string // what the unit says instead, in words
	Lacks    string // what the unit does not have
}

// aboutIt is how much of a claim a unit must hold to contradict it. What holds less lacks it.
const aboutIt = .6

// longestRead is how many content words a claim may have that one unit alone has to say.
// What has more says several things.
const longestRead = 9

// nearBy is how much less of a claim a unit may hold than the one that holds most of it.
const nearBy = .25

// sameBy is the same of two units that are about one thing.
const sameBy = .1

// What a word counts that stands beside a unit, and a value that it has, in how much the
// unit is about a claim.
const (
	besideWeight = .5
	metWeight    = .8
)

// Read judges a claim by the unit that is most about it. Of two units that are about it
// alike, the later one counts. Evidence without a typed block is not read.
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

// A fit is how a claim stands to one unit.
type fit struct {
	x                [featureCount]float64
	relevance, score float64
	by               int     // the unit that outdoes it; -1 for none
	topic            float64 // how much of its words, without values
	conflict         state.Conflict
	why              string // the conflict in words
	lacks            string
}

// held is what the rows of a table have of a claim.
type held struct {
	strength []float64    // by word of the claim: of the best match
	values   map[int]bool // by the first token of a value
}

// hold notes what a row has in its cells.
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

// fit measures how a claim stands to a unit.
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
	heaviest := 0.0 // word that is missing
	var here, there parity
	only := [2]int{-1, -1} // a word that only the unit denies, and one that only the claim does
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

// otherWord finds a word of the claim that the unit does not have, and has another in the place of: what stands
// on both sides of the two is the same, or much of it on one, and a word of content among it.
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

// mostBeside is how many tokens on one side are compared. So many that are the same are enough.
const mostBeside = 4

// sameTokens counts the tokens, mostBeside at the most, that are the same beside a place in each of two texts, in one
// direction. Where both end there, that counts as one.
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

// parity is whether one of the words that both have is denied.
type parity struct {
	denies, seen bool
	first, at    int // tokens: of the first word, and of the first that is denied
}

func (p *parity) see(denied bool, at int) {
	if !p.seen {
		p.seen, p.first = true, at
	}
	if denied && !p.denies {
		p.denies, p.at = true, at
	}
}

// isNearer reports whether a word that stands beside a value in the claim stands nearer to
// another value of the unit than to that one.
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

// piece is the part of a unit that holds most of a claim's words.
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
