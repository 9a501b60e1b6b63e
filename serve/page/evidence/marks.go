package evidence

import (
	"cmp"
	"slices"

	"example.com/assay/state/proof"
)

// A text is a list of tokens. Without its gaps it shows only bytes of a document: labels are not
// text.
type text []token

// A token begins or ends a span, is a run of text, or says what is left out.
type token struct {
	Text  string
	Open  *span
	Close *span
	Left  int // number of bytes left out here
}

// A back links from a mark to the findings that quote it.
type back struct {
	link
	Name  string // in words
	Stand proof.Stand
	Aside bool // of minor interest
}

// A span is a part of a text: a quote, or a passage that was read.
type span struct {
	ID    string // empty for the rest of a span that was cut at another's end
	Of    string // the id of the whole span
	Quote bool
	Stand proof.Stand
	Aside bool   // all its findings are of minor interest
	Backs []back // shown after it; after the last part of a cut span

	start, end int
}

// A marker collects the spans of a text.
type marker struct {
	spans  []*span
	quotes int
}

// add marks bytes and returns the id of the mark. Quotes of the same bytes share one.
func (m *marker) add(start, end int, id string, b *back) string {
	at := slices.IndexFunc(m.spans, func(s *span) bool { return s.start == start && s.end == end && s.Quote == (b != nil) })
	if at < 0 {
		at = len(m.spans)
		m.spans = append(m.spans, &span{ID: id, Quote: b != nil, Aside: b != nil, start: start, end: end})
		if b != nil {
			m.quotes++
		}
	}
	s := m.spans[at]
	if b != nil {
		s.Backs, s.Aside = append(s.Backs, *b), s.Aside && b.Aside
		if s.Stand == "" || b.Stand == proof.Against {
			s.Stand = b.Stand
		}
	}
	return s.ID
}

// first is the id of the first quote.
func (m *marker) first() string {
	for _, s := range m.sorted() {
		if s.Quote {
			return s.ID
		}
	}
	return ""
}

// sorted are the spans as they are nested: by their start, the longer first.
func (m *marker) sorted() []*span {
	out := slices.Clone(m.spans)
	slices.SortStableFunc(out, outer)
	return out
}

func outer(a, b *span) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end)) }

// lay splits the windows of a text at its spans. Spans nest; one that crosses another is cut at the
// other's end.
func (m *marker) lay(whole string, windows [][2]int) text {
	var out text
	rest, last := m.sorted(), 0
	for _, w := range windows {
		if w[0] > last {
			out = append(out, token{Left: w[0] - last})
		}
		n := 0
		for n < len(rest) && rest[n].start < w[1] {
			n++
		}
		out = append(out, nest(whole, w[0], w[1], rest[:n])...)
		rest, last = rest[n:], w[1]
	}
	if last < len(whole) {
		out = append(out, token{Left: len(whole) - last})
	}
	return out
}

// nest lays out the bytes from from to to, which contain the spans.
func nest(whole string, from, to int, spans []*span) text {
	var out text
	var open []*span
	run := func(until int) {
		if from < until {
			out = append(out, token{Text: whole[from:until]})
			from = until
		}
	}
	end := func(until int) { // end spans
		for len(open) > 0 && open[len(open)-1].end <= until {
			s := open[len(open)-1]
			run(s.end)
			out, open = append(out, token{Close: s}), open[:len(open)-1]
		}
	}
	for len(spans) > 0 {
		s := spans[0]
		spans = spans[1:]
		end(s.start)
		run(s.start)
		if n := len(open); n > 0 && s.end > open[n-1].end {
			cut := *s
			cut.end, cut.Backs = open[n-1].end, nil
			tail := *s
			tail.start, tail.ID, tail.Of = cut.end, "", cmp.Or(s.Of, s.ID)
			at, _ := slices.BinarySearchFunc(spans, &tail, outer)
			spans = slices.Insert(slices.Clone(spans), at, &tail)
			s = &cut
		}
		out, open = append(out, token{Open: s}), append(open, s)
	}
	end(to)
	run(to)
	return out
}
