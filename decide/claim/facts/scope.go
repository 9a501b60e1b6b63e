package facts

import (
	"maps"
	"slices"

	"example.com/assay/memory/text"
	"example.com/assay/state"
)

// checkQuantifiers compares the quantifiers of the claim with those of the evidence.
func (c *comparison) checkQuantifiers() {
	if len(c.aligned) == 0 {
		return
	}
	for _, q := range c.claim.quantifiers {
		c.checkQuantifier(q)
	}
}

func (c *comparison) checkQuantifier(q quantifier) {
	rival, at := quantifier{}, -1
	for _, a := range c.near(.6) {
		s := c.sentence(a)
		for _, r := range s.quantifiers {
			if r.extent.compatible(q.extent) {
				return
			}
			if r.extent.family() == q.extent.family() && meet(q.heads, r.heads) && at < 0 && a.Share >= aboutSame*.8 {
				rival, at = r, a.Sentence
			}
		}
		if q.extent == all && hasAny(s, likeAll) && at < 0 || q.extent == only && hasAny(s, likeOnly) ||
			q.extent == always && hasAny(s, likeAll) && at < 0 {
			return
		}
	}
	if at >= 0 {
		c.add(state.ConflictQuantifier, q.tok, q.tok+1, at, rival.tok, rival.tok+1, rival.extent.contrary(q.extent))
		return
	}
	if c.aligned[0].Share < aboutSame {
		return
	}
	switch q.extent {
	case only, always, most:
		c.add(state.ConflictQuantifier, q.tok, q.tok+1, -1, 0, 0, false)
	}
}

func hasAny(s *sentence, set map[string]bool) bool {
	return slices.ContainsFunc(s.toks, func(t token) bool { return t.kind == word && set[t.text] })
}

func meet(a, b []string) bool {
	return slices.ContainsFunc(a, func(x string) bool { return slices.Contains(b, x) })
}

// checkModality compares what must, may and might be, and causation with association.
func (c *comparison) checkModality() {
	if len(c.aligned) == 0 {
		return
	}
	for _, m := range c.claim.modals {
		if c.checkModal(m) {
			return
		}
	}
	if len(c.claim.modals) == 0 {
		c.checkHedge()
	}
	c.checkCause()
}

// checkModal compares one modal of the claim with the evidence's modal for the same predicate.
func (c *comparison) checkModal(m modal) bool {
	rival, at := modal{}, -1
	for _, a := range c.near(.6) {
		s := c.sentence(a)
		for _, r := range s.modals {
			if !meet(m.heads, r.heads) && (len(s.modals) > 1 || a.Share < .6) {
				continue
			}
			if agree(m, r) {
				return false
			}
			if at < 0 && a.Share >= aboutSame*.8 {
				rival, at = r, a.Sentence
			}
		}
	}
	if at < 0 {
		return false
	}
	c.add(state.ConflictModality, m.tok, m.tok+1, at, rival.tok, rival.tok+1, m.force != should && rival.force != should)
	return true
}

// agree reports whether two modals mean the same. "Must not" equals "may not"; the check of
// negations handles denials.
func agree(m, r modal) bool {
	switch {
	case m.negated || r.negated:
		return true
	case m.force == r.force:
		return true
	}
	return m.force >= may && r.force >= may
}

// checkHedge finds "X is" where the evidence says "X may be".
func (c *comparison) checkHedge() {
	a := c.aligned[0]
	s := c.sentence(a)
	if a.Share < .6 {
		return
	}
	for _, r := range s.modals {
		if r.force < may || r.negated || len(r.heads) == 0 || c.asserts(r.heads[0]) < 0 {
			continue
		}
		i := c.asserts(r.heads[0])
		if c.statedPlainly(r.heads[0]) || hedged(c.claim) || r.force == may && permits(s, r) {
			continue
		}
		c.add(state.ConflictModality, i, i+1, a.Sentence, r.tok, r.tok+1, false)
		return
	}
}

// permits reports whether "may" or "can" is a permission or an ability, which reports often leave
// out.
func permits(s *sentence, m modal) bool {
	return s.toks[m.tok].text != "may"
}

var hedges = text.Set(`likely probably suggest suggests suggested possible possibly potential potentially appears appear
	seems seem thought believed said considered could would reportedly expected estimated maybe`)

func hedged(s *sentence) bool { return hasAny(s, hedges) }

// statedPlainly reports whether a good sentence has a root outside any modal.
func (c *comparison) statedPlainly(root string) bool {
	for _, a := range c.aligned {
		s := c.sentence(a)
		if a.Share < aboutSame || !s.has[root] {
			continue
		}
		if !slices.ContainsFunc(s.modals, func(m modal) bool { return slices.Contains(m.heads, root) }) {
			return true
		}
	}
	return false
}

// checkCause finds "causes" where the evidence says "is associated with".
func (c *comparison) checkCause() {
	for i, t := range c.claim.toks {
		after, ok := provingCause[t.text]
		if !ok || after != "" && textAt(c.claim.toks, i+1) != after || c.claim.negated[i] {
			continue
		}
		for _, a := range c.near(.6) {
			if slices.ContainsFunc(c.sentence(a).toks, func(u token) bool { return u.kind == word && causing[u.root] }) {
				return
			}
		}
		a := c.aligned[0]
		s := c.sentence(a)
		if a.Share < aboutSame {
			return
		}
		for j, u := range s.toks {
			if u.kind == word && linking[u.root] && s.around(j, c.claim, "") > 0 {
				c.add(state.ConflictModality, i, i+1, a.Sentence, j, j+1, false)
				return
			}
		}
	}
}

// Modals and words with about the same meaning.
var modalClasses = []map[string]bool{
	text.Set(`must shall required requires require needs need obliged mandatory necessary should`),
	text.Set(`may might could can possible possibly potentially perhaps permitted allowed able optional`),
	text.Set(`should ought recommended advised expected encouraged must`),
}

// modalParts returns the modals of the claim that are not denied.
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
				own = append(own, slices.Sorted(maps.Keys(class))...)
			} else if k < 2 {
				other = append(other, slices.Sorted(maps.Keys(class))...)
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

func stemsOf(list []string) []string { return text.Distinct(appendStems(nil, list)) }

var quantifierClasses = []map[string]bool{
	text.Set(`all every each entire whole both everyone everybody everything always`),
	text.Set(`most majority mostly largely usually many numerous`),
	text.Set(`some few certain partly sometimes occasionally minority`),
	text.Set(`only solely exclusively sole just single`),
	text.Set(`none no never nobody neither`),
}

// onlyClass restricts: "only" is not the opposite of "most" or "some".
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
				own = append(own, slices.Sorted(maps.Keys(class))...)
			case k != onlyClass || quantifierClasses[0][t.text]:
				other = append(other, slices.Sorted(maps.Keys(class))...)
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

// loose quantifiers are interchangeable.
var loose = text.Set(`several some many both`)
