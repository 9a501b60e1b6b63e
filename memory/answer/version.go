package answer

import (
	"strings"
	"unicode"

	"example.com/assay/state"
)

// older says of each source whether its document was replaced: another source's has the
// same title but for numbers, and holds from a later day.
func (p *pool) older() []bool {
	out := make([]bool, len(p.sources))
	for i, a := range p.sources {
		for _, b := range p.sources {
			if a.Doc != b.Doc && a.Date != "" && a.Date < b.Date && sameTitle(a.Title, b.Title) {
				out[i] = true
			}
		}
	}
	return out
}

// earlier is the best stretch of an earlier version of a quote's document, where it answers
// nearly as well and says something else; nil for none.
func (p *pool) earlier(q *question, list []scored, best Quote, usable func(source, start, end int) bool) *Quote {
	now := p.sources[best.Source]
	for _, s := range list {
		source := p.sentences[s.index].source
		then := p.sources[source]
		if then.Doc == now.Doc || then.Date == "" || then.Date >= now.Date || !sameTitle(then.Title, now.Title) {
			continue
		}
		if s.score-weights[ofOlder] < best.Score-near {
			return nil
		}
		quote := p.window(q, s.index, windows[len(windows)-1], usable)
		quote.Score = s.score
		if letters(then.Text[quote.Start:quote.End]) == letters(now.Text[best.Start:best.End]) {
			return nil
		}
		return &quote
	}
	return nil
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

// SourceOf is a passage as a source.
func SourceOf(p state.Passage) Source {
	return Source{Title: p.Title, Section: p.Section, Text: p.Text, Blocks: p.Blocks, Doc: p.Doc, Date: p.ValidFrom()}
}
