package show

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"example.com/assay/state"
)

// A passage is a text in which quotes are marked where they stand.
type passage struct {
	ID    string // of the element
	Head  string
	Where string
	Stale string
	Parts []part

	doc, text  string
	start      int // bytes of the document before text
	unassigned []mark
}

// A part is a run of a passage's text. What is quoted is marked.
type part struct {
	Text   string
	Marked bool
	IDs    []string // of the quotes that begin here
	Labels []link   // of the quotes that end here
}

// A link leads to an element of the page.
type link struct{ Text, ID string }

// A mark is a quote, in bytes of its passage's text.
type mark struct {
	start, end int
	id         string
	label      *link
}

// passages are those that the answer of one case stands on.
type passages struct {
	prefix string // of ids
	list   []*passage
	marks  int
}

// add appends a passage and marks what the answer quotes from it.
func (ps *passages) add(p *passage, quotes []state.QuoteSpan) {
	p.ID = fmt.Sprintf("%s-source-%d", ps.prefix, len(ps.list)+1)
	ps.list = append(ps.list, p)
	for _, q := range quotes {
		ps.mark(p, q.Start, q.End, q.Text, nil)
	}
}

// quote marks a quote wherever a passage holds it, with a label that leads back,
// and returns links to these places. None means that no passage does.
func (ps *passages) quote(doc string, start, end int, text string, label link) []link {
	named := slices.ContainsFunc(ps.list, func(p *passage) bool { return p.doc == doc })
	var out []link
	for _, p := range ps.list {
		if named && p.doc != doc {
			continue
		}
		if id := ps.mark(p, start, end, text, &label); id != "" {
			out = append(out, link{p.Head, id})
		}
	}
	return out
}

// mark notes a quote of a passage, whose bytes must be those, and returns its id.
func (ps *passages) mark(p *passage, start, end int, text string, label *link) string {
	from, to := start-p.start, end-p.start
	if from < 0 || to > len(p.text) || from >= to || p.text[from:to] != text || !utf8.ValidString(text) {
		return ""
	}
	ps.marks++
	id := fmt.Sprintf("%s-quote-%d", ps.prefix, ps.marks)
	p.unassigned = append(p.unassigned, mark{from, to, id, label})
	return id
}

// besides is how many bytes around a quote are shown with it, at most.
const besides = 140

// around returns what stands before and after a quote, from whole words.
func (ps *passages) around(id string) (before, after string) {
	for _, p := range ps.list {
		for _, m := range p.unassigned {
			if m.id != id {
				continue
			}
			before, after = p.text[:m.start], p.text[m.end:]
			if len(before) > besides {
				_, rest, _ := strings.Cut(before[len(before)-besides:], " ")
				before = "… " + rest
			}
			if len(after) > besides {
				if at := strings.LastIndexByte(after[:besides], ' '); at >= 0 {
					after = after[:at]
				} else {
					after = ""
				}
				after += " …"
			}
			return before, after
		}
	}
	return "", ""
}

// cut divides the passages' texts at the quotes.
func (ps *passages) cut() {
	for _, p := range ps.list {
		p.Parts = partsOf(p.text, p.unassigned)
	}
}

// partsOf divides a text at its marks, which may overlap. Equal labels that end at
// one place are shown once.
func partsOf(text string, marks []mark) []part {
	cuts := []int{0, len(text)}
	for _, m := range marks {
		cuts = append(cuts, m.start, m.end)
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	slices.SortStableFunc(marks, func(a, b mark) int { return cmp.Compare(a.start, b.start) })
	var out []part
	for i := 1; i < len(cuts); i++ {
		from, to := cuts[i-1], cuts[i]
		one := part{Text: text[from:to]}
		for _, m := range marks {
			if m.start > from || m.end < to {
				continue
			}
			one.Marked = true
			if m.start == from {
				one.IDs = append(one.IDs, m.id)
			}
			if m.end == to && m.label != nil && !slices.Contains(one.Labels, *m.label) {
				one.Labels = append(one.Labels, *m.label)
			}
		}
		out = append(out, one)
	}
	return out
}
