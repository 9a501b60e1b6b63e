package answer

import (
	"math"
	"regexp"
	"strings"
)

// What each feature counts. Hand-set weights, of which each was measured by leaving
// it out: see docs/measurements.md.
const (
	perShare     = 3.3 // of the question in the sentence and its headword
	perNear      = 1   // further share in its window
	perAbove     = 1   // further share in the headings
	perHead      = 2.2 // headword and question are the same
	perTitle     = 2.3 // nearest heading and question
	perFirst     = 1.5 // the same, of the first sentence below it
	perDocument  = 1.1 // title of the document and question
	perRank      = 1.4 // 1/√rank
	perMatch     = 1.4 // BM25, of the best block's
	perForm      = 2   // the form that is asked for
	perDefines   = 2.2 // it defines what is asked about
	perAside     = -.9 // it stands under release notes, an index, or refers elsewhere
	perRow       = -.3 // a row of a table
	perDependent = -.6 // it leans on the sentence before
	perBroken    = -.6 // a word is broken at the end of a line: a page that was set, not written
)

// A scored sentence.
type scored struct {
	index int
	score float64
	form  float64
}

// match is how far some stems and the question are about the same: the share of the
// stems' rarity that the question has, times the share of the question that they have.
func (q *question) match(list []string) float64 {
	if len(list) == 0 || q.total == 0 {
		return 0
	}
	all, both, share := 0.0, 0.0, 0.0
	seen := map[string]bool{}
	for _, stem := range list {
		if seen[stem] {
			continue
		}
		seen[stem] = true
		w := rarity(stem)
		all += w
		for _, t := range q.terms {
			if t.stem == stem {
				both += w
				share += t.weight
			}
		}
	}
	if all == 0 {
		return 0
	}
	return both / all * share / q.total
}

// headMatch is the best match of a headword: without its brackets, or one of the
// names that it lists.
func (q *question) headMatch(h *heading) float64 {
	best := q.match(h.stems)
	plain := h.text
	if at := strings.IndexByte(plain, '('); at > 0 {
		plain = plain[:at]
	}
	best = max(best, q.match(stems(plain)))
	if strings.Contains(plain, ",") {
		for _, part := range strings.Split(plain, ",") {
			best = max(best, q.match(stems(part)))
		}
	}
	return best
}

var (
	asideHeading = regexp.MustCompile(`(?i)\b(?:release notes?|changelog|change log|history|changes in|what'?s new)\b`)
	listHeading  = regexp.MustCompile(`(?i)\b(?:index|table of contents|contents|cross.?references?|references|bibliography)\b`)
	refersOn     = regexp.MustCompile(`^(?:See\b|Refer to\b|This (?:chapter|section|appendix|document)\b|For (?:more|further) )`)
	leans        = regexp.MustCompile(`^(?:However|For example|Also|Note|It|This|That|These|Those|They|Changed in version|New in version|Such|Then|Thus|But|And|Otherwise)\b`)
	broken       = regexp.MustCompile(`\pL-\n\pL`)
	glossary     = regexp.MustCompile(`(?i)\b(?:glossary|concepts?|definitions?|terminology)\b`)
)

// scores rates every sentence of a pool.
func (p *pool) scores(q *question) []scored {
	bm := p.bm25(q)
	out := make([]scored, len(p.sentences))
	titled := map[*above][2]float64{}
	for i := range p.sentences {
		s := &p.sentences[i]
		up, ok := titled[s.above]
		if !ok {
			up = [2]float64{q.match(s.above.last.stems), q.match(s.above.title.stems)}
			titled[s.above] = up
		}
		v := perShare*q.share(s) + perNear*p.nearShare(q, i) + perAbove*q.aboveShare(s)
		if s.head != nil {
			v += perHead * q.headMatch(s.head)
		} else {
			v += perHead * .5 * up[0]
		}
		v += perTitle*up[0] + perDocument*up[1]
		if s.start == 0 {
			v += perFirst * up[0]
		}
		v += perRank/math.Sqrt(float64(s.source+1)) + perMatch*bm[s.block]
		shown := s.text
		if s.head != nil && s.first {
			shown = s.head.text + ": " + s.text
		}
		form := q.forms.fits(shown, func(string) int { return q.held(s) })
		v += perForm*form + perDefines*p.defines(q, s)
		section := s.above.last.text
		if asideHeading.MatchString(section) || asideHeading.MatchString(s.above.title.text) {
			v += perAside
		}
		if listHeading.MatchString(section) {
			v += perAside * .5
		}
		if refersOn.MatchString(s.text) {
			v += perAside * .7
		}
		if s.row {
			v += perRow
		}
		if broken.MatchString(s.text) {
			v += perBroken
		}
		if leans.MatchString(s.text) {
			v += perDependent
		}
		out[i] = scored{i, v, form}
	}
	return out
}

// share is how much of the question a sentence and its headword hold.
func (q *question) share(s *sentence) float64 {
	sum := 0.0
	for _, t := range q.terms {
		if s.holds(t.stem) {
			sum += t.weight
		}
	}
	if q.total == 0 {
		return 0
	}
	return sum / q.total
}

func (s *sentence) holds(stem string) bool {
	if s.words[stem] > 0 {
		return true
	}
	if s.head != nil {
		for _, h := range s.head.stems {
			if h == stem {
				return true
			}
		}
	}
	return false
}

func (q *question) held(s *sentence) int {
	n := 0
	for _, t := range q.terms {
		if s.holds(t.stem) && !t.told {
			n++
		}
	}
	return n
}

// aboveShare is how much of the question only the headings above hold.
func (q *question) aboveShare(s *sentence) float64 {
	sum := 0.0
	for _, t := range q.terms {
		if !s.holds(t.stem) && s.above.holds(t.stem) {
			sum += t.weight
		}
	}
	if q.total == 0 {
		return 0
	}
	return sum / q.total
}

func (u *above) holds(stem string) bool {
	for _, list := range [][]string{u.last.stems, u.title.stems, u.other} {
		for _, s := range list {
			if s == stem {
				return true
			}
		}
	}
	return false
}

// nearShare is how much of the question only the sentences right before and after
// hold, of the same source.
func (p *pool) nearShare(q *question, i int) float64 {
	s := &p.sentences[i]
	sum := 0.0
	for _, t := range q.terms {
		if s.holds(t.stem) {
			continue
		}
		for _, j := range []int{i - 1, i + 1} {
			if j >= 0 && j < len(p.sentences) && p.sentences[j].source == s.source && p.sentences[j].words[t.stem] > 0 {
				sum += t.weight
				break
			}
		}
	}
	if q.total == 0 {
		return 0
	}
	return sum / q.total
}

// BM25's constants (Robertson and Zaragoza, 2009), and what a word counts that
// stands in a headword or a heading.
const (
	k1, lengthShare        = 1.2, .4
	inHead, inLast, higher = 2, 1.5, .5
)

// bm25 rates blocks against the question, as a share of the best one's.
func (p *pool) bm25(q *question) []float64 {
	out := make([]float64, p.blocks)
	words := make([]float64, p.blocks)
	counts := make([]map[string]float64, p.blocks)
	for i := range p.sentences {
		s := &p.sentences[i]
		b := s.block
		if counts[b] == nil {
			counts[b] = map[string]float64{}
			words[b] = 2
			for _, t := range q.terms {
				if s.head != nil && contains(s.head.stems, t.stem) {
					counts[b][t.stem] += inHead
				}
				if contains(s.above.last.stems, t.stem) {
					counts[b][t.stem] += inLast
				} else if s.above.holds(t.stem) {
					counts[b][t.stem] += higher
				}
			}
		}
		words[b] += float64(s.size)
		for _, t := range q.terms {
			counts[b][t.stem] += float64(s.words[t.stem])
		}
	}
	mean := 0.0
	for _, n := range words {
		mean += n
	}
	mean /= float64(max(1, len(words)))
	best := 0.0
	for b := range out {
		for _, t := range q.terms {
			if tf := counts[b][t.stem]; tf > 0 {
				out[b] += t.weight * tf * (k1 + 1) / (tf + k1*(1-lengthShare+lengthShare*words[b]/mean))
			}
		}
		best = max(best, out[b])
	}
	if best > 0 {
		for b := range out {
			out[b] /= best
		}
	}
	return out
}

func contains(list []string, stem string) bool {
	for _, s := range list {
		if s == stem {
			return true
		}
	}
	return false
}

var defineVerb = regexp.MustCompile(`(?i)^\s*(?:\([^)]*\)\s*)?,?\s*(?:is|are|means?|refers? to|stands? for|denotes?|describes|consists? of)\b\s*(an?\b|the\b)?`)

// defines is how far a sentence says what the question's X is.
func (p *pool) defines(q *question, s *sentence) float64 {
	if len(q.focus) == 0 {
		return 0
	}
	best := 0.0
	if s.head != nil && s.first {
		switch m := overlap(s.head.stems, q.focus); {
		case m >= 1:
			best = .9
		case m >= .5:
			best = .5
		}
	}
	if s.start == 0 && overlap(s.above.last.stems, q.focus) >= 1 {
		best = max(best, .5)
	}
	lower := strings.ToLower(s.text)
	if at := strings.Index(lower, q.focusx); at >= 0 {
		after := s.text[at+len(q.focusx):]
		after = strings.TrimLeft(after, "s’”\"'`*_")
		before := stems(s.text[:at])
		if m := defineVerb.FindStringSubmatch(after); m != nil {
			v := .3
			switch {
			case len(before) == 0:
				v = 1
			case len(before) <= 1:
				v = .7
			case len(before) <= 3:
				v = .5
			}
			if m[1] != "" {
				v += .2
			}
			best = max(best, v)
		}
		if strings.HasPrefix(after, " —") || strings.HasPrefix(after, " –") {
			best = max(best, .8)
		}
		if strings.HasPrefix(after, ")") && at > 0 && s.text[at-1] == '(' {
			best = max(best, .9)
		}
		if called := s.text[:at]; strings.HasSuffix(strings.TrimRight(called, " “\"`*a"), "called") || strings.HasSuffix(strings.TrimRight(called, " “\"`*a"), "known as") {
			best = max(best, .6)
		}
	}
	if best > 0 && glossary.MatchString(s.above.last.text+" "+s.above.title.text) {
		best += .4
	}
	return best
}

// overlap is the share of both lists that they have in common: 1 for equal ones.
func overlap(a, b []string) float64 {
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	n := 0
	for _, x := range a {
		if contains(b, x) {
			n++
		}
	}
	return 2 * float64(n) / float64(len(a)+len(b))
}
