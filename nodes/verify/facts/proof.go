package facts

import (
	"slices"
	"strings"

	"example.com/assay/memory/text"
	"example.com/assay/state"
)

// A part is a critical word of a claim with what the evidence has for it and
// against it, each as the fit of its company.
type part struct {
	kind       state.ConflictKind
	first, end int // tokens of the claim
	shown      float64
	against    float64
	by         sighting // what speaks against it
}

// deniedAt reports whether a negator stands shortly before or behind a token.
func deniedAt(s *sentence, j int) bool {
	if s.negated[j] {
		return true
	}
	if j > 0 && deniesAll[s.toks[0].text] {
		return true
	}
	for i := max(0, j-6); i <= min(len(s.toks)-1, j+2); i++ {
		if i != j && isNegator(s.toks, i) {
			return true
		}
	}
	return false
}

// deniesAll are words that deny a whole sentence that they begin.
var deniesAll = words(`neither none nobody nothing`)

// softDenied reports whether words that say no in a way of their own stand near.
func softDenied(s *sentence, j int) bool {
	for i := max(0, j-6); i <= min(len(s.toks)-1, j+6); i++ {
		t := s.toks[i]
		if t.kind == word && (t.clause == s.toks[j].clause || i >= j-6 && i <= j+3) && i != j && (negative[t.root] || softNo[t.stem] || undone(t.text)) {
			return true
		}
	}
	return false
}

// softNo are stems of words that say no, beside those of negative.
var softNo = stemSet(`lack fail unable miss never halt postpone block bar without unlikely doubt dispute decline neglect
	hardly scarcely barely rarely seldom yet close`)

func stemSet(list string) wordSet {
	set := wordSet{}
	for _, w := range strings.Fields(list) {
		set[text.Stem(w)] = true
	}
	return set
}

// negationParts are the denials of the claim.
func (c *comparison) negationParts() []part {
	var out []part
	toks := c.claim.toks
	for i := range toks {
		if !isNegator(toks, i) || exceptions[toks[i].text] || toks[i].text == "yet" || toks[i].text == "non" {
			continue
		}
		heads := c.denies(i)
		if len(heads) == 0 {
			continue
		}
		p := part{kind: state.ConflictNegation, first: i, end: heads[0] + 1, by: unseen}
		plain, soft := 0.0, 0.0
		for n, h := range heads {
			m := meaningOf(toks[h].text)
			with := c.company(h)
			for _, stem := range m.same {
				for _, k := range c.e.stemmed[stem] {
					s := c.e.sentences[k]
					for _, j := range s.places[stem] {
						f := c.fit(with, int(k), j)
						switch {
						case deniedAt(s, j):
							plain = max(plain, f)
						case softDenied(s, j):
							soft = max(soft, f)
						case !s.asks && f*asserted(n, toks[h], s.toks[j]) > p.against:
							f *= asserted(n, toks[h], s.toks[j])
							p.against, p.by = f, sighting{int(k), j, f}
						}
					}
				}
			}
		}
		cue, anti := 0.0, 0.0
		with := c.company(i)
		for k, s := range c.e.sentences {
			for j := range s.toks {
				if isNegator(s.toks, j) {
					cue = max(cue, c.fit(with, k, j))
				}
			}
		}
		for _, h := range heads[:min(2, len(heads))] {
			m := meaningOf(toks[h].text)
			anti = max(anti, c.best(h, m.opposite, nil).fit, c.best(h, unForms(toks[h].text), nil).fit)
		}
		p.shown = max(plain, .7*soft, .6*cue, .8*anti)
		out = append(out, p)
	}
	return out
}

// asserted is how much it counts against a denial that the evidence has one of
// its words: the first most, and less in another form.
func asserted(n int, claim, evidence token) float64 {
	weight := 1.0
	if n > 0 {
		weight = .9
	}
	if claim.text != evidence.text {
		weight *= .95
	}
	return weight
}

// denies are the words that a negator of the claim denies: up to three content
// words of its clause. What stands between two commas right behind it is skipped.
func (c *comparison) denies(i int) []int {
	toks := c.claim.toks
	from := i + 1
	if textAt(toks, from) == "," {
		for j := from + 1; j < len(toks) && j <= i+12; j++ {
			if toks[j].text == "," {
				from = j + 1
				break
			}
		}
	}
	var heads []int
	for j := from; j < len(toks) && j <= from+8 && len(heads) < 3; j++ {
		if len(heads) > 0 && c.groups[j] != c.groups[heads[0]] {
			break
		}
		if toks[j].kind == word && toks[j].content {
			heads = append(heads, j)
		}
	}
	return heads
}

// unForms are the stems of a word with a prefix that denies it.
func unForms(w string) []string {
	var out []string
	for _, prefix := range []string{"un", "in", "dis", "im", "ir", "non"} {
		out = append(out, text.Stem(prefix+w))
	}
	return out
}

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
		p.by = c.best(i, m.opposite, func(k, j int) bool {
			s := c.e.sentences[k]
			return m.opposes(s.toks[j].text) && alike(k, j) && excepts(s) == excepts(c.claim) && !c.converse(turn{tok: i}, place{k, j})
		})
		p.against = p.by.fit
		p.shown = max(c.best(i, m.own, alike).fit, .8*c.best(i, m.same, alike).fit, .8*c.best(i, m.opposite, unlike).fit)
		if p.by.sentence < 0 && c.best(i, m.opposite, nil).fit > .5 {
			p.shown = max(p.shown, .5) // both sides are exchanged
		}
		out = append(out, p)
	}
	return out
}

// unpolar words have an opposite in the dictionary, and seldom one in a text.
var unpolar = words(`on off up down in out over under have has had having be being been is are was were new old there here
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

// Modals and what means about the same.
var modalClasses = []wordSet{
	words(`must shall required requires require needs need obliged mandatory necessary should`),
	words(`may might could can possible possibly potentially perhaps permitted allowed able optional`),
	words(`should ought recommended advised expected encouraged must`),
}

// modalParts are the modals of the claim that are not denied.
func (c *comparison) modalParts() []part {
	var out []part
	for _, m := range c.claim.modals {
		t := c.claim.toks[m.tok]
		if m.negated || !modalMeant[t.text] {
			continue
		}
		p := part{kind: state.ConflictModality, first: m.tok, end: m.tok + 1, by: unseen}
		var own, other []string
		for k, class := range modalClasses {
			if class[t.text] {
				own = append(own, sortedWords(class)...)
			} else if k < 2 {
				other = append(other, sortedWords(class)...)
			}
		}
		other = slices.DeleteFunc(other, func(w string) bool { return slices.Contains(own, w) || !modalMeant[w] })
		p.shown = c.best(m.tok, stemsOf(own), nil).fit
		p.by = c.best(m.tok, stemsOf(other), nil)
		p.against = p.by.fit
		out = append(out, p)
	}
	return out
}

var modalMeant = words(`must may might should shall could can`)

func sortedWords(set wordSet) []string {
	var out []string
	for w := range set {
		out = append(out, w)
	}
	slices.Sort(out)
	return out
}

func stemsOf(list []string) []string { return distinct(appendStems(nil, list)) }

var quantifierClasses = []wordSet{
	words(`all every each entire whole both everyone everybody everything always`),
	words(`most majority mostly largely usually many numerous`),
	words(`some few certain partly sometimes occasionally minority`),
	words(`only solely exclusively sole just single`),
	words(`none no never nobody neither`),
}

// onlyClass restricts: "only" is not the contrary of "most" or "some".
const onlyClass = 3

func (c *comparison) quantifierParts() []part {
	var out []part
	for i, t := range c.claim.toks {
		if t.kind != word || !quantifierMeant[t.text] || t.text == "most" && (textAt(c.claim.toks, i-1) == "the" || textAt(c.claim.toks, i-1) == "at") {
			continue
		}
		var own, other []string
		for k, class := range quantifierClasses {
			switch {
			case class[t.text]:
				own = append(own, sortedWords(class)...)
			case k != onlyClass || quantifierClasses[0][t.text]:
				other = append(other, sortedWords(class)...)
			}
		}
		other = slices.DeleteFunc(other, func(w string) bool { return slices.Contains(own, w) })
		p := part{kind: state.ConflictQuantifier, first: i, end: i + 1}
		p.shown = c.best(i, stemsOf(own), nil).fit
		p.by = c.best(i, stemsOf(other), func(k, _ int) bool {
			s := c.e.sentences[k]
			return excepts(s) == excepts(c.claim) && denials(s) == denials(c.claim)
		})
		p.against = p.by.fit
		out = append(out, p)
	}
	return out
}

var quantifierMeant = words(`all every each most few some many only always usually never often none both entire majority minority several sometimes`)

// mostThings is how many names and numbers of a claim are compared in pairs.
const mostThings = 16

// exchangeParts are pairs of names, or of numbers, that fit the evidence better
// the other way round.
func (c *comparison) exchangeParts() []part {
	var out []part
	var things [][3]int // first, end, the token that is looked up
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
	for a := range things {
		for b := a + 1; b < len(things); b++ {
			x, y := things[a], things[b]
			if (a < names) != (b < names) || y[0]-x[0] > 30 || x[0]-y[0] > 30 || c.claim.toks[x[2]].stem == c.claim.toks[y[2]].stem {
				continue
			}
			given := c.placed(x, x) + c.placed(y, y)
			swapped := c.placed(x, y) + c.placed(y, x)
			first, end := min(x[0], y[0]), max(x[1], y[1])
			out = append(out, part{kind: state.ConflictRole, first: first, end: end, shown: given / 2, against: swapped / 2, by: unseen})
		}
	}
	return out
}

// placed is how well a thing of the claim fits the evidence at the place of
// another: the words around that place stand around the thing there, on the same
// side.
func (c *comparison) placed(x, at [3]int) float64 {
	toks := c.claim.toks
	type near struct {
		stem   string
		side   int
		weight float64
	}
	var with []near
	total := 0.0
	add := func(j, d, side int) bool {
		t := toks[j]
		if t.kind == sign {
			return false
		}
		w := rarityOf(t.stem) / (1 + float64(d)/3)
		with = append(with, near{t.stem, side, w})
		total += w
		return true
	}
	for j, n := at[0]-1, 0; j >= 0 && n < 5; j-- {
		if add(j, at[0]-j, -1) {
			n++
		}
	}
	for j, n := at[1], 0; j < len(toks) && n < 5; j++ {
		if add(j, j-at[1]+1, 1) {
			n++
		}
	}
	if total == 0 {
		return 0
	}
	best := 0.0
	for _, k := range c.e.stemmed[toks[x[2]].stem] {
		s := c.e.sentences[k]
		for _, j := range s.places[toks[x[2]].stem] {
			sum := 0.0
			for _, w := range with {
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
				sum += w.weight * most
			}
			best = max(best, sum/total)
		}
	}
	return best
}

// mostWeighed is how many tokens a claim may have and be weighed word by word.
// Nobody writes a longer sentence.
const mostWeighed = 400

// deniedParts are the words that the claim asserts and the evidence denies in
// like company.
func (c *comparison) deniedParts() []part {
	saysNo := func(t token) bool {
		return t.kind == word && (t.roles&asNegator != 0 || negative[t.root] || softNo[t.stem] || undone(t.text))
	}
	contradicts := func(f Conflict) bool { return f.Kind == state.ConflictNegation }
	if slices.ContainsFunc(c.claim.toks, saysNo) || slices.ContainsFunc(c.found, contradicts) {
		return nil
	}
	var out []part
	for i, t := range c.claim.toks {
		if t.kind != word || !t.content || len(c.e.stemmed[t.stem]) == 0 {
			continue
		}
		m := meaningOf(t.text)
		p := part{kind: state.ConflictNegation, first: i, end: i + 1}
		p.by = c.best(i, m.own, func(k, j int) bool {
			s := c.e.sentences[k]
			return s.negated[j] && !s.asks && excepts(s) == excepts(c.claim) && !softDenied(s, j)
		})
		if p.by.sentence < 0 {
			continue
		}
		p.against = p.by.fit
		p.shown = max(c.best(i, m.same, func(k, j int) bool { return !c.e.sentences[k].negated[j] }).fit, .8*c.best(i, m.opposite, nil).fit)
		out = append(out, p)
	}
	return out
}

// checkParts weighs every critical part: one that the evidence contradicts is a
// conflict, one that it neither shows nor contradicts is a doubt.
func (c *comparison) checkParts() {
	if len(c.claim.toks) > mostWeighed {
		return
	}
	for _, p := range c.deniedParts() {
		if p.against > .4 && p.against-p.shown > .15 && !c.reported(p) {
			c.add(p.kind, p.first, p.end, p.by.sentence, p.by.tok, p.by.tok+1, true)
			break
		}
	}
	for _, list := range [][]part{c.negationParts(), c.oppositeParts(), c.genderParts(), c.modalParts(), c.quantifierParts(), c.exchangeParts()} {
		for _, p := range list {
			if c.reported(p) {
				continue
			}
			switch c.weigh(p) {
			case contradicted:
				from := max(p.by.tok, 0)
				if p.by.sentence < 0 {
					c.add(p.kind, p.first, p.end, -1, 0, 0, false)
				} else {
					c.add(p.kind, p.first, p.end, p.by.sentence, from, from+1, true)
				}
			case doubtful:
				c.doubt(p.kind, p.first, p.end)
			}
		}
	}
}

// reported reports whether a part is in a conflict already.
func (c *comparison) reported(p part) bool {
	start, end := c.claim.toks[p.first].start, c.claim.toks[p.end-1].end
	return slices.ContainsFunc(c.found, func(f Conflict) bool { return f.Opposed && f.Start < end && start < f.End })
}

type weighing int

const (
	evidenced weighing = iota
	doubtful
	contradicted
)

func (c *comparison) weigh(p part) weighing {
	t := c.claim.toks[p.first]
	lead := p.against - p.shown
	switch p.kind {
	case state.ConflictNegation:
		switch {
		case p.against > 0 && lead > -.3 && (p.shown < .35 || lead > 0):
			return contradicted
		case p.shown < .35:
			return doubtful
		}
	case state.ConflictDirection:
		switch {
		case p.against >= .9 && lead > .05 && oneGroup(c.groups):
			return contradicted
		case lead > .4 && !relative[t.text] && (polar[t.text] || oppositesOf[t.text] != nil || lead > .6):
			return contradicted
		case polar[t.text] && p.shown < .02, lead > .25:
			return doubtful
		}
	case state.ConflictGender:
		switch {
		case lead > .5:
			return contradicted
		case lead > 0:
			return doubtful
		}
	case state.ConflictModality:
		switch {
		case lead > .1 && p.shown < .3:
			return contradicted
		case lead > 0 || p.shown < .3 && t.text != "can":
			return doubtful
		}
	case state.ConflictQuantifier:
		switch {
		case lead > .1 && p.shown < .3 && !loose[t.text]:
			return contradicted
		case !loose[t.text] && (lead > 0 || p.shown < .2):
			return doubtful
		}
	case state.ConflictRole:
		if lead > .15 {
			return doubtful
		}
	}
	return evidenced
}

// relative words say how one thing stands to another: the evidence may say it
// from the other side.
var relative = words(`older elder younger oldest youngest brother sister husband wife`)

// oneGroup reports whether a claim is short: one group of clauses.
func oneGroup(groups []int) bool { return len(groups) > 0 && groups[len(groups)-1] == 0 }

// loose quantifiers are put for one another.
var loose = words(`several some many both`)

// polar words compare, order or point: left unproved, each is a doubt.
var polar = words(`before after increase increased increases decrease decreased decreases rose fell more fewer less higher lower won lost win lose
	joined left bought sold above below most least began ended older younger oldest youngest largest smallest best worst
	opened closed early late earlier first last north south east west northern southern eastern western father mother son daughter
	brother sister husband wife always never`)
