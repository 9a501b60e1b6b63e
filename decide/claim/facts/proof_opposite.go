package facts

import (
	"example.com/assay/memory/text"
	"example.com/assay/state"
)

// oppositeParts are the words of the claim that have an opposite.
func (c *comparison) oppositeParts() []part {
	var out []part
	for i, t := range c.claim.toks {
		if t.kind != word || t.capital && i > 0 || unpolar[t.text] || t.roles&asNegator != 0 || genderOf[t.text] != 0 || quantifierMeant[t.text] || textAt(c.claim.toks, i-1) == "or" {
			continue
		}
		m := meaningOf(t.text)
		if len(m.opposite) == 0 {
			continue
		}
		denies := c.claim.negated[i]
		alike := func(k, j int) bool { return c.e.sentences[k].negated[j] == denies }
		unlike := func(k, j int) bool { return !alike(k, j) }
		p := part{kind: state.ConflictDirection, first: i, end: i + 1}
		opposed := func(k, j int) bool {
			s := c.e.sentences[k]
			return m.opposes(s.toks[j].text) && alike(k, j) && limits(s) == limits(c.claim) && !c.converse(turn{tok: i}, place{k, j})
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

// unpolar words have an opposite in the dictionary, and seldom one in a text.
var unpolar = text.Set(`on off up down in out over under have has had having be being been is are was were new old there here
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

// genderParts are the pronouns of the claim, against those of the evidence.
func (c *comparison) genderParts() []part {
	var out []part
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

// relative words say how one thing stands to another: the evidence may say it
// from the other side.
var relative = text.Set(`older elder younger oldest youngest brother sister husband wife`)

// polar words compare, order or point: left unproved, each is a doubt.
var polar = text.Set(`before after increase increased increases decrease decreased decreases rose fell more fewer less higher lower won lost win lose
	joined left bought sold above below most least began ended older younger oldest youngest largest smallest best worst
	opened closed early late earlier first last north south east west northern southern eastern western father mother son daughter
	brother sister husband wife always never`)
