package facts

import (
	"cmp"
	"slices"
	"strings"

	"example.com/assay/state"
)

// A Conflict is a difference between a claim and its evidence, with its places.
type Conflict struct {
	state.Conflict
	Start, End                 int // bytes of the claim
	Sentence                   int // sentence of the evidence; -1 if the evidence has no words for it
	EvidenceStart, EvidenceEnd int // bytes of that sentence
}

// A Doubt is a critical part of a claim that could not be checked, with its place.
type Doubt struct {
	state.Doubt
	Start, End int // bytes of the claim
}

// A Result is the result of comparing a claim.
type Result struct {
	Conflicts []Conflict  // in the order of the claim's words
	Doubts    []Doubt     // in the same order
	Aligned   []Alignment // the compared sentences, best first; at most 8
}

// Compare checks one claim against sentences. For several claims on the same sentences, call
// Prepare once.
func Compare(claim string, sentences []string) []state.Conflict {
	var out []state.Conflict
	for _, c := range Prepare(sentences).Check(claim).Conflicts {
		out = append(out, c.Conflict)
	}
	return out
}

// comparison compares one claim with one evidence.
type comparison struct {
	e       *Evidence
	claim   *sentence
	groups  []int // clause groups of the claim
	aligned []Alignment
	found   []Conflict
	doubts  []Doubt
}

// Check compares a claim with the evidence. If the claim or the evidence is empty, there are no
// conflicts.
func (e *Evidence) Check(claim string) Result {
	known := newLexicon("")
	c := &comparison{e: e, claim: parse(claim, known)}
	if len(c.claim.toks) == 0 || len(e.sentences) == 0 {
		return Result{}
	}
	c.groups = groups(c.claim)
	c.aligned = e.align(c.claim)
	for _, a := range c.aligned {
		if verbatim(c.claim.toks, e.sentences[a.Sentence].toks) {
			return Result{Aligned: c.aligned}
		}
	}
	c.checkQuantities()
	c.checkJoint()
	c.checkDates()
	c.checkNames()
	c.checkNegation()
	c.checkRoles()
	c.checkQuantifiers()
	c.checkModality()
	c.checkSubject(c.carriageOf())
	c.checkDirection()
	c.checkParts()
	slices.SortStableFunc(c.found, func(a, b Conflict) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End), strings.Compare(string(a.Kind), string(b.Kind)))
	})
	all := slices.Clone(c.found)
	c.found = slices.DeleteFunc(c.found, func(f Conflict) bool { // a weaker finding than one on the same words
		return !f.Opposed && slices.ContainsFunc(all, func(g Conflict) bool { return g.Opposed && g.Kind == f.Kind && g.Start < f.End && f.Start < g.End })
	})
	c.found = slices.CompactFunc(c.found, func(a, b Conflict) bool {
		return a.Kind == b.Kind && a.Start == b.Start && a.End == b.End
	})
	slices.SortStableFunc(c.doubts, func(a, b Doubt) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End)) })
	return Result{Conflicts: c.found, Doubts: c.doubts, Aligned: c.aligned}
}

// doubt records that tokens first..end of the claim could not be checked.
func (c *comparison) doubt(kind state.ConflictKind, first, end int) {
	c.doubts = append(c.doubts, Doubt{
		Doubt: state.Doubt{Kind: kind, Claim: c.claim.words(first, end)},
		Start: c.claim.toks[first].start, End: c.claim.toks[end-1].end,
	})
}

// add records a conflict between tokens first..end of the claim and tokens from..to of a sentence
// of the evidence, or of no sentence (-1).
func (c *comparison) add(kind state.ConflictKind, first, end, sentence, from, to int, opposed bool) {
	f := Conflict{Sentence: sentence, Conflict: state.Conflict{Kind: kind, Claim: c.claim.words(first, end), Opposed: opposed}}
	f.Start, f.End = c.claim.toks[first].start, c.claim.toks[end-1].end
	if sentence >= 0 {
		s := c.e.sentences[sentence]
		f.Evidence = s.words(from, to)
		f.EvidenceStart, f.EvidenceEnd = s.toks[from].start, s.toks[to-1].end
	}
	c.found = append(c.found, f)
}

// near returns the aligned sentences whose coverage is at least this part of the best one's.
func (c *comparison) near(part float64) []Alignment {
	n := 0
	for n < len(c.aligned) && c.aligned[n].Coverage >= part*c.aligned[0].Coverage {
		n++
	}
	return c.aligned[:n]
}

// sentence returns the sentence of an alignment.
func (c *comparison) sentence(a Alignment) *sentence { return c.e.sentences[a.Sentence] }

// verbatim reports whether two sentences are equal apart from signs at their ends. The signs of
// amounts ($, %) count.
func verbatim(a, b []token) bool {
	return slices.EqualFunc(trimSigns(a), trimSigns(b), func(t, u token) bool { return t.text == u.text })
}

func trimSigns(toks []token) []token {
	for len(toks) > 0 && toks[0].kind == sign && !strings.Contains("$€£¥", toks[0].text) {
		toks = toks[1:]
	}
	for len(toks) > 0 && toks[len(toks)-1].kind == sign && !strings.Contains("%°$€£¥", toks[len(toks)-1].text) {
		toks = toks[:len(toks)-1]
	}
	return toks
}
