package document

import (
	"slices"
	"strings"

	"example.com/assay/memory/text"
	"example.com/assay/memory/text/pattern"
	"example.com/assay/state"
)

// isHeading reports whether the first of some lines, which has no mark, is a heading.
func (r *structureReader) isHeading(lines []textLine, next string) bool {
	l := lines[0]
	s := l.in(r.text)
	if next == "" || l.mark.number != "" || l.mark.style == bulletStyle || !slices.Contains([]string{"txt", "md", "pdf", "rtf", "man"}, r.format) {
		return false
	}
	if s[0] == '[' && s[len(s)-1] == ']' && r.format == "txt" { // a section of a settings file
		return strings.IndexByte(s, ' ') < 0 || len(lines) > 1
	}
	if strings.HasPrefix(s, "---") && len(s) > 6 && strings.TrimLeft(s, "-") != "" {
		return true
	}
	if strings.HasPrefix(s, "**") && strings.HasSuffix(s, "**") && strings.Count(s, "**") == 2 && len(s) < 80 {
		return true
	}
	if l.label.words > 0 || l.gaps || !shortHeading(s) {
		return false
	}
	if len(lines) > 1 {
		below := lines[1].in(r.text)
		if isRule(below) {
			return strings.Trim(below, below[:1]) == ""
		}
		if inCapitals(s) {
			return !inCapitals(below)
		}
		return s[0] != '-' && !slices.ContainsFunc(lines[1:], func(o textLine) bool { return o.indent < l.indent+2 })
	}
	return r.first && (inCapitals(s) || r.afterLong && len(s) < 60)
}

func headStyle(s string, l textLine, lines []textLine) string {
	switch {
	case strings.IndexByte("[-*", s[0]) >= 0:
		return s[:1]
	case inCapitals(s) && len(lines) > 1 && l.indent > 8: // centred
		return "title"
	case inCapitals(s):
		return "A"
	}
	return "a"
}

// numbered makes a block of a line that begins with a number: a heading, a step or a clause.
func (r *structureReader) numbered(b Block, l textLine, next string, end, more int) Block {
	s := l.in(r.text)
	rest, m := s[l.mark.size:], l.mark
	follows := markOf(next, r.words)
	listed := slices.ContainsFunc(r.marks, func(o part) bool { return o.style == m.style })
	numeral := m.style[0] == '1' || m.style[0] >= 'A' && m.style[0] <= 'Z'
	heads := more == 1 && next != "" && m.style[0] != '(' && (numeral || len(m.style) > 2) && !startsLower(next) && follows.style != m.style && !listed
	bold := strings.HasPrefix(s, "**") && strings.HasSuffix(s, "**")
	if heads && (rest == "" && !numeral || shortHeading(rest) && len(s) <= 70) || bold && more == 1 && next != "" {
		title := text.OneLine(strings.TrimRight(rest, "*."))
		if !numeral {
			title = text.OneLine(strings.Trim(s, "*."))
		}
		r.setHead(m.style, title, m.number)
		b.Kind, b.Number, b.Under = state.BlockHeading, m.number, r.underHeads(len(r.heads)-1)
		return b
	}
	b.Kind, b.Number, b.Under = state.BlockClause, r.address(m), r.under(l)
	b.Label = r.lead
	if c := lastRune(r.text[l.start:end]); c == ':' || c == '：' || follows.style != "" && follows.style != m.style && !strings.ContainsRune(sentenceEnd, c) {
		r.lead = text.OneLine(lastSentence(r.text[l.start+m.size : end]))
	}
	if slices.Contains([]string{"step", "schritt", "étape", "paso", "passo", "stap"}, m.style) || m.style[:min(2, len(m.style))] == "1." && b.Number == m.number && !strings.Contains(m.number, ".") {
		b.Kind = state.BlockStep
	}
	return b
}

// address opens a numbered part and returns its number with those of its parents.
func (r *structureReader) address(m mark) string {
	if at := slices.IndexFunc(r.heads, func(h head) bool { return h.style == m.style }); at >= 0 {
		r.heads, r.marks = r.heads[:at], nil
	}
	top := r.top()
	own := strings.HasPrefix(m.style, "1.1") || m.style[0] != '(' && m.style[0] != '1' && len(m.style) > 2 // a complete number
	if at := slices.IndexFunc(r.marks, func(o part) bool { return o.style == m.style }); at >= 0 {
		r.lead = r.marks[at].lead
		r.marks = r.marks[:at]
	} else if last := len(r.marks) - 1; last >= 0 && m.number == "i" && r.marks[last].number == "h" && strings.Replace(m.style, "i", "a", 1) == r.marks[last].style {
		m.style, r.lead, r.marks = r.marks[last].style, r.marks[last].lead, r.marks[:last]
	}
	if own {
		r.marks = r.marks[:0]
	}
	if len(r.marks) > 4 {
		r.marks = r.marks[:4]
	}
	r.marks = append(r.marks, part{m, r.lead})
	path := r.marks
	out := ""
	switch {
	case own:
		return m.number
	case strings.HasPrefix(path[0].style, "1.1") || len(path[0].style) > 2 && path[0].style[0] != '(':
		out, path = path[0].number, path[1:]
	case top.number != "" && (path[0].style[0] == '(' || path[0].style[0] != '1' || top.style[0] != '1'):
		out = top.number
	default:
		out, path = path[0].number, path[1:]
	}
	for _, o := range path {
		out += "(" + o.number + ")"
	}
	return out
}

var nextLabel = pattern.New(`[.;|][ \t]+(\p{Lu}[^.:;|!?,"“”]{0,40}):[ \t]+\S`)

// fields reads the labels and values of one line, or of a label and the lines below it, and returns
// the number of lines it took. A sentence has no fields.
func (r *structureReader) fields(lines []textLine, more int) ([]Block, int) {
	l, end := lines[0], lines[more-1].end
	s := l.in(r.text)
	if l.label.words == 0 {
		if k := settingOf(s); k.words > 0 && (r.format == "txt" || r.format == "md") {
			value := s[k.value:]
			for _, mark := range []string{" #", " ;", "\t#", "\t;"} {
				value, _, _ = strings.Cut(value, mark)
			}
			return []Block{r.field(l, s[k.from:k.to], l.start, l.start+k.value, l.start+k.value+len(strings.TrimRight(value, " \t")))}, 1
		}
		if !l.gaps {
			return nil, 0
		}
	}
	if l.gaps && l.mark.style == "" {
		if cells := alignedCells(r.text, l); len(cells) > 1 {
			return r.fieldsApart(l, cells, end), more
		}
	}
	if l.label.words == 0 {
		return nil, 0
	}
	if l.label.value == len(s) {
		return r.labelled(lines)
	}
	if l.label.words > 3 && (len(s)-l.label.value > 60 || strings.ContainsRune(sentenceEnd, lastRune(s))) &&
		(more == len(lines) || lines[more].label.words == 0) && !nextLabel.MatchString(s) {
		return nil, 0
	}
	return r.split(l, s[l.label.from:l.label.to], l.start, l.start+l.label.value, end), more
}

func (r *structureReader) split(l textLine, name string, start, value, end int) []Block {
	var out []Block
	for {
		if !strings.Contains(r.text[value:end], ": ") {
			return append(out, r.field(l, name, start, value, end))
		}
		m := nextLabel.FindStringSubmatchIndex(r.text[value:end])
		if m == nil || len(strings.Fields(r.text[value+m[2]:value+m[3]])) > mostWords {
			return append(out, r.field(l, name, start, value, end))
		}
		stop := value + m[0]
		if r.text[stop] == '.' {
			stop++
		}
		out = append(out, r.field(l, name, start, value, len(strings.TrimRight(r.text[:stop], " \t"))))
		start, name = value+m[2], r.text[value+m[2]:value+m[3]]
		value = value + m[1] - 1
	}
}

// fieldsApart reads cells that have labels, each its own or in the cell before it.
func (r *structureReader) fieldsApart(l textLine, cells []state.Cell, end int) []Block {
	var out []Block
	for i := 0; i < len(cells); i++ {
		c, s := cells[i], r.said(cells[i])
		b := labelOf(s)
		to := c.End
		if i == len(cells)-1 {
			to = end
		}
		switch {
		case b.words == 0:
		case b.value < len(s):
			out = append(out, r.split(l, s[b.from:b.to], c.Start, c.Start+b.value, to)...)
		case i+1 < len(cells) && labelOf(r.said(cells[i+1])).words == 0:
			i++
			if to = cells[i].End; i == len(cells)-1 {
				to = end
			}
			out = append(out, r.field(l, s[b.from:b.to], c.Start, cells[i].Start, to))
		}
	}
	return out
}

// labelled reads a label without a value on its line: indented lines below belong to it, short
// lines below are its value, and for other text it is the introduction.
func (r *structureReader) labelled(lines []textLine) ([]Block, int) {
	l := lines[0]
	s := l.in(r.text)
	name := plainCell(s[l.label.from:l.label.to])
	r.lead = text.OneLine(strings.Trim(s[l.mark.size:], "*_ "))
	n := 1
	for n < len(lines) && n < 6 && lines[n].mark.style == "" && lines[n].label.words == 0 && lines[n].end-lines[n].start <= 70 && !lines[n].gaps && settingOf(lines[n].in(r.text)).words == 0 {
		n++
	}
	next := markOf(r.after, r.words)
	if len(lines) > 1 {
		next = lines[1].mark
	}
	deeper := len(lines) > 1 && lines[1].indent > l.indent
	under := r.under(l)
	if deeper && (n == 1 || r.format == "txt" && l.label.words == 1 && n < len(lines)) {
		r.open = append(r.open[:min(len(r.open), mostHeads)], holder{l.indent, name})
	}
	if n == 1 || n < len(lines) && lines[n].label.words == 0 && !deeper {
		if next.style != "" && !deeper {
			return nil, 0
		}
		return []Block{{Kind: state.BlockHeading, Start: l.start, End: l.end, Under: under}}, 1
	}
	f := r.field(l, name, l.start, lines[1].start, lines[n-1].end)
	f.Cells = nil
	for _, v := range lines[1:n] {
		f.Cells = append(f.Cells, state.Cell{Header: name, Start: v.start, End: v.end})
	}
	return []Block{f}, n
}

// field makes a field of the text from start to end, with its value at an offset.
func (r *structureReader) field(l textLine, name string, start, value, end int) Block {
	r.table = nil
	name = plainCell(name)
	end = max(end, value)
	return Block{Kind: state.BlockField, Start: start, End: end, Label: name, Under: r.under(l),
		Cells: []state.Cell{{Header: name, Start: value, End: end}}}
}

// What forms are written on, and marks of HTML around small print.
var (
	blankLine = pattern.New(`\.{2,}|…+|_{3,}`)
	tagMark   = pattern.New(`</?[a-z]+>`)
)

// longestBelow is the greatest length of the text below a blank of a form, in bytes.
const longestBelow = 60

// captioned reads a line of a form with filled-in blanks whose names are on the line below: "....7
// / 3 / 1988....    ....Illustrator...." above "Date of birth    Occupation".
func (r *structureReader) captioned(lines []textLine, out *[]Block) int {
	if len(lines) < 2 {
		return 0
	}
	l, s := lines[0], lines[0].in(r.text)
	blanks := blankLine.FindAllStringIndex(s, -1)
	if len(blanks) < 2 || blanks[0][0] > 0 || blankLine.MatchString(lines[1].in(r.text)) {
		return 0
	}
	var written []state.Cell
	for i, b := range blanks {
		end := len(s)
		if i+1 < len(blanks) {
			end = blanks[i+1][0]
		}
		if v := strings.TrimSpace(s[b[1]:end]); v != "" {
			at := l.start + b[1] + strings.Index(s[b[1]:end], v)
			written = append(written, state.Cell{Start: at, End: at + len(v)})
		}
	}
	names := alignedCells(r.text, lines[1])
	if len(written) == 0 || len(names) != len(written) {
		return 0
	}
	for i, c := range names {
		name := strings.TrimSpace(tagMark.ReplaceAllString(r.said(c), ""))
		if name == "" || len(name) > longestBelow || hasDigit(name) || strings.ContainsRune(sentenceEnd+":", lastRune(name)) {
			return 0
		}
		written[i].Header = name
	}
	for _, c := range written {
		*out = append(*out, r.field(l, c.Header, c.Start, c.Start, c.End))
	}
	return 2
}
