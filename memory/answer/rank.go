package answer

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/assay/memory/text"
	"example.com/assay/state"
)

// A Quote is a range of a source that may answer the question.
type Quote struct {
	Source     int // index of the source
	Start, End int // bytes of its text
	Head       string
	Score      float64
}

// A Ranking is the result of [Rank].
type Ranking struct {
	Quotes  []Quote  // the best first
	Version *Version // the differing text in another version of the best quote's document, or nil
	// The features of the confidence.
	Top       float64  // score of the best
	Lead      float64  // by which it is above the mean of the next ten
	Absent    float64  // share of the question's words that no source has
	Form      float64  // how far the best has the form asked for
	Held      float64  // share of the question in the best quote and the headings above it
	Value     float64  // how well the best quote has a value of the kind asked for, from −0.5 to 0.5
	Meaning   float64  // how near the best is to the question in meaning; 0 where nobody knows
	Read      *float64 // log-odds that the best quote answers, from a model that read both; nil without one
	Unnamed   float64  // share of the names and numbers of the question that the best's document does not have
	Undefined bool     // the question asks for a definition that the best quote lacks
	Valueless bool     // the best quote has no value of the kind asked for
	Chance    float64  // that the best quote answers
}

// windows are the lengths in bytes to which quotes grow around their sentence. The
// first is longest, since the others are read when the first did not answer. longest
// is the maximum.
var windows = []int{450, 400, 350}

const longest = 900

// definers is the number of best candidates that are searched for a definition.
const definers = 4

// compared is the number of candidates that the best is compared with; mostLead bounds its lead.
const compared, mostLead = 10, 6.0

// Options configure [Rank]. Nil means the zero value.
type Options struct {
	Most       int                               // quotes at the most; default 3
	Confidence float64                           // how surely the sources are about the question, from 0 to 1, as a search says
	More       bool                              // all of the best, not only those that add an answer
	Usable     func(source, start, end int) bool // leaves sentences out; nil takes all
}

// Rank chooses the stretches of the sources, in their order of search, that answer a
// question.
func Rank(q string, sources []Source, opts *Options) Ranking {
	var o Options
	if opts != nil {
		o = *opts
	}
	if o.Most <= 0 {
		o.Most = len(windows)
	}
	usable := o.Usable
	asks, p, list := candidates(q, sources)
	may := func(s scored) bool { // asked of few: it takes longest
		x := &p.sentences[s.index]
		return usable == nil || usable(x.source, x.start, x.end)
	}
	for len(list) > 0 && !may(list[0]) {
		list = list[1:]
	}
	out := Ranking{Absent: asks.absent(p)}
	if len(list) == 0 {
		return out
	}
	out.Top, out.Form = list[0].score, list[0].form
	best := &p.sentences[list[0].index]
	out.Unnamed = asks.unnamed(p, best)
	out.Undefined = asks.plain && !slices.ContainsFunc(list[:min(len(list), definers)], func(s scored) bool {
		x := &p.sentences[s.index]
		return p.defines(asks, x) > 0 || overlap(x.above.last.stems, asks.focus) >= 1 || overlap(x.above.title.stems, asks.focus) >= 1 || x.part != nil && len(x.part.Cells) > 0
	})
	out.Meaning = best.means
	if odds, read := sources[best.source].Read[best.place]; read {
		out.Read = &odds
	}
	out.Held, out.Value = asks.heldBy(best), asks.wants.fits(p, best)
	rest := 0.0
	for _, s := range list[1:min(len(list), 1+compared)] {
		rest += s.score
	}
	out.Lead = min(out.Top-rest/compared, mostLead) // a small corpus has few others
	var said []string
	for _, s := range list {
		if len(out.Quotes) == o.Most {
			break
		}
		quote := p.window(asks, s.index, windows[min(len(out.Quotes), len(windows)-1)], usable)
		quote.Score = s.score
		if quote.Head != "" && strings.HasPrefix(text.OneLine(sources[quote.Source].Text[quote.Start:quote.End]), text.OneLine(quote.Head)) {
			quote.Head = "" // the lead-in of the list that is quoted
		}
		plain := text.Letters(sources[quote.Source].Text[quote.Start:quote.End])
		anchor := text.Letters(p.sentences[s.index].text)
		repeats := slices.ContainsFunc(out.Quotes, func(o Quote) bool {
			return o.Source == quote.Source && o.Start < quote.End && quote.Start < o.End
		}) || slices.ContainsFunc(said, func(t string) bool { return strings.Contains(t, anchor) || strings.Contains(plain, t) })
		if repeats || !may(s) {
			continue
		}
		if len(out.Quotes) == 0 {
			out.Valueless = asks.wants.lacking(quote.Head+" "+sources[quote.Source].Text[quote.Start:quote.End], asks.lang)
			if asks.lang != "" && asks.lang != text.English { // searches in other languages are less confident
				o.Confidence = max(o.Confidence, usualConfidence)
			}
			out.Chance = out.chance(o.Confidence)
		}
		if !o.More && !out.shows(quote, sources) {
			break
		}
		said = append(said, plain)
		out.Quotes = append(out.Quotes, quote)
	}
	if len(out.Quotes) > 0 {
		out.Version = p.version(asks, list, out.Quotes[0], usable)
		if v := out.Version; v != nil { // it is shown once
			out.Quotes = slices.DeleteFunc(out.Quotes, func(o Quote) bool { return o.Source == v.Source && o.Start < v.End && v.Start < o.End })
		}
	}
	return out
}

// candidates are the sentences that can answer, the best first.
func candidates(q string, sources []Source) (*question, *pool, []scored) {
	r := rankings.of(q, sources)
	p := *r.pool
	p.sources = sources // with what was read since
	list := slices.Clone(r.list)
	p.reread(list)
	return r.asks, &p, list
}

func byScore(a, b scored) int { return cmp.Compare(b.score, a.score) }

// perOdds is the weight, in a candidate's score, of the log-odds from a model that read it with the
// question.
const perOdds = 0.7

// reread adds the log-odds of the candidates that a model read with the question to their scores,
// best first. Unread candidates below the best get the lowest of these log-odds.
func (p *pool) reread(list []scored) {
	odds, least := make([]float64, len(list)), math.Inf(1)
	for i, s := range list {
		x := &p.sentences[s.index]
		o, read := p.sources[x.source].Read[x.place]
		if !read {
			o = math.Inf(-1)
		} else {
			least = min(least, o)
		}
		odds[i] = o
	}
	if math.IsInf(least, 1) {
		return
	}
	for i := range list {
		list[i].score += perOdds * max(odds[i], least)
	}
	slices.SortStableFunc(list, byScore)
}

// heldBy is the share of a question, including words that no source has, in a sentence, the
// headings above it, and words of nearly the same meaning.
func (q *question) heldBy(s *sentence) float64 {
	return q.portion(q.mass, func(t term) float64 {
		switch {
		case s.holds(t.stem) || s.above.holds(t.stem):
			return 1
		case hasRelated(t.related, s):
			return nearly
		}
		return 0
	})
}

// unnamed is the share of a question's names and numbers that are missing in a sentence and the
// headings above it and, for a name, in its document.
func (q *question) unnamed(p *pool, s *sentence) float64 {
	n, missing := 0, 0
	for _, t := range q.terms {
		if !t.named {
			continue
		}
		n++
		if s.holds(t.stem) || s.above.holds(t.stem) || !t.exact() && p.documentHas(s.source, t.stem) {
			continue
		}
		missing++
	}
	if n == 0 {
		return 0
	}
	return float64(missing) / float64(n)
}

// exact reports whether a term is a letter or a number, which must match exactly.
func (t term) exact() bool {
	return utf8.RuneCountInString(t.stem) == 1 || strings.ContainsFunc(t.stem, unicode.IsDigit)
}

// candidate reports whether a sentence can answer: it says something itself.
func (p *pool) candidate(i int) bool {
	x := &p.sentences[i]
	alone := x.part != nil && x.alone()
	return !(x.size < 2 && !alone || markup(x.text) && x.part == nil || x.names() || len(x.text) > longest)
}

// markup reports a line that is not text: a heading of markdown, a fence of code.
func markup(s string) bool {
	return strings.HasPrefix(s, "#") || strings.HasPrefix(s, "```") || strings.HasPrefix(s, "|")
}

// names reports whether a sentence only announces the text after it: a question, or a repeated
// heading.
func (s *sentence) names() bool {
	return strings.HasSuffix(s.text, "?") || text.Letters(unnumbered(s.text)) == text.Letters(s.above.last.text)
}

// weigh drops the terms that no source has: they do not distinguish sentences.
func (q *question) weigh(p *pool) {
	q.total = 0
	for i := range q.terms {
		q.terms[i].related = slices.DeleteFunc(q.terms[i].related, func(stem string) bool {
			return p.df[stem] == 0 && !slices.ContainsFunc(p.heads, func(h map[string]bool) bool { return h[stem] })
		})
		if !p.has(q.terms[i].stem) {
			continue
		}
		q.total += q.terms[i].weight
	}
}

func (p *pool) has(stem string) bool {
	if p.df[stem] > 0 {
		return true
	}
	for i := range p.sentences {
		if p.sentences[i].above.holds(stem) {
			return true
		}
	}
	return false
}

// absent is the share of the question's weight that no source has.
func (q *question) absent(p *pool) float64 {
	return q.portion(q.mass, func(t term) float64 {
		switch {
		case p.has(t.stem):
			return 0
		case t.told:
			return toldShare
		}
		return 1
	})
}

// window returns the shown range of a sentence. A row, a field or an answer below its question
// stands alone; a list is shown whole if the question asks for all of it. Running text starts at
// the beginning of the block, if that fits, or at a headword right above, and ends with the last
// sentence that belongs to it and fits.
func (p *pool) window(q *question, i, size int, usable func(source, start, end int) bool) Quote {
	s := &p.sentences[i]
	may := func(j int) bool {
		if j < 0 || j >= len(p.sentences) {
			return false
		}
		o := &p.sentences[j]
		return o.source == s.source && (o.part != nil || !markup(o.text)) && (usable == nil || usable(o.source, o.start, o.end))
	}
	if s.part != nil && s.alone() {
		from, to := i, i
		for may(from-1) && p.sentences[from-1].part == s.part && s.end-p.sentences[from-1].start <= size {
			from--
		}
		for may(to+1) && p.sentences[to+1].part == s.part && p.sentences[to+1].end-p.sentences[from].start <= size {
			to++
		}
		return Quote{Source: s.source, Start: p.sentences[from].start, End: p.sentences[to].end, Head: p.headOf(s)}
	}
	if from, to, ok := p.answered(q, i, size, may); ok {
		return Quote{Source: s.source, Start: p.sentences[from].start, End: p.sentences[to].end, Head: p.headOf(s)}
	}
	if from, to, ok := p.listed(q, i, may); ok {
		return Quote{Source: s.source, Start: p.sentences[from].start, End: p.sentences[to].end, Head: p.headOf(s)}
	}
	free := func(j int) bool { return may(j) && p.sentences[j].readsOn(s) }
	// Text belongs to it if it speaks of the question too; later text also if it refers to
	// the text before it or was announced, and earlier text likewise.
	refers := func(j int) bool {
		return leans.MatchString(p.sentences[j].text) || announces(p.sentences[j-1].text)
	}
	belongs := func(j int) bool {
		return q.held(&p.sentences[j]) > 0 || j > i && refers(j) || j < i && refers(j+1)
	}
	from, to := i, i
	for j := i; free(j) && p.sentences[j].block == s.block && (j == i || belongs(j)); j-- {
		if s.end-p.sentences[j].start <= size {
			from = j
		}
	}
	if p.sentences[from].block == s.block && !p.sentences[from].first { // the beginning does not fit
		from = i
	}
	for free(to+1) && belongs(to+1) && p.sentences[to+1].end-p.sentences[from].start <= size {
		to++
	}
	if announces(p.sentences[to].text) && free(to+1) && p.sentences[to+1].end-p.sentences[from].start <= longest {
		to++ // the text that it announces
	}
	for free(from-1) && belongs(from-1) && p.sentences[to].end-p.sentences[from-1].start <= size {
		from--
	}
	if free(from-1) && refers(from) && p.sentences[to].end-p.sentences[from-1].start <= longest {
		from-- // the sentence that announces it or that it depends on
	}
	quote := Quote{Source: s.source, Start: p.sentences[from].start, End: p.sentences[to].end}
	if s.head != nil && s.head.start >= 0 && (usable == nil || usable(s.source, s.head.start, s.head.end)) {
		switch {
		case s.head.end > quote.Start:
		case strings.TrimSpace(p.sources[s.source].Text[s.head.end:quote.Start]) == "":
			quote.Start = s.head.start
		case from > 0 && p.sentences[from-1].source == s.source && p.sentences[from-1].head == s.head && strings.ContainsFunc(s.head.text, text.IsWord):
			quote.Head = s.head.text
		}
	} else if s.part != nil {
		quote.Head = p.headOf(s)
	}
	return quote
}

// alone reports whether a part can be read without its neighbours.
func (s *sentence) alone() bool {
	switch s.part.Kind {
	case state.BlockAnswer:
		return !s.joined
	case state.BlockRow, state.BlockField, state.BlockDefinition, state.BlockQuoted, state.BlockClause:
		return true
	}
	return false
}

// readsOn reports whether a sentence may share a quote with another of its source.
func (s *sentence) readsOn(o *sentence) bool {
	if s.part != nil && s.alone() || o.part != nil && o.alone() {
		return false
	}
	return s.under() == o.under() && (!s.joined && !o.joined || s.label() == o.label()) && (s.part != nil || o.part != nil || s.head == o.head)
}

// under returns the headings in the text above a sentence.
func (s *sentence) under() string {
	if s.part == nil {
		return ""
	}
	return s.part.Under
}

// headOf returns the line shown above a quote from a typed part: its label, or the column names of
// a row that does not contain them.
func (p *pool) headOf(s *sentence) string {
	switch b := s.part; {
	case b == nil || b.Kind == state.BlockField || b.Kind == state.BlockDefinition:
		return ""
	case b.Kind == state.BlockRow:
		var names []string
		for _, c := range b.Cells {
			if c.Header != "" && !strings.Contains(s.text, c.Header+":") {
				names = append(names, c.Header)
			}
		}
		if len(names) > 1 {
			return strings.Join(names, " | ")
		}
		return ""
	}
	return text.OneLine(s.part.Label)
}

// answered returns the answer, below a question in the source, that a sentence belongs to: from its
// beginning, as far as the size allows. A later sentence is quoted with its neighbours, unless the
// user's question is that question.
func (p *pool) answered(q *question, i, size int, may func(int) bool) (from, to int, ok bool) {
	s := &p.sentences[i]
	if !s.joined {
		return i, i, false
	}
	in := func(j int) bool { return may(j) && p.sentences[j].joined && p.sentences[j].label() == s.label() }
	from, to = i, i
	for in(from - 1) {
		from--
	}
	if s.end-p.sentences[from].start > size {
		if !q.repeats(s.head) {
			return i, i, false
		}
		to = from
	}
	for in(to+1) && p.sentences[to+1].end-p.sentences[from].start <= size {
		to++
	}
	return from, to, true
}

// repeats reports whether a question is a headword's question: it has all of its words and few
// others.
func (q *question) repeats(h *heading) bool {
	if h == nil || len(h.stems) == 0 {
		return false
	}
	held := 0.0
	for _, stem := range h.stems {
		at := slices.IndexFunc(q.terms, func(t term) bool { return t.stem == stem })
		if at < 0 {
			return false
		}
		held += q.terms[at].weight
	}
	return held >= q.mass/2
}

// listed returns the whole list that a sentence belongs to or introduces, if the question asks for
// all of it.
func (p *pool) listed(q *question, i int, may func(int) bool) (from, to int, ok bool) {
	s := &p.sentences[i]
	item := func(j int) bool {
		return may(j) && p.sentences[j].part != nil && (p.sentences[j].part.Kind == state.BlockItem || p.sentences[j].part.Kind == state.BlockStep)
	}
	from, to = i, i
	if !item(i) && (!announces(s.text) || !item(i+1)) || q.address.number != "" || !q.list && !slices.Contains(q.forms, &howto) && !announces(s.text) {
		return i, i, false
	}
	for item(from-1) && p.sentences[from-1].part.Label == p.sentences[i].label() {
		from--
	}
	for item(to+1) && (p.sentences[to+1].part.Label == p.sentences[i].label() || !item(i)) {
		to++
	}
	if from > 0 && may(from-1) && announces(p.sentences[from-1].text) {
		from--
	}
	return from, to, to > from && p.sentences[to].end-p.sentences[from].start <= longest
}

func (s *sentence) label() string {
	if s.part == nil {
		return ""
	}
	return s.part.Label
}
