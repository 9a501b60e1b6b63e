package answer

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// A Quote is a stretch of a source that may answer.
type Quote struct {
	Source     int // index of the source
	Start, End int // bytes of its text
	Head       string
	Score      float64
}

// A Ranking is what Rank found.
type Ranking struct {
	Quotes []Quote // the best first
	// What the confidence is made of.
	Top    float64 // score of the best
	Lead   float64 // by which it is above the mean of the next ten
	Absent float64 // share of the question's words that no source has
	Form   float64 // how far the best has the form asked for
}

// windows are the lengths in bytes to which quotes grow around their sentence. The
// first is longest, since the others are read when the first did not answer. longest
// is the maximum.
var windows = []int{450, 400, 350}

const longest = 900

// Rank chooses up to most stretches of the sources, in their order of search, that
// answer a question. usable may leave sentences out; nil takes all.
func Rank(q string, sources []Source, most int, usable func(source, start, end int) bool) Ranking {
	asks := parse(q)
	p := newPool(sources, otherForms(asks, sources))
	asks.weigh(p)
	list := p.scores(asks)
	list = slices.DeleteFunc(list, func(s scored) bool {
		x := &p.sentences[s.index]
		return x.size < 2 || markup(x.text) || x.names() || len(x.text) > longest || usable != nil && !usable(x.source, x.start, x.end)
	})
	slices.SortStableFunc(list, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	out := Ranking{Absent: asks.absent(p)}
	if len(list) == 0 {
		return out
	}
	out.Top, out.Form = list[0].score, list[0].form
	rest, n := 0.0, 0
	for _, s := range list[1:min(len(list), 11)] {
		rest, n = rest+s.score, n+1
	}
	if n > 0 {
		out.Lead = out.Top - rest/float64(n)
	}
	var said []string
	for _, s := range list {
		if len(out.Quotes) == most {
			break
		}
		quote := p.window(asks, s.index, windows[min(len(out.Quotes), len(windows)-1)], usable)
		quote.Score = s.score
		plain := letters(sources[quote.Source].Text[quote.Start:quote.End])
		anchor := letters(p.sentences[s.index].text)
		repeats := slices.ContainsFunc(out.Quotes, func(o Quote) bool {
			return o.Source == quote.Source && o.Start < quote.End && quote.Start < o.End
		}) || slices.ContainsFunc(said, func(t string) bool { return strings.Contains(t, anchor) || strings.Contains(plain, t) })
		if repeats {
			continue
		}
		said = append(said, plain)
		out.Quotes = append(out.Quotes, quote)
	}
	return out
}

// letters are the letters and digits of a text, in lower case: two texts that have
// the same say the same.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

// markup reports a line that is not text: a heading of markdown, a fence of code.
func markup(s string) bool { return strings.HasPrefix(s, "#") || strings.HasPrefix(s, "```") }

// names reports a sentence that only names what follows: a question, or the heading
// that stands above it as well.
func (s *sentence) names() bool {
	return strings.HasSuffix(s.text, "?") || letters(unnumbered(s.text)) == letters(s.above.last.text)
}

// weigh leaves out the terms that no source has: they tell no sentence from another.
func (q *question) weigh(p *pool) {
	q.total = 0
	for i := range q.terms {
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
	missing, all := 0.0, 0.0
	for _, t := range q.terms {
		w := 1.0
		if t.told {
			w = toldShare
		}
		all += t.weight
		if !p.has(t.stem) {
			missing += t.weight * w
		}
	}
	if all == 0 {
		return 0
	}
	return missing / all
}

// window is the shown stretch of a sentence. It starts at the beginning of the block,
// if that fits, or at a headword right above, and ends with the last fitting text that
// belongs to the sentence.
func (p *pool) window(q *question, i, size int, usable func(source, start, end int) bool) Quote {
	s := &p.sentences[i]
	free := func(j int) bool {
		if j < 0 || j >= len(p.sentences) {
			return false
		}
		o := &p.sentences[j]
		return o.source == s.source && o.head == s.head && !markup(o.text) && (usable == nil || usable(o.source, o.start, o.end))
	}
	// Later text belongs to it if it speaks of the question too, refers to the text
	// before it, or was announced.
	belongs := func(j int) bool {
		o := &p.sentences[j]
		return q.held(o) > 0 || leans.MatchString(o.text) || j > 0 && announces(p.sentences[j-1].text)
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
		to++ // what it announces
	}
	for free(from-1) && belongs(from-1) && p.sentences[to].end-p.sentences[from-1].start <= size {
		from--
	}
	quote := Quote{Source: s.source, Start: p.sentences[from].start, End: p.sentences[to].end}
	if s.head != nil && (usable == nil || usable(s.source, s.head.start, s.head.end)) {
		if from > 0 && p.sentences[from-1].source == s.source && p.sentences[from-1].head == s.head {
			quote.Head = s.head.text
		} else {
			quote.Start = s.head.start
		}
	}
	return quote
}
