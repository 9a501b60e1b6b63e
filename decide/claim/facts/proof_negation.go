package facts

import (
	"example.com/assay/memory/text"
	"example.com/assay/state"
)

// deniedAt reports whether a negator is shortly before or after a token.
func deniedAt(s *sentence, j int) bool {
	if s.negated[j] {
		return true
	}
	if j > 0 && deniesAll[s.toks[0].text] {
		return true
	}
	for i := max(0, j-deniedWithin); i <= min(len(s.toks)-1, j+2); i++ {
		if i != j && (i >= j-6 || s.toks[i].clause == s.toks[j].clause) && isNegator(s.toks, i) {
			return true
		}
	}
	return false
}

// deniedWithin is the maximum distance in tokens from a negator to a word after it in the same
// clause; six in another clause.
const deniedWithin = 12

// deniesAll are words that deny the whole sentence that they begin.
var deniesAll = text.Set(`neither none nobody nothing`)

// softDenied reports whether a word that contains a denial is nearby.
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
var softNo = text.StemSet(`lack fail unable miss never halt postpone block bar without unlikely doubt dispute decline neglect
	hardly scarcely barely rarely seldom yet close`)

// negationParts returns the denials of the claim.
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

// asserted is the weight against a denial of the evidence having one of its words: highest for the
// first word, lower for another form.
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

// denies returns the words that a negator of the claim denies: up to three content words of its
// clause. It skips words between two commas directly after the negator.
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

// unForms returns the stems of a word with negating prefixes.
func unForms(w string) []string {
	var out []string
	for _, prefix := range []string{"un", "in", "dis", "im", "ir", "non"} {
		out = append(out, text.Stem(prefix+w))
	}
	return out
}
