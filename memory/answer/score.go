package answer

import (
	"math"
	"slices"
	"strings"

	"example.com/assay/memory/text"
	"example.com/assay/memory/text/pattern"
	"example.com/assay/state"
)

// A feature is something that a sentence is judged by.
type feature int

const (
	ofShare     feature = iota // of the question in the sentence and its headword
	ofNear                     // further share in the neighbouring sentences
	ofAbove                    // further share in the headings
	ofHead                     // headword and question are the same
	ofTitle                    // nearest heading and question
	ofFirst                    // the same, of the first sentence below it
	ofDocument                 // title of the document and question
	ofRank                     // 1/√rank of its source, of the first ten
	ofMatch                    // BM25, of the best block's
	ofForm                     // the form that is asked for
	ofFitting                  // the same, as far as the sentence and its source are about the question
	ofDefines                  // it defines the thing asked about
	ofAside                    // it is in release notes, an index, or refers elsewhere
	ofRow                      // a row of a table
	ofBegin                    // it begins a block
	ofLead                     // it announces the text after it
	ofDependent                // it depends on the sentence before
	ofAddress                  // it is the numbered part that the question names
	ofRange                    // a row whose range includes the question's number, or excludes it
	ofQuoted                   // an earlier message that a later one repeats
	ofOlder                    // another source's document replaced its document
	ofValue                    // it has a value of the kind asked for
	ofElsewhere                // share of the question in its document
	ofUnkeyed                  // a row whose cells do not distinguish it for the question
	ofMarked                   // a row whose column that is asked about says yes, or no
	ofRelated                  // share of the question in words that mean nearly the same
	ofCrumb                    // running text of a few words: a heading, a greeting
	ofBroken                   // a word is broken at the end of a line: the text of a typeset page
	ofMeaning                  // how near it is to the question in meaning
	features
)

// weights are set by hand; each was measured by leaving it out: docs/measurements.md.
var weights = [features]float64{
	ofShare: 3.3, ofNear: 1, ofAbove: 2, ofHead: 2.2, ofTitle: 2.3, ofFirst: 1.5, ofDocument: 1.1, ofRank: 1.7,
	ofMatch: 1.9, ofForm: 2, ofFitting: 1.6, ofDefines: 2.2, ofAside: -.9, ofRow: -.3, ofBegin: .3, ofLead: -1, ofDependent: -1, ofBroken: -.6,
	ofAddress: 5, ofRange: 5.5, ofQuoted: -2.5, ofOlder: -2,
	ofValue: 1.5, ofElsewhere: 2, ofCrumb: -1.5, ofRelated: 2.5, ofUnkeyed: -2, ofMarked: 1.5, ofMeaning: 16,
}

// A scored sentence.
type scored struct {
	index int
	score float64
	form  float64
}

// match is the similarity of some stems and the question: the share of the stems' rarity that the
// question has, times the share of the question that they have.
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
			} else if slices.Contains(t.related, stem) {
				both += nearly * w
				share += nearly * t.weight
			}
		}
	}
	if all == 0 {
		return 0
	}
	return both / all * share / q.total
}

// nearly is the weight of a word that means nearly the same.
const nearly = .6

// headMatch is the best match of a headword, without its brackets, or of a name that it lists.
func (p *pool) headMatch(q *question, h *heading) float64 {
	best := q.match(h.stems)
	plain := h.text
	if at := strings.IndexByte(plain, '('); at > 0 {
		plain = plain[:at]
	}
	best = max(best, q.match(p.stems(plain)))
	if strings.Contains(plain, ",") {
		for _, part := range strings.Split(plain, ",") {
			best = max(best, q.match(p.stems(part)))
		}
	}
	return best
}

var (
	asideHeading = pattern.New(`(?i)\b(?:release notes?|changelog|change log|history|changes in|what'?s new)\b`)
	listHeading  = pattern.New(`(?i)\b(?:index|table of contents|contents|cross.?references?|references|bibliography)\b`)
	refersOn     = pattern.New(`^(?:See\b|Refer to\b|This (?:chapter|section|appendix|document)\b|For (?:more|further) )`)
	leans        = pattern.New(`^(?i:however|for (?:example|instance)|as an (?:example|illustration)|e\.g\.|also|in addition|additionally|moreover|furthermore|otherwise|therefore|thus|hence|but|and|or|so|then|note|(?:changed|new|added|deprecated) (?:in|since) version|(?:bear|keep) in mind|remember|in (?:this|that|such|these|either|both) (?:case|way|mode|situation)s?|conversely|similarly|likewise|instead|such|these|those|it|they|he|she|its|their|this|that|the (?:latter|former|following|above|same)|as (?:mentioned|noted|described|explained|above)|again|finally|after that|if (?:so|not)|even so)\b`)
	broken       = pattern.New(`\pL-\n\pL`)
	glossary     = pattern.New(`(?i)\b(?:glossary|concepts?|definitions?|terminology)\b`)
)

// tellingRanks is the number of search ranks that get different scores.
const tellingRanks = 10

// scores rates every sentence of a pool.
func (p *pool) scores(q *question) []scored {
	out := make([]scored, len(p.sentences))
	for i, f := range p.features(q) {
		out[i] = scored{index: i, form: f[ofForm]}
		for j, w := range weights {
			out[i].score += w * f[j]
		}
	}
	return out
}

// features returns the features of every sentence of a pool.
func (p *pool) features(q *question) [][features]float64 {
	bm := p.bm25(q)
	out := make([][features]float64, len(p.sentences))
	titled := map[*above][2]float64{}
	older := p.older(q)
	for i := range p.sentences {
		s, f := &p.sentences[i], &out[i]
		up, ok := titled[s.above]
		if !ok {
			up = [2]float64{q.match(s.above.last.stems), q.match(s.above.title.stems)}
			titled[s.above] = up
		}
		f[ofShare], f[ofNear], f[ofAbove] = q.share(s), p.nearShare(q, i), q.aboveShare(s)
		f[ofHead], f[ofTitle], f[ofDocument] = .5*up[0], up[0], up[1]
		shown := s.text
		if s.head != nil {
			f[ofHead] = p.headMatch(q, s.head)
			if s.first {
				shown = s.head.text + ": " + s.text
			}
		}
		if s.start == 0 {
			f[ofFirst] = up[0]
		}
		if s.source < tellingRanks {
			f[ofRank] = 1 / math.Sqrt(float64(s.source+1))
		}
		f[ofMatch], f[ofMeaning] = bm[s.block], s.means
		f[ofRelated] = q.related(s)
		wanted := q.wants.fits(p, s)
		f[ofForm], f[ofDefines] = q.fits(shown, s), p.defines(q, s)
		f[ofAside], f[ofBegin], f[ofLead] = aside(s), is(s.first), is(announces(s.text) && (s.part == nil || s.part.Kind != state.BlockDefinition))
		if s.part != nil {
			f[ofAddress], f[ofRange] = q.address.at(s.part), q.within(p, s)
			if s.part.Kind == state.BlockRow {
				f[ofUnkeyed], f[ofMarked] = is(q.own(s) == 0 && f[ofRange] <= 0), q.marked(p, s)
			}
			f[ofQuoted] = is(s.part.Kind == state.BlockQuoted)
		}
		if s.part != nil && (s.part.Kind == state.BlockRow || s.part.Kind == state.BlockField) && f[ofForm] < 1 { // a row or field has no sentence form
			f[ofForm] = max(f[ofForm], min(1, .5+wanted))
		}
		f[ofFitting] = min(1, f[ofForm]) * (f[ofShare] + p.restShare(q, s))
		f[ofValue], f[ofElsewhere] = wanted, p.inDocument(q, s)
		f[ofCrumb] = is(s.size < 3 && (s.part == nil || s.part.Kind == state.BlockParagraph || s.part.Kind == state.BlockClause || s.part.Kind == state.BlockCode))
		f[ofOlder] = is(older[s.source])
		f[ofRow], f[ofDependent], f[ofBroken] = is(s.part != nil && s.part.Kind == state.BlockRow && s.part.Cells[0].Header == ""), is(leans.MatchString(s.text)), is(broken.MatchString(s.text))
	}
	return out
}

func is(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// aside reports how much a sentence is about the past or refers to other places.
func aside(s *sentence) float64 {
	v := 0.0
	section := s.above.last.text
	if asideHeading.MatchString(section) || asideHeading.MatchString(s.above.title.text) {
		v++
	}
	if listHeading.MatchString(section) {
		v += .5
	}
	if refersOn.MatchString(s.text) {
		v += .7
	}
	return v
}

// ofLabel is the weight of a question word that occurs only in a row's column names.
const ofLabel = .6

// portion returns the share of a weight that the question's terms have, each multiplied by counts.
func (q *question) portion(of float64, counts func(term) float64) float64 {
	if of == 0 {
		return 0
	}
	sum := 0.0
	for _, t := range q.terms {
		sum += counts(t) * t.weight
	}
	return sum / of
}

// share is the share of the question in a sentence and its headword.
func (q *question) share(s *sentence) float64 {
	return q.portion(q.total, func(t term) float64 {
		if s.words[t.stem] == 0 && s.extra[t.stem] && s.part.Kind == state.BlockRow {
			return ofLabel
		}
		return is(s.holds(t.stem))
	})
}

func (s *sentence) holds(stem string) bool {
	return s.words[stem] > 0 || s.extra[stem] || s.inHead(stem)
}

func (s *sentence) inHead(stem string) bool {
	return s.head != nil && slices.Contains(s.head.stems, stem)
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

// aboveShare is the share of the question found only in the headings above.
func (q *question) aboveShare(s *sentence) float64 {
	return q.portion(q.total, func(t term) float64 { return is(!s.holds(t.stem) && s.above.holds(t.stem)) })
}

func (u *above) holds(stem string) bool {
	return slices.Contains(u.last.stems, stem) || slices.Contains(u.title.stems, stem) || slices.Contains(u.other, stem)
}

// nearShare is the share of the question found only in the neighbouring sentences of the same
// source.
func (p *pool) nearShare(q *question, i int) float64 {
	s := &p.sentences[i]
	has := func(j int, stem string) bool {
		return j >= 0 && j < len(p.sentences) && p.sentences[j].source == s.source && p.sentences[j].words[stem] > 0
	}
	return q.portion(q.total, func(t term) float64 { return is(!s.holds(t.stem) && (has(i-1, t.stem) || has(i+1, t.stem))) })
}

// restShare is the share of the question found elsewhere in a sentence's source, outside headings.
func (p *pool) restShare(q *question, s *sentence) float64 {
	return q.portion(q.total, func(t term) float64 {
		return is(p.words[s.source][t.stem] && !s.holds(t.stem) && !s.above.holds(t.stem))
	})
}

// own counts the words of the question that a row's cells have and its column names lack.
func (q *question) own(s *sentence) int {
	n := 0
	for _, t := range q.terms {
		if s.words[t.stem] > 0 && !s.extra[t.stem] || hasRelated(t.related, s) {
			n++
		}
	}
	return n
}

func hasRelated(related []string, s *sentence) bool {
	return slices.ContainsFunc(related, func(r string) bool { return s.words[r] > 0 && !s.extra[r] })
}

var yes, no = text.Set(`yes y ja oui sí si sim true x ✓ ✔ はい 是`), text.Set(`no n nein non não nee false - – — ✗ いいえ 否 none`)

// marked reports whether the named column of a row says yes (1) or no (−1).
func (q *question) marked(p *pool, s *sentence) float64 {
	for _, c := range s.part.Cells {
		if c.Header == "" {
			continue
		}
		v := strings.ToLower(strings.TrimSpace(p.sources[s.source].Text[c.Start:c.End] + c.Text))
		if !yes[v] && !no[v] {
			continue
		}
		for _, stem := range p.reader.stems(c.Header) {
			for _, t := range q.terms {
				if t.stem == stem && yes[v] {
					return 1
				} else if t.stem == stem {
					return -1
				}
			}
		}
	}
	return 0
}

// related is the share of the question that a sentence has only as words of nearly the same or a
// narrower meaning.
func (q *question) related(s *sentence) float64 {
	return q.portion(q.mass, func(t term) float64 { return is(!s.holds(t.stem) && slices.ContainsFunc(t.related, s.holds)) })
}

// inDocument is the share of the question in a sentence's document, as far as it was found: its
// title, headings and passages.
func (p *pool) inDocument(q *question, s *sentence) float64 {
	doc := p.sources[s.source].Doc
	held, ok := p.documents[doc]
	if !ok || doc == "" {
		held = q.portion(q.total, func(t term) float64 { return is(p.documentHas(s.source, t.stem)) })
		p.documents[doc] = held
	}
	return held
}

// documentHas reports whether the found part of a source's document has a stem.
func (p *pool) documentHas(source int, stem string) bool {
	doc := p.sources[source].Doc
	for i := range p.sources {
		if (i == source || doc != "" && p.sources[i].Doc == doc) && (p.words[i][stem] || p.heads[i][stem]) {
			return true
		}
	}
	return false
}

// BM25's constants (Robertson and Zaragoza, 2009), and the weights of a word in a headword or a
// heading.
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
				if s.head != nil && slices.Contains(s.head.stems, t.stem) {
					counts[b][t.stem] += inHead
				}
				if s.extra[t.stem] {
					counts[b][t.stem] += inLast
				}
				if slices.Contains(s.above.last.stems, t.stem) {
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
