package facts

import (
	"slices"

	"example.com/assay/memory/text"
	"example.com/assay/state"
)

// Modals and what means about the same.
var modalClasses = []map[string]bool{
	text.Set(`must shall required requires require needs need obliged mandatory necessary should`),
	text.Set(`may might could can possible possibly potentially perhaps permitted allowed able optional`),
	text.Set(`should ought recommended advised expected encouraged must`),
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

var modalMeant = text.Set(`must may might should shall could can`)

func sortedWords(set map[string]bool) []string {
	var out []string
	for w := range set {
		out = append(out, w)
	}
	slices.Sort(out)
	return out
}

func stemsOf(list []string) []string { return distinct(appendStems(nil, list)) }

var quantifierClasses = []map[string]bool{
	text.Set(`all every each entire whole both everyone everybody everything always`),
	text.Set(`most majority mostly largely usually many numerous`),
	text.Set(`some few certain partly sometimes occasionally minority`),
	text.Set(`only solely exclusively sole just single`),
	text.Set(`none no never nobody neither`),
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

var quantifierMeant = text.Set(`all every each most few some many only always usually never often none both entire majority minority several sometimes`)

// loose quantifiers are put for one another.
var loose = text.Set(`several some many both`)
