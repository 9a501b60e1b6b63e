package facts

import (
	"slices"

	"example.com/assay/memory/text"
	"example.com/assay/memory/text/wordnet"
	"example.com/assay/state"
)

// oppositeParts returns the words of the claim that have an opposite.
func (c *comparison) oppositeParts() []part {
	var out []part
	for i, t := range c.claim.toks {
		if t.kind != word || t.capital && i > 0 || unpolar[t.text] || t.roles&asNegator != 0 || genderOf[t.text] != 0 || quantifierMeant[t.text] || textAt(c.claim.toks, i-1) == "or" {
			continue
		}
		m := meaningOf(t.text)
		base, prefixed := withoutPrefix(t.text) // "invisible" where the evidence has "visible"
		if prefixed = prefixed && len(c.e.stemmed[t.stem]) == 0 && len(c.e.stemmed[text.Stem(base)]) > 0; prefixed {
			m.opposite, m.contrary = []string{text.Stem(base)}, map[string]bool{base: true}
			for _, b := range wordnet.Bases(base) {
				m.contrary[b] = true
			}
		}
		if len(m.opposite) == 0 {
			continue
		}
		denies := c.claim.negated[i]
		alike := func(k, j int) bool { return c.e.sentences[k].negated[j] == denies }
		unlike := func(k, j int) bool { return !alike(k, j) }
		p := part{kind: state.ConflictDirection, first: i, end: i + 1, prefixed: prefixed}
		opposed := func(k, j int) bool {
			s := c.e.sentences[k]
			return m.opposes(s.toks[j].text) && alike(k, j) && limits(s) == limits(c.claim) && !c.converse(i, place{k, j})
		}
		p.by = c.best(i, m.opposite, opposed)
		p.against = p.by.fit
		p.shown = max(c.best(i, m.own, alike).fit, .8*c.best(i, m.same, alike).fit, .8*c.best(i, m.opposite, unlike).fit)
		if p.against > 0 {
			p.nearer = c.placed(m.opposite, i, i+1, opposed) - c.placed(m.own, i, i+1, alike)
		}
		if p.by.sentence < 0 && c.best(i, m.opposite, nil).fit > .5 {
			p.shown = max(p.shown, .5) // both sides are exchanged
		}
		out = append(out, p)
	}
	return out
}

// unpolar words have an opposite in the dictionary, but rarely in a text.
var unpolar = text.Set(`on off in out over under have has had having be being been is are was were new old there here
	manner inability get got take taken took go went give gave given make made work works`)

// pronounsOf are the pronouns of a gender.
var pronounsOf = map[int][]string{1: {"he", "his", "him", "himself"}, -1: {"she", "her", "hers", "herself"}}

var genderOf = func() map[string]int {
	out := map[string]int{}
	for gender, list := range pronounsOf {
		for _, w := range list {
			out[w] = gender
		}
	}
	return out
}()

// genderParts returns the pronouns of the claim, compared with those of the evidence.
func (c *comparison) genderParts() []part {
	var out []part
	if !slices.ContainsFunc(c.claim.toks, func(t token) bool { return genderOf[t.text] != 0 }) {
		return nil
	}
	count := map[int]float64{}
	for _, s := range c.e.sentences {
		for _, t := range s.toks {
			count[genderOf[t.text]]++
		}
	}
	for i, t := range c.claim.toks {
		g := genderOf[t.text]
		if g == 0 {
			continue
		}
		own, other := count[g], count[-g]
		out = append(out, part{
			kind: state.ConflictGender, first: i, end: i + 1, shown: own / (own + other + 1), against: other / (own + other + 2), by: c.best(i, stemsOf(pronounsOf[-g]), nil),
		})
	}
	return out
}

// relative words state the relation of two things: the evidence may state it from the other side.
var relative = text.Set(`older elder younger oldest youngest brother sister husband wife`)

// polar words compare, order or point; an unproved one is a doubt.
var polar = text.Set(`before after increase increased increases decrease decreased decreases rose fell more fewer less higher lower won lost win lose
	joined left bought sold above below most least began ended older younger oldest youngest largest smallest best worst
	opened closed early late earlier first last north south east west northern southern eastern western father mother son daughter
	brother sister husband wife always never`)

// mostThings is how many names and numbers of a claim are compared in pairs.
const mostThings = 16

// exchangeParts returns pairs of names, or of numbers, that fit the evidence better when exchanged.
func (c *comparison) exchangeParts() []part {
	var out []part
	var things [][3]int // first, end, and the token to look up
	for _, n := range c.claim.names {
		if !n.weak || len(c.e.stemmed[c.claim.toks[n.parts[0]].stem]) > 0 {
			things = append(things, [3]int{n.first, n.end, n.parts[len(n.parts)-1]})
		}
	}
	names := len(things)
	for i, t := range c.claim.toks {
		if t.kind == number {
			things = append(things, [3]int{i, i + 1, i})
		}
	}
	things = things[:min(len(things), mostThings)]
	stemOf := func(x [3]int) []string { return []string{c.claim.toks[x[2]].stem} }
	for a := range things {
		for b := a + 1; b < len(things); b++ {
			x, y := things[a], things[b]
			if (a < names) != (b < names) || y[0]-x[0] > 30 || x[0]-y[0] > 30 || c.claim.toks[x[2]].stem == c.claim.toks[y[2]].stem {
				continue
			}
			given := c.placed(stemOf(x), x[0], x[1], nil) + c.placed(stemOf(y), y[0], y[1], nil)
			swapped := c.placed(stemOf(x), y[0], y[1], nil) + c.placed(stemOf(y), x[0], x[1], nil)
			first, end := min(x[0], y[0]), max(x[1], y[1])
			out = append(out, part{kind: state.ConflictRole, first: first, end: end, shown: given / 2, against: swapped / 2, by: unseen})
		}
	}
	return out
}

// A neighbour is a word of the claim near a position, with its side and its weight.
type neighbour struct {
	stem   string
	side   int
	weight float64
}

// mostNeighbours is how many words on each side describe a position.
const mostNeighbours = 5

// neighbourhood returns the words around tokens first..end of the claim, up to a sign, and the sum
// of their weights.
func (c *comparison) neighbourhood(first, end int) (with []neighbour, total float64) {
	toks := c.claim.toks
	for _, side := range [2]struct{ from, step int }{{first - 1, -1}, {end, 1}} {
		for n := range mostNeighbours {
			j := side.from + n*side.step
			if j < 0 || j >= len(toks) || toks[j].kind == sign {
				break
			}
			w := rarityOf(toks[j].stem) / (1 + float64(n+1)/3)
			with, total = append(with, neighbour{toks[j].stem, side.step, w}), total+w
		}
	}
	return with, total
}

// placed is how well one of some words fits the evidence at a position of the claim: the words
// around the position also surround the word there, nearby and on the same side. usable may exclude
// places; nil excludes none.
func (c *comparison) placed(stems []string, first, end int, usable func(k, j int) bool) float64 {
	with, total := c.neighbourhood(first, end)
	if total == 0 {
		return 0
	}
	best := 0.0
	for _, stem := range stems {
		for _, k := range c.e.stemmed[stem] {
			s := c.e.sentences[k]
			for _, j := range s.places[stem] {
				if usable != nil && !usable(int(k), j) {
					continue
				}
				sum := 0.0
				for _, w := range with {
					sum += w.weight * w.closeness(s, j)
				}
				best = max(best, sum/total)
			}
		}
	}
	return best
}

// closeness is how near a neighbour is to token j of a sentence.
func (w neighbour) closeness(s *sentence, j int) float64 {
	most := 0.0
	for _, p := range s.places[w.stem] {
		d := p - j
		if d == 0 || d > 8 || d < -8 {
			continue
		}
		f := 1 / (1 + float64(max(d, -d))/6)
		if d*w.side < 0 {
			f *= .3
		}
		most = max(most, f)
	}
	return most
}
