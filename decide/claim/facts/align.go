package facts

import (
	"slices"

	"example.com/assay/memory/text"
	"example.com/assay/memory/text/wordnet"
	"example.com/assay/state"
)

// A Standing is what units of evidence say of a claim.
type Standing int

const (
	Open    Standing = iota // no unit decides it
	Shown                   // a unit says it, in all that matters
	Refuted                 // a unit is about the same and says something else
)

// A Reading is how a claim stands to units, with the one that it was decided by.
type Reading struct {
	Standing Standing
	Unit     int
	Covered  float64 // how much of the claim the unit holds, 0 to 1
	Conflict state.Conflict
	About    []float64 // by unit: how much of the claim's words it holds; nil of a claim that says several things
	Lacks    string    // of an open claim: what the block that is most about it does not have
}

// longestRead is how many content words a claim may have that one unit alone has to say.
// What has more says several things.
const longestRead = 9

// Where a unit is about a claim, and where it says it, by how much of it it holds.
const (
	aboutFrom  = .62
	deniedFrom = .45
	rowFrom    = .45
	sameFrom   = .8
	nearFrom   = .4
	ownFrom    = .25 // of the claim's words, not counting what is read with the unit
	shownFrom  = .6
)

// Read compares a claim with each unit, and decides by the one that is most about it.
// Of two that are, the later one counts, and the one that a message does not merely repeat.
func (r *Reader) Read(claim string, units []Unit) Reading {
	c := r.claimOf(claim)
	if len(c.words) > longestRead || len(c.words)+len(c.s.quantities)+len(c.s.dates) < 2 {
		return Reading{Unit: -1}
	}
	type held struct {
		fit
		unit int
	}
	var shown, against *held
	out := Reading{Unit: -1, About: make([]float64, len(units))}
	nearest := 0.0
	read := make([]*unitRead, len(units))
	tables := map[int]bool{} // of which the claim names a row
	for i, u := range units {
		read[i] = r.unit(u)
		if u.Name != "" && c.rowNamed(read[i]) {
			read[i].named, tables[u.Table] = true, true
		}
	}
	for i, u := range units {
		read[i].among = tables[u.Table]
		f := c.fit(read[i])
		h := &held{f, i}
		out.About[i] = f.about
		if f.own >= ownFrom && f.covered > nearest+1e-9 {
			nearest, out.Lacks = f.covered, f.lacks
			if !u.Block {
				out.Lacks = ""
			}
		}
		switch {
		case f.opposed && f.own >= ownFrom && f.about >= read[i].refutes(f.conflict.Kind):
			if against == nil || f.about > against.about+1e-9 {
				against = h
			}
		case f.shown:
			if shown == nil || better(f, shown.fit, u, units[shown.unit]) {
				shown = h
			}
		}
	}
	switch {
	case shown == nil && against == nil:
		if nearest < nearFrom {
			out.Lacks = ""
		}
		return out
	case shown != nil && (against == nil || !overrules(shown.fit, against.fit, units[shown.unit], units[against.unit])):
		out.Standing, out.Unit, out.Covered, out.Lacks = Shown, shown.unit, shown.covered, ""
	default:
		out.Standing, out.Unit, out.Covered, out.Conflict, out.Lacks = Refuted, against.unit, against.about, against.conflict, ""
	}
	return out
}

// refutes is how much of a claim a unit has to hold to speak against it. What a sentence of
// running text says of it may go on in the next one.
func (u *unitRead) refutes(kind state.ConflictKind) float64 {
	switch {
	case !u.Block && kind == state.ConflictNegation:
		return aboutFrom
	case !u.Block:
		return sameFrom
	case kind == state.ConflictNegation, u.named:
		return deniedFrom
	}
	return aboutFrom
}

// overrules reports whether a unit that speaks against a claim counts more than one that
// shows it: it is later, or more about the claim.
func overrules(shown, against fit, s, o Unit) bool {
	later := s.Earlier && !o.Earlier || s.Version != "" && o.Version > s.Version
	return later && against.about > shown.about-.2 || against.about > shown.about+.1
}

func better(f, g fit, u, v Unit) bool {
	if u.Earlier != v.Earlier {
		return v.Earlier
	}
	return f.covered > g.covered+1e-9 || f.covered > g.covered-.05 && u.Version > v.Version
}

// A said is a claim taken apart.
type said struct {
	s      *sentence
	words  []int // content tokens outside of amounts and dates
	denied []bool
	clocks []clock
	taken  []bool
	alike  []map[string]wordPair // by token, to words of units
}

func (r *Reader) claimOf(claim string) *said {
	c := &said{s: r.reading(claim).sentence}
	toks := c.s.toks
	c.denied, _ = polarity(c.s)
	c.clocks, c.taken = clocks(toks), make([]bool, len(toks))
	c.alike = make([]map[string]wordPair, len(toks))
	take := func(first, end int) {
		for i := first; i < end; i++ {
			c.taken[i] = true
		}
	}
	for _, q := range c.s.quantities {
		if !q.soft || q.rate {
			take(q.first, q.end)
		}
	}
	for _, d := range c.s.dates {
		take(d.first, d.end)
	}
	for _, k := range c.clocks {
		take(k.first, k.end)
	}
	for i, t := range toks {
		if !c.taken[i] && t.kind == word && (t.content || t.capital && i > 0 && len(t.text) == 1 && t.text != "i") && modalRoots[t.root] == 0 && extents[t.text] == 0 {
			c.words = append(c.words, i)
		}
	}
	return c
}

// named reports whether a word of a claim is a name: written with a capital where it
// need not be, or no word of the language.
func (c *said) named(i int) bool {
	t := c.s.toks[i]
	return t.capital && (i != firstWord(c.s.toks) || len(t.text) > 3 && !wordnet.Known(t.text) && len(wordnet.Bases(t.text)) == 0)
}

// A fit is how a claim stands to one unit.
type fit struct {
	about, own, covered float64 // of the claim's words; of them by the unit itself; of all of it
	shown, opposed      bool
	conflict            state.Conflict
	lacks               string // a name or an amount
}

// fit measures how a claim stands to a unit.
func (c *said) fit(u *unitRead) (f fit) {
	toks := c.s.toks
	matches := make([]match, len(c.words))
	total, got, own, wrong, inBody, wrongAt := 0.0, 0.0, 0.0, 0.0, 0, -1
	lacksName, polar := false, false
	for k, i := range c.words {
		w := weightOf(toks[i])
		if c.named(i) {
			w = criticalWeight
		}
		m := c.find(i, u)
		matches[k] = m
		total += w
		if !m.opposite {
			got += w * m.strength
		}
		switch {
		case m.strength == 0:
			if c.named(i) {
				lacksName, f.lacks = true, c.s.words(i, i+1)
			}
			polar = polar || polarWord(toks[i])
		case m.at >= 0:
			inBody++
			own += w * m.strength
			if (c.denied[i] == u.turned[m.at]) == m.opposite {
				wrong += w
				if wrongAt < 0 || m.opposite {
					wrongAt = k
				}
			}
		}
	}
	piece := c.piece(u, matches)
	critical, met := 0.0, 0.0
	oppose := func(kind state.ConflictKind, claim, evidence string) {
		if !f.opposed {
			f.opposed, f.conflict = true, state.Conflict{Kind: kind, Claim: claim, Evidence: evidence, Opposed: true}
		}
	}
	lacks := false
	for _, v := range c.valuesIn(u, piece) {
		critical += criticalWeight
		switch {
		case v.met:
			met += criticalWeight
			if v.at >= 0 && c.denied[v.first] != u.turned[v.at] {
				oppose(state.ConflictNegation, v.claim, u.body.words(max(0, v.at-1), v.at+1))
			}
		case v.rival != "":
			oppose(v.kind, v.claim, v.rival)
		default:
			lacks = true
			if v.kind != state.ConflictNumber || rates[v.claim] == nil {
				f.lacks = v.claim
			}
		}
	}
	if u.named && len(spans(u.name)) > 0 {
		critical, met = critical+criticalWeight, met+criticalWeight
	}
	if total > 0 {
		f.about = got / total
	}
	if total+critical > 0 {
		f.covered = (got + met) / (total + critical)
	}
	f.own = own
	if total > 0 {
		f.own /= total
	}
	if wrongAt >= 0 && (matches[wrongAt].strength >= .9 && u.aside[matches[wrongAt].at] || wrong >= .5*got && c.denialShared(u, matches) || matches[wrongAt].opposite) {
		m := matches[wrongAt]
		kind := state.ConflictNegation
		if m.opposite {
			kind = state.ConflictDirection
		}
		oppose(kind, toks[c.words[wrongAt]].text, clauseText(u, m.at))
	}
	if u.Name != "" && !u.named && (u.among || met < 2*criticalWeight) {
		f.opposed, f.shown = false, false
		if lacksName && f.own >= aboutFrom {
			oppose(state.ConflictName, f.lacks, u.Name)
		}
		return f
	}
	if from, to := c.otherWay(u, matches); from != "" {
		oppose(state.ConflictDirection, from, to)
	}
	if c.exchanged(u, matches) {
		oppose(state.ConflictRole, c.s.text, u.body.text)
	}
	if kind, claim, evidence := c.scope(u, matches); kind != "" {
		oppose(kind, claim, evidence)
	}
	only := !hasExtent(c.s, only) || hasAny(u.body, likeOnly) || slices.Contains(u.turned, true)
	f.shown = only && !f.opposed && !lacks && !lacksName && !polar && f.covered >= shownFrom && inBody+int(met) > 0 && (critical > 0 || f.about >= .7)
	if lacksName && f.opposed {
		f.opposed = false
	}
	if lacksName && u.named && !f.opposed && f.own >= rowFrom {
		for _, n := range u.body.names {
			if u.cells[n.first] > 0 && textAt(u.body.toks, n.first-1) == ":" {
				oppose(state.ConflictName, f.lacks, u.body.words(n.first, n.end))
			}
		}
	}
	return f
}

// denialShared reports whether what one denies is what the other says: the head of the
// claim's denial, or two words of what the unit denies.
func (c *said) denialShared(u *unitRead, matches []match) bool {
	said, theirs := 0, 0
	for k, i := range c.words {
		m := matches[k]
		if m.at < 0 || m.strength < .75 {
			continue
		}
		if c.denied[i] && !u.turned[m.at] && slices.ContainsFunc(c.s.negations, func(n negation) bool { return len(n.heads) > 0 && n.heads[0] == c.s.toks[i].root }) {
			said++
		}
		if u.turned[m.at] && !c.denied[i] && !c.onCondition(u, m.at) {
			theirs++
		}
	}
	return said > 0 || theirs > 1
}

var conditions = text.Set(`if unless until when where while before after`)

// onCondition reports whether what a clause says holds only on a condition that the claim
// does not have.
func (c *said) onCondition(u *unitRead, at int) bool {
	_, end := clauseAround(u.body.toks, at)
	if end >= len(u.body.toks) || !conditions[u.body.toks[end].text] {
		return false
	}
	_, last := clauseAround(u.body.toks, end)
	for _, t := range u.body.toks[end:last] {
		for _, i := range c.words {
			if t.content && (t.root == c.s.toks[i].root) {
				return false
			}
		}
	}
	return true
}

func clauseText(u *unitRead, at int) string {
	first, end := clauseAround(u.body.toks, at)
	return u.body.words(first, end)
}

// rowNamed reports whether a claim speaks of a unit's row: it has what names the row.
func (c *said) rowNamed(u *unitRead) bool {
	total, got := 0.0, 0.0
	for _, t := range u.name.toks {
		if t.kind == sign || t.kind == word && !t.content && len(u.name.toks) > 1 && len(t.text) > 1 {
			continue
		}
		total++
		for i, v := range c.s.toks {
			if t.kind == number && t.text == v.text {
				got++
				break
			}
			if s, opposite := c.like(i, t); t.kind == word && s > .8 && !opposite && (len(t.text) > 1 || v.capital && i > 0) {
				got++
				break
			}
		}
	}
	for _, r := range spans(u.name) {
		for _, q := range c.s.quantities {
			if r.holds(q) && !q.rate {
				return true
			}
		}
	}
	if len(spans(u.name)) > 0 && len(u.name.contents) == 0 {
		return false
	}
	return total == 0 || got >= total/2
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
