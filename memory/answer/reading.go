package answer

import (
	"strings"

	"example.com/assay/state"
)

// A Reading is a stretch of a passage as an embedder reads it: Text is what stands there, below its
// title, its heading and its label.
type Reading struct {
	Text       string
	Start, End int  // bytes of the passage's text
	Says       bool // false for a heading, a question, markup: what only names what follows
}

// Readings are the stretches of a passage that may answer a question. [Source.Near] is in their
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

// A Lead is a reading of a source that may answer.
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

// reading is a sentence as an embedder reads it: the title, the nearest heading and the
// label that it stands under, each once, then what it says; of a row, each cell with its column.
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
