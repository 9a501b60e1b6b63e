package evidence

import (
	"cmp"
	"html/template"
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
	Backs []back
	Tag   template.HTML // begins or ends an element of a part
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

// lay splits the windows of a text at its parts, and these at its spans. Spans nest; one that crosses
// another is cut at the other's end.
func (m *marker) lay(whole string, windows [][2]int, parts []part) text {
	var out text
	t, last := tags{out: &out}, 0
	named := map[string]bool{}
	for _, w := range windows {
		for len(parts) > 0 && parts[0].end <= w[0] {
			parts = parts[1:]
		}
		if n := w[0] - last; n > 0 && len(parts) > 0 && t.in.row > 0 && parts[0].group == t.in.group {
			t.left(n)
		} else if n > 0 {
			t.to(part{}, false)
			out = append(out, token{Left: n})
		}
		for at := w[0]; at < w[1]; {
			for len(parts) > 0 && parts[0].end <= at {
				parts = parts[1:]
			}
			p := part{end: w[1]}
			if len(parts) > 0 && parts[0].start <= at {
				p = parts[0]
			} else if len(parts) > 0 {
				p.end = parts[0].start
			}
			p.start, p.end = at, min(p.end, w[1])
			spans, ends := m.within(p, named)
			t.to(p, len(spans) > 0)
			out = append(out, nest(whole, p.start, p.end, spans)...)
			if p.hidden && len(ends) > 0 {
				t.show()
				out = append(out, token{Backs: ends})
			}
			at = p.end
		}
		last = w[1]
	}
	t.to(part{}, false)
	if last < len(whole) {
		out = append(out, token{Left: len(whole) - last})
	}
	return out
}

// within returns the spans in a part, cut at its ends. The first piece of a span that can be seen has
// its id, and is named; the last one has its links. Ends are links for after a part that is hidden.
func (m *marker) within(p part, named map[string]bool) (out []*span, ends []back) {
	for _, s := range m.spans {
		if s.start >= p.end || s.end <= p.start {
			continue
		}
		cut := *s
		cut.start, cut.end = max(s.start, p.start), min(s.end, p.end)
		if named[s.ID] || p.hidden && s.end > p.end {
			cut.ID, cut.Of = "", s.ID
		}
		if named[s.ID] = named[s.ID] || cut.ID != ""; s.end > p.end || p.hidden {
			cut.Backs = nil
		}
		if p.hidden && s.end <= p.end {
			ends = append(ends, s.Backs...)
		}
		out = append(out, &cut)
	}
	slices.SortStableFunc(out, outer)
	return out, ends
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
