package answer

import (
	"strings"

	"example.com/assay/state"
)

// A Reading is a part of a passage as an embedder reads it: Text has its words below its title,
// heading and label.
type Reading struct {
	Text       string
	Start, End int  // bytes of the passage's text
	Says       bool // false for a heading, a question or markup
}

// Readings returns the parts of a passage that may answer a question. [Source.Near] is in the same
// order.
func Readings(passage state.Passage) []Reading {
	p := newPool(reader{}, []Source{SourceOf(state.Hit{Passage: passage})}, nil)
	out := make([]Reading, len(p.sentences))
	for i := range p.sentences {
		s := &p.sentences[i]
		out[i] = Reading{p.reading(s), s.start, s.end, p.candidate(i)}
	}
	return out
}

// A Lead is a reading of a source that may answer the question.
type Lead struct {
	Source, Reading int // the index of the source, and the place among its readings
	Text            string
}

// Leading are the readings that Rank likes best before anybody has read them together with the question,
// n at the most.
func Leading(q string, sources []Source, n int) []Lead {
	_, p, list := candidates(q, sources)
	out := make([]Lead, min(n, len(list)))
	for i := range out {
		s := &p.sentences[list[i].index]
		out[i] = Lead{s.source, s.place, p.reading(s)}
	}
	return out
}

// reading returns a sentence as an embedder reads it: its title, nearest heading and label, each
// once, then its text; for a row, each cell with its column name.
func (p *pool) reading(s *sentence) string {
	var b strings.Builder
	last := ""
	add := func(t string) {
		if t = strings.Join(strings.Fields(t), " "); t == "" || t == last {
			return
		}
		last = t
		if b.Len() > 0 {
			b.WriteString(" | ")
		}
		b.WriteString(t)
	}
	add(plainTitle(s.above.title.text))
	add(s.above.last.text)
	if s.head != nil && !strings.HasPrefix(s.text, s.head.text) {
		add(s.head.text)
	}
	if s.part == nil || len(s.part.Cells) == 0 || !s.whole {
		add(s.text)
		return b.String()
	}
	in := p.sources[s.source].Text
	var cells []string
	for _, c := range s.part.Cells {
		if v := strings.TrimSpace(in[c.Start:c.End] + " " + c.Text); v != "" && c.Header != "" {
			cells = append(cells, c.Header+": "+v)
		} else if v != "" {
			cells = append(cells, v)
		}
	}
	add(strings.Join(cells, "; "))
	return b.String()
}
