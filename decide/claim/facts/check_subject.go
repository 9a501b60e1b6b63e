package facts

import (
	"cmp"
	"slices"
	"strings"

	"example.com/assay/memory/text"
	"example.com/assay/memory/text/wordnet"
	"example.com/assay/state"
)

// Thresholds for a doubt that the evidence says a predicate of the claim's subject.
const (
	mostlySaid = .6  // share of the predicate in a sentence about another subject
	lessSaid   = .2  // that much less in any sentence about the claim's subject
	halfSaid   = .5  // share of the predicate in a sentence far from the claim's subject
	muchLess   = .3  // that much less in any sentence with the subject or next to one
	allTheRest = .85 // share of the predicate in a sentence that says it of another subject
	farLess    = .25 // that much less in any sentence about the claim's subject
)

// generic subjects may refer to anybody.
var generic = rootSet(`person people individual anyone everyone someone party user applicant one other thing item case section
	article rule chapter paragraph following former latter`)

// equating words and signs connect two names of one thing.
var equating = text.Set(`( mean means or called named known ie`)

var personal = text.Set(`i we you he she it they my our your his her its their`)

// checkSubject finds a predicate that the evidence states about another subject than the claim:
// "The tenant repairs the roof" where the landlord does. There is a conflict when a sentence states
// all of it with the claim's verb, and the evidence mentions the claim's subject elsewhere, so it
// distinguishes the two. There is a doubt when a sentence states most of it, or when nothing
// connects the claim's subject with the sentence.
func (c *comparison) checkSubject(r *carriage) {
	st, ok := statementOf(c.claim)
	if !ok || c.reported(part{first: st.head, end: st.head + 1}) {
		return
	}
	speaks := r.of(c.claim, st.head)
	if !slices.ContainsFunc(speaks, func(held float64) bool { return held >= inOtherWords }) {
		return // package support reports the missing word
	}
	said := r.saying(c.claim, st.predicate)
	shown, against, by := 0.0, 0.0, place{-1, 0}
	for _, k := range mostFirst(said, mostlySaid-farLess) {
		if said[k] <= min(shown, against) {
			break
		}
		switch other, how := c.cast(st, k, speaks); {
		case how == own:
			shown = max(shown, said[k])
		case how == another && said[k] > against:
			against, by = said[k], place{k, other}
		}
	}
	switch less := against - shown; {
	case by.sentence >= 0 && against >= allTheRest && less >= farLess && c.e.sentences[by.sentence].has[c.claim.toks[st.verb].root]:
		c.add(state.ConflictRole, st.head, st.head+1, by.sentence, by.index, by.index+1, true)
	case against >= mostlySaid && less >= lessSaid, c.apart(st, said, speaks):
		c.doubt(state.ConflictRole, st.head, st.head+1)
	}
}

// apart reports whether the evidence mentions the claim's subject only far from the predicate,
// without a pronoun there.
func (c *comparison) apart(st statement, said, speaks []float64) bool {
	best, beside := 0, 0.0
	for k := range said {
		if said[k] > said[best] {
			best = k
		}
		if speaks[k] > 0 {
			beside = max(beside, said[k])
		}
	}
	if said[best] < halfSaid || said[best]-beside < muchLess || slices.ContainsFunc(c.e.sentences[best].toks, func(t token) bool { return personal[t.text] }) {
		return false
	}
	return !slices.ContainsFunc(c.e.sentences[max(0, best-3):min(best+2, len(said))], func(s *sentence) bool {
		return slices.ContainsFunc(st.who, func(i int) bool { return s.has[c.claim.toks[i].root] })
	})
}

// mostFirst returns the sentences with a share above least, the largest first.
func mostFirst(share []float64, least float64) (out []int) {
	for k, x := range share {
		if x > least {
			out = append(out, k)
		}
	}
	slices.SortStableFunc(out, func(a, b int) int { return cmp.Compare(share[b], share[a]) })
	return out
}

// of returns how well each sentence contains token i of the claim.
func (r *carriage) of(claim *sentence, i int) []float64 {
	return r.held[slices.IndexFunc(r.words, func(w int) bool { return claim.toks[w].stem == claim.toks[i].stem })]
}

// saying returns how much of some words of the claim each sentence itself contains.
func (r *carriage) saying(claim *sentence, words []int) []float64 {
	var out []float64
	total := 0.0
	for _, i := range words {
		held, weight := r.of(claim, i), rarityOf(claim.toks[i].stem)
		if out == nil {
			out = make([]float64, len(held))
		}
		total += weight
		for k, h := range held {
			if h >= inOtherWords {
				out[k] += weight * h
			}
		}
	}
	for k := range out {
		out[k] /= total
	}
	return out
}

// A casting is the relation of a sentence to the claim's subject.
type casting int

const (
	untold  casting = iota // its subject is unknown
	own                    // it is about the claim's subject, or about an earlier one that may be the same
	another                // it is about another subject
)

// cast returns the casting of sentence k for the claim's predicate, and the token of another
// subject. Speaks is how well each sentence contains the claim's subject: a sentence with it counts
// as own, since the subject may be used in a way that the code does not recognise.
func (c *comparison) cast(st statement, k int, speaks []float64) (int, casting) {
	if speaks[k] >= inOtherWords {
		return 0, own
	}
	s := c.e.sentences[k]
	named := slices.ContainsFunc(speaks[max(0, k-2):k], func(held float64) bool { return held >= inOtherWords })
	verb := c.claim.toks[st.verb]
	same := meaningOf(verb.text).same
	out, other := untold, 0
	for j, t := range s.toks {
		if t.root != verb.root && !slices.Contains(same, t.stem) {
			continue
		}
		if s.negated[j] != c.claim.negated[st.verb] || t.stem == verb.stem && !st.linked && !inflects(t.text, verb.text) {
			continue
		}
		switch p := subjectAt(s, j, st); {
		case p.head == backward && named, p.head >= 0 && (c.alike(st, s, p, speaks) || named && c.pointsBack(st, k, p)):
			return 0, own
		case p.head >= 0 && out == untold:
			out, other = another, p.head
		}
	}
	return other, out
}

// inflects reports whether two words are forms of one word.
func inflects(a, b string) bool {
	return a == b || slices.ContainsFunc(wordnet.Bases(a), func(x string) bool { return slices.Contains(wordnet.Bases(b), x) })
}

// pointsBack reports whether a noun phrase of sentence k may refer to something named before: it
// has a demonstrative, or the claim's subject is a name and the phrase is definite and new.
func (c *comparison) pointsBack(st statement, k int, p phrase) bool {
	s := c.e.sentences[k]
	switch s.toks[p.first].text {
	case "this", "these", "that", "those", "such":
		return true
	case "the":
		return c.e.stemmed[s.toks[p.head].stem][0] == int32(k) && nameLike(c.claim, st)
	}
	return false
}

// nameLike reports whether a claim's subject seems to be a name: written as one, in no dictionary,
// or singular without an article.
func nameLike(claim *sentence, st statement) bool {
	first, w := st.who[0], claim.toks[st.head].text
	return isCode(claim, st.head) || len(wordnet.Bases(w)) == 0 || !strings.HasSuffix(w, "s") && (first == 0 || !determiners[claim.toks[first-1].text]) ||
		slices.ContainsFunc(claim.names, func(n name) bool { return !n.weak && slices.Contains(n.parts, st.head) })
}

// alike reports whether a noun phrase of the evidence may be the claim's subject: they share a
// naming word, one is a kind of the other, or one is a short form.
func (c *comparison) alike(st statement, s *sentence, p phrase, speaks []float64) bool {
	head, named := c.claim.toks[st.head], s.toks[p.head]
	if generic[named.root] || kindOf(head.text, named.text) || kindOf(named.text, head.text) ||
		slices.ContainsFunc(st.who, func(i int) bool { return means(c.claim.toks[i], named) }) || c.equated(st, named) {
		return true
	}
	for j := p.first; j < p.end; j++ {
		if t := s.toks[j]; t.kind == word && (t.content && means(head, t) || c.shortens(s, j, speaks)) {
			return true
		}
	}
	return false
}

// equated reports whether a sentence says that one of two things is the other: "Drivers are
// employees", "the lessee (tenant)".
func (c *comparison) equated(st statement, t token) bool {
	for _, k := range c.e.stemmed[t.stem] {
		s := c.e.sentences[k]
		for _, i := range s.places[c.claim.toks[st.head].stem] {
			for _, j := range s.places[t.stem] {
				if equates(s.toks, min(i, j), max(i, j)) {
					return true
				}
			}
		}
	}
	return false
}

func equates(toks []token, i, j int) bool {
	link := false
	for _, t := range toks[i+1 : max(j, i+1)] {
		if !being[t.text] && !equating[t.text] && t.content {
			return false
		}
		link = link || being[t.text] || equating[t.text]
	}
	return link
}

// means reports whether a word of the evidence means the same as a word of the claim.
func means(said, t token) bool {
	return said.root == t.root || slices.Contains(meaningOf(said.text).same, t.stem)
}

// kindOf reports whether a is a kind of b.
func kindOf(a, b string) bool { return meet(meaningOf(a).kinds, meaningOf(b).own) }

// shortens reports whether a word of the evidence may be a short form of the claim's subject: a
// sentence has both, or the claim has words with its letters.
func (c *comparison) shortens(s *sentence, j int, speaks []float64) bool {
	t := s.toks[j]
	return isCode(s, j) && (spelledOut(c.claim.toks, t.text) ||
		slices.ContainsFunc(c.e.stemmed[t.stem], func(k int32) bool { return speaks[k] >= inOtherWords }))
}
