package facts

import (
	"slices"
	"strings"

	"example.com/assay/state"
)

// checkNames compares the claim's names with all names of the evidence.
func (c *comparison) checkNames() {
	for _, n := range c.claim.names {
		missing := c.missingParts(n)
		switch {
		case n.weak:
		case len(missing) == 0:
			c.checkPlace(n)
		case introduced(c.claim.toks, n):
		case c.abbreviated(n):
		case len(missing) == len(n.parts):
			at, ok := c.inItsPlace(n)
			if ok {
				m := c.e.sentences[at.sentence].names[at.index]
				c.add(state.ConflictName, n.first, n.end, at.sentence, m.first, m.end, true)
			} else {
				c.absent(n)
			}
		default:
			c.checkPart(n, missing)
		}
	}
}

// missingParts returns the tokens of a name that the evidence never has.
func (c *comparison) missingParts(n name) []int {
	var missing []int
	toks := c.claim.toks
	for _, i := range n.parts {
		t := c.claim.toks[i]
		if t.kind == number && i > 1 && toks[i-1].text == "-" {
			if !c.e.numbered(toks[i-2].text, t.text) {
				missing = append(missing, i)
			}
		} else if !c.e.knows(t) {
			missing = append(missing, i)
		}
	}
	return missing
}

// numbered reports whether the evidence has a name with this number: "SHP-2",
// "SHP 2" or "SHP2".
func (e *Evidence) numbered(word, number string) bool {
	if e.words[word+number] {
		return true
	}
	for _, s := range e.sentences {
		for i, t := range s.toks {
			if t.text == number && (textAt(s.toks, i-1) == word || textAt(s.toks, i-2) == word) {
				return true
			}
		}
	}
	return false
}

// knows reports whether the evidence has a word, in any case, inflection or usual spelling.
func (e *Evidence) knows(t token) bool {
	w := plainLetters.Replace(t.text)
	if e.words[w] || t.kind == word && len(e.holders[t.root]) > 0 || t.allCaps && e.acronyms[w] {
		return true
	}
	return slices.ContainsFunc(e.proper, func(p string) bool {
		return sameSpelling(w, p) || len(w) >= 3 && (t.allCaps && strings.HasPrefix(p, w) || len(w) > 4 && strings.HasPrefix(w, p)) // GABAergic, APOE4
	})
}

// abbreviated reports whether the evidence has only a name's acronym.
func (c *comparison) abbreviated(n name) bool {
	if t := c.claim.toks[n.parts[0]]; len(n.parts) == 1 && t.allCaps && (c.e.spellsOut(t.text) || spelledOut(c.claim.toks, t.text)) {
		return true
	}
	in := n.initials(c.claim.toks)
	if len(in) < 2 || !c.e.words[in] {
		return false
	}
	for _, s := range c.e.sentences {
		for _, t := range s.toks {
			if t.allCaps && t.text == in {
				return true
			}
		}
	}
	return false
}

// spellsOut reports whether a sentence has the words of an acronym.
func (e *Evidence) spellsOut(acronym string) bool {
	return slices.ContainsFunc(e.sentences, func(s *sentence) bool { return spelledOut(s.toks, acronym) })
}

// introduced reports whether a name is an abbreviation in brackets after its full form. It adds
// nothing to the claim.
func introduced(toks []token, n name) bool {
	t := toks[n.parts[0]]
	short := t.allCaps || t.text != strings.ToLower(t.text) || len(n.parts) == 1 && len(t.text) <= 6
	return short && n.first > 1 && toks[n.first-1].text == "(" && textAt(toks, n.end) == ")"
}

// spelledOut reports whether consecutive words begin with the letters of an acronym. Small words
// between them are skipped; for an acronym of two letters the words must be capitalised.
func spelledOut(toks []token, acronym string) bool {
	acronym = strings.TrimSuffix(acronym, "s") // ILCs
	for i, t := range toks {
		if t.kind != word || len(acronym) < 2 || t.text == acronym || !strings.HasPrefix(acronym, t.text[:1]) || !t.capital && len(acronym) < 3 {
			continue
		}
		rest := acronym[1:]
		for j := i + 1; j < len(toks) && rest != ""; j++ {
			if u := toks[j]; u.kind == word && !function[u.text] && strings.HasPrefix(rest, u.text[:1]) {
				rest = rest[1:]
			} else if u.kind == word && !function[u.text] || u.kind == number {
				break
			}
		}
		if rest == "" {
			return true
		}
	}
	return false
}

// inItsPlace finds the name in an aligned sentence that replaces the claim's n: it follows or
// precedes the same word.
func (c *comparison) inItsPlace(n name) (place, bool) {
	before, after := neighbours(c.claim.toks, n)
	for _, a := range c.near(.6) {
		s := c.sentence(a)
		if a.Share < aboutSame {
			continue
		}
		for j, m := range s.names {
			if c.shareWord(s, m) || s.toks[m.end-1].end-s.toks[m.first].start < 3 {
				continue
			}
			b, f := neighbours(s.toks, m)
			if before != "" && before == b || after != "" && after == f {
				return place{a.Sentence, j}, true
			}
		}
	}
	return place{}, false
}

// shareWord reports whether a name of the evidence is in the claim.
func (c *comparison) shareWord(s *sentence, m name) bool {
	return slices.ContainsFunc(m.parts, func(i int) bool { return c.claim.has[s.toks[i].root] })
}

// neighbours returns the words before and after a name, without titles and articles.
func neighbours(toks []token, n name) (before, after string) {
	for i := n.first - 1; i >= 0 && i > n.first-4; i-- {
		t := toks[i]
		if t.kind == sign {
			break
		}
		if t.kind == word && t.text != "the" && t.text != "a" && t.text != "an" && !titles[t.text] {
			before = t.root
			if t.text == "of" {
				before = ""
			}
			break
		}
	}
	for i := n.end; i < len(toks) && i < n.end+3; i++ {
		t := toks[i]
		if t.kind == sign {
			break
		}
		if t.kind == word && t.content {
			return before, t.root
		}
	}
	return before, ""
}

// checkPart checks a name of which the evidence has only a part: "Oskar Bergman" where it has
// "Oskar Lindgren". If the evidence has the family name alone, a given name may be missing.
func (c *comparison) checkPart(n name, missing []int) {
	toks := c.claim.toks
	last := n.parts[len(n.parts)-1]
	for _, a := range c.aligned {
		s := c.sentence(a)
		for _, m := range s.names {
			if c.otherPart(n, missing, s, m) {
				c.add(state.ConflictName, n.first, n.end, a.Sentence, m.first, m.end, a.Share >= aboutSame)
				return
			}
		}
	}
	if slices.Contains(missing, last) && firstWord(toks) != last {
		c.absent(n)
	}
}

// absent records a name that the evidence never has. An abbreviation, a code or an adjective of a
// place may appear in another form: that is only a doubt.
func (c *comparison) absent(n name) {
	if c.respelt(n) {
		c.doubt(state.ConflictName, n.first, n.end)
		return
	}
	c.add(state.ConflictName, n.first, n.end, -1, 0, 0, false)
}

// respelt reports whether a name probably has another spelling.
func (c *comparison) respelt(n name) bool {
	for _, i := range n.parts {
		t := c.claim.toks[i]
		if !t.allCaps && t.kind == word && !strings.ContainsAny(t.text, "0123456789") && !adjective(t.text) {
			return false
		}
	}
	return true
}

// adjective reports whether a name ends like an adjective of a place.
func adjective(w string) bool {
	for _, ending := range []string{"ish", "ese", "ian", "ean", "can", "ch"} {
		if strings.HasSuffix(w, ending) && len(w) > len(ending)+2 {
			return true
		}
	}
	return false
}

// otherPart reports whether the evidence's name m shares a part with n and has another part that
// differs.
func (c *comparison) otherPart(n name, missing []int, s *sentence, m name) bool {
	if len(m.parts) < 2 {
		return false
	}
	for i, p := range n.parts {
		for j, q := range m.parts {
			if !sameSpelling(c.claim.toks[p].text, s.toks[q].text) {
				continue
			}
			for _, d := range []int{-1, 1} {
				if i+d < 0 || i+d >= len(n.parts) || j+d < 0 || j+d >= len(m.parts) {
					continue
				}
				ours, theirs := c.claim.toks[n.parts[i+d]], s.toks[m.parts[j+d]]
				if slices.Contains(missing, n.parts[i+d]) && !c.claim.has[theirs.root] && !initialOf(ours.text, theirs.text) {
					return true
				}
			}
		}
	}
	return false
}

func initialOf(a, b string) bool {
	return len(a) == 1 && strings.HasPrefix(b, a) || len(b) == 1 && strings.HasPrefix(a, b)
}

// checkPlace checks a name that the evidence has in another place: the best sentence contains all
// the rest of the claim, with another name in its place.
func (c *comparison) checkPlace(n name) {
	if len(c.aligned) == 0 || len(c.claim.contents) < 1 {
		return
	}
	best := c.aligned[0]
	if best.Share < .75 || c.checkOtherPart(n, best) {
		return
	}
	for _, a := range c.near(.5) {
		s := c.sentence(a)
		for _, i := range n.parts {
			if s.has[c.claim.toks[i].root] || c.neighbourHas(a.Sentence, c.claim.toks[i].root) {
				return
			}
		}
	}
	at, ok := c.inItsPlace(n)
	if ok && at.sentence == best.Sentence {
		m := c.e.sentences[at.sentence].names[at.index]
		c.add(state.ConflictName, n.first, n.end, at.sentence, m.first, m.end, true)
	}
}

// checkOtherPart checks a name of which the best sentence has a part, next to another word: "State
// of Ohio" where it has "State of Maine".
func (c *comparison) checkOtherPart(n name, best Alignment) bool {
	s := c.sentence(best)
	var lacking []int
	for _, i := range n.parts {
		if !s.has[c.claim.toks[i].root] && !c.neighbourHas(best.Sentence, c.claim.toks[i].root) {
			lacking = append(lacking, i)
		}
	}
	if len(lacking) == 0 || len(lacking) == len(n.parts) {
		return false
	}
	for _, m := range s.names {
		if c.otherPart(n, lacking, s, m) {
			c.add(state.ConflictName, n.first, n.end, best.Sentence, m.first, m.end, true)
			return true
		}
	}
	return false
}

// neighbourHas reports whether the previous sentence has a root: a pronoun may refer to it here.
func (c *comparison) neighbourHas(sentence int, root string) bool {
	return sentence > 0 && c.e.sentences[sentence-1].has[root]
}
