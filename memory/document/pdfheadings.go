package document

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"

	"example.com/assay/memory/text"
)

// A pdfPage is a page of lines, and its text once it is written.
type pdfPage struct {
	rows  []pdfLine
	text  string
	lines []pdfSpan
}

// pageOf returns a page of which only the text is known.
func pageOf(text string) pdfPage {
	var p pdfPage
	blank := false
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" {
			blank = true
			continue
		}
		p.rows = append(p.rows, pdfLine{text: line, apart: blank})
		blank = false
	}
	return p
}

// write joins the lines, with a blank line before separated ones.
func (p *pdfPage) write() {
	var out strings.Builder
	for _, l := range p.rows {
		line := strings.TrimRightFunc(strings.TrimSuffix(l.text, "\u00ad"), unicode.IsSpace)
		if line == "" {
			continue
		}
		if len(p.lines) > 0 {
			out.WriteByte('\n')
			if l.apart {
				out.WriteByte('\n')
			}
		}
		start := out.Len() + len(line) - len(strings.TrimLeftFunc(line, unicode.IsSpace)) // the header of a table may lack the first column
		out.WriteString(line)
		p.lines = append(p.lines, pdfSpan{start: start, end: out.Len(), size: l.size, apart: l.apart})
	}
	p.text = out.String()
}

// A pdfSpan is a non-empty line of a page's text.
type pdfSpan struct {
	start, end int
	size       float64 // of its glyphs, the mean, in points
	apart      bool    // a blank line precedes it
}

// Rules for headings: files give the size of a line and not its role.
const (
	headingSize  = 1.15 // times the size of most of the text
	headingBytes = 160  // no more than
	headingLines = 3    // no more than
	headingPages = 2    // the same words at the head of more pages are a running title
	headingShare = .25  // of all lines; where more are large, size means something else
)

type pdfHeading struct {
	page, start int
	size        float64
	title       string
}

// pdfHeadings returns the headings of a document, in order.
func pdfHeadings(pages []pdfPage) []pdfHeading {
	body := bodySize(pages)
	var out []pdfHeading
	total, large := 0, 0
	seen := map[string]int{}
	for i, p := range pages {
		for j := 0; j < len(p.lines); {
			total++
			if p.lines[j].size < headingSize*body {
				j++
				continue
			}
			first := j
			for j++; j < len(p.lines) && sameSize(p.lines[j].size, p.lines[first].size) && !p.lines[j].apart; j++ {
				total++
			}
			large += j - first
			title := text.OneLine(p.text[p.lines[first].start:p.lines[j-1].end])
			if j-first <= headingLines && len(title) <= headingBytes && strings.ContainsFunc(title, unicode.IsLetter) {
				out = append(out, pdfHeading{page: i, start: p.lines[first].start, size: p.lines[first].size, title: title})
				seen[title]++
			}
		}
	}
	if float64(large) > headingShare*float64(total) {
		return nil
	}
	return slices.DeleteFunc(out, func(h pdfHeading) bool { return seen[h.title] > headingPages })
}

// overPages puts the words together that the ends of pages break: the first page has them
// whole.
func overPages(j *joiner, pages []pdfPage, bodies [][2]int) {
	for i := 1; i < len(pages); i++ {
		end, start := bodies[i-1][1], bodies[i][0]
		before, after := pages[i-1].text, pages[i].text
		for end > 0 && isSpace(before[end-1]) {
			end--
		}
		head := max(strings.LastIndexByte(before[:end], '\n')+1, bodies[i-1][0])
		if head >= end || start >= bodies[i][1] {
			continue
		}
		if joined, n, ok := j.across(before[head:end], after[start:bodies[i][1]]); ok && start+n < bodies[i][1] {
			pages[i-1].text = before[:head] + joined + before[end:]
			bodies[i-1][1], bodies[i][0] = head+len(joined), start+n
		}
	}
}

// sameSize compares sizes and allows for rounding.
func sameSize(a, b float64) bool { return math.Abs(a-b) <= .05*max(a, b) }

// bodySize returns the median text size.
func bodySize(pages []pdfPage) float64 {
	var lines []pdfSpan
	total := 0
	for _, p := range pages {
		for _, l := range p.lines {
			lines = append(lines, l)
			total += l.end - l.start
		}
	}
	slices.SortFunc(lines, func(a, b pdfSpan) int { return cmp.Compare(a.size, b.size) })
	sum := 0
	for _, l := range lines {
		if sum += l.end - l.start; 2*sum >= total {
			return l.size
		}
	}
	return math.Inf(1)
}

// headingLevels ranks the sizes of headings: the largest is level 1, sizes
// that differ little are one level.
func headingLevels(list []pdfHeading) []int {
	var sizes []float64
	for _, h := range list {
		if !slices.ContainsFunc(sizes, func(s float64) bool { return sameSize(s, h.size) }) {
			sizes = append(sizes, h.size)
		}
	}
	slices.Sort(sizes)
	slices.Reverse(sizes)
	out := make([]int, len(list))
	for i, h := range list {
		out[i] = 1 + slices.IndexFunc(sizes, func(s float64) bool { return sameSize(s, h.size) })
	}
	return out
}

// pageBreak separates the texts of pages.
const pageBreak = "\n\f\n"

// writePDF joins the pages and records their blocks, without running heads and page numbers. A
// heading begins a block and is part of it, so that a false one loses nothing.
func writePDF(w *watch, d *Document, pages []pdfPage) {
	j := newJoiner(pages)
	pages = rendered(w, j, pages)
	headings := pdfHeadings(pages)
	levels := headingLevels(headings)
	bodies := pdfBodies(w, pages)
	overPages(j, pages, bodies)
	var text strings.Builder
	var sections outline
	group := 0
	for i, page := range pages {
		if i > 0 {
			text.WriteString(pageBreak)
		}
		start := text.Len()
		text.WriteString(page.text)
		group++
		from, end := bodies[i][0], bodies[i][1]
		flush := func(to int) {
			for _, b := range paragraphs(w, page.text, from, to, Block{Group: group, Page: i + 1, Section: sections.String()}) {
				b.Start, b.End = b.Start+start, b.End+start
				d.Blocks = append(d.Blocks, b)
			}
			from = to
		}
		for ; len(headings) > 0 && headings[0].page == i; headings, levels = headings[1:], levels[1:] {
			if headings[0].start < from || headings[0].start >= end {
				continue
			}
			flush(headings[0].start)
			sections.add(levels[0], headings[0].title)
			group++
		}
		flush(end)
	}
	d.Text = text.String()
}
