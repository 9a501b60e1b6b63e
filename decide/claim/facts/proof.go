package facts

import (
	"slices"

	"example.com/assay/state"
)

// A part is a critical word of a claim with the evidence for it and against it, each as the fit of
// its company.
type part struct {
	kind       state.ConflictKind
	first, end int // tokens of the claim
	shown      float64
	against    float64
	by         sighting // the evidence against it
	prefixed   bool     // the evidence has the word without a prefix that denies it
	nearer     float64  // how much closer its company is to the evidence against it
}

// mostWeighed is the maximum number of tokens of a claim that is weighed word by word. No real
// sentence is longer.
const mostWeighed = 400

// checkParts weighs every critical part. A part that the evidence contradicts is a conflict; a part
// that it neither shows nor contradicts is a doubt.
func (c *comparison) checkParts() {
	if len(c.claim.toks) > mostWeighed {
		return
	}
	for _, list := range [][]part{c.negationParts(), c.oppositeParts(), c.genderParts(), c.modalParts(), c.quantifierParts(), c.exchangeParts()} {
		for _, p := range list {
			if c.reported(p) {
				continue
			}
			switch by := p.by; c.weigh(p) {
			case contradicted:
				if by.sentence < 0 {
					c.add(p.kind, p.first, p.end, -1, 0, 0, false)
					continue
				}
				if t, u := c.claim.toks[p.first], c.e.sentences[by.sentence].toks[by.tok]; negates(t, u) || negates(u, t) { // "invisible", "unlocked"
					p.kind = state.ConflictNegation
				}
				c.add(p.kind, p.first, p.end, by.sentence, by.tok, by.tok+1, true)
			case doubtful:
				c.doubt(p.kind, p.first, p.end)
			}
		}
	}
}

// reported reports whether a part already has a conflict.
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
		case p.against >= .9 && p.nearer > .04 && !slices.ContainsFunc(c.found, func(f Conflict) bool { return f.Opposed }):
			return contradicted
		case lead > .4 && !relative[t.text] && (p.prefixed || polar[t.text] || oppositesOf[t.text] != nil || lead > .6):
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
