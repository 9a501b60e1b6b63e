package answer

import (
	"strings"
	"unicode"

	"example.com/assay/memory/text"
	"example.com/assay/memory/text/values"
	"example.com/assay/state"
)

// older reports for each source whether its document does not apply on the day asked about: another
// source's document has the same title but for numbers and applies from a later day that has come
// by then, or its own day is later.
func (p *pool) older(q *question) []bool {
	out := make([]bool, len(p.sources))
	for i, a := range p.sources {
		for _, b := range p.sources {
			if a.Doc != b.Doc && a.Date != "" && b.Date != "" && sameTitle(a.Title, b.Title) {
				out[i] = out[i] || q.comes(b.Date) && a.Date < b.Date || !q.comes(a.Date) && q.comes(b.Date)
			}
		}
	}
	return out
}

// comes reports whether a day has come in the year that a question names; it names the
// future otherwise.
func (q *question) comes(day string) bool {
	return q.year == "" || len(day) >= len(q.year) && day[:len(q.year)] <= q.year
}

// A Version is the differing text in another version of the best quote's document.
type Version struct {
	Quote
	Undated bool // neither is known to be the newer
}

// version is the best stretch of another version of a quote's document, where it answers
// nearly as well and says something else: an older one, or one without a day that has other
// numbers. Nil for none.
func (p *pool) version(q *question, list []scored, best Quote, usable func(source, start, end int) bool) *Version {
	now := p.sources[best.Source]
	quoted := now.Text[best.Start:best.End]
	for _, s := range list {
		source := p.sentences[s.index].source
		then := p.sources[source]
		undated := then.Date == now.Date
		if then.Doc == now.Doc || !undated && (then.Date == "" || then.Date >= now.Date) || !sameTitle(then.Title, now.Title) {
			continue
		}
		if s.score-weights[ofOlder] < best.Score-near {
			return nil
		}
		if x := &p.sentences[s.index]; usable != nil && !usable(x.source, x.start, x.end) {
			continue
		}
		quote := p.window(q, s.index, windows[len(windows)-1], usable)
		quote.Score = s.score
		other := then.Text[quote.Start:quote.End]
		if text.Letters(other) == text.Letters(quoted) || undated && p.numbersOf(other) == p.numbersOf(quoted) {
			return nil
		}
		return &Version{Quote: quote, Undated: undated}
	}
	return nil
}

// numbersOf are the numbers of a text, in its order.
func (p *pool) numbersOf(s string) string {
	var list []string
	for _, v := range values.Numerals(s, p.lang) {
		list = append(list, v.Value)
	}
	return strings.Join(list, " ")
}

// sameTitle compares titles without their numbers and marks.
func sameTitle(a, b string) bool {
	a, b = titleLetters(a), titleLetters(b)
	return a != "" && a == b
}

func titleLetters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

// SourceOf returns a hit of a search as a source.
func SourceOf(h state.Hit) Source {
	p := h.Passage
	return Source{Title: p.Title, Section: p.Section, Text: p.Text, Blocks: p.Blocks, Doc: p.Doc, Date: p.ValidFrom(), Near: h.Near, Read: h.Read}
}
