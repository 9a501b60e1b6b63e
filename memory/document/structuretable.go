package document

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/assay/memory/text/pattern"
	"example.com/assay/state"
)

func (r *structureReader) said(c state.Cell) string { return r.text[c.Start:c.End] }

// names returns the texts of cells as headers.
func (r *structureReader) names(cells []state.Cell) (out []string) {
	for _, c := range cells {
		out = append(out, plainCell(r.said(c)))
	}
	return out
}

func (r *structureReader) rowOf(l textLine, cells []state.Cell) Block {
	for i := range cells {
		if i < len(r.table.headers) {
			cells[i].Header = r.table.headers[i]
		}
	}
	return Block{Kind: state.BlockRow, Start: l.start, End: l.end, Cells: cells, Under: r.under(l), Label: r.lead}
}

// nextGap finds the next gap between cells from an offset on: a tab, two spaces, or a line of dots,
// also with a filled-in value, as in "Date ..2 June..", with the spaces around it. Without one both
// results are the length of the text.
func nextGap(s string, at int) (from, to int) {
	for i := at; i < len(s); i++ {
		dots := false
		switch c := s[i]; {
		case c == '\t':
		case c == ' ' && i+1 < len(s) && (s[i+1] == ' ' || s[i+1] == '\t'):
		case c == '.' && strings.HasPrefix(s[i:], "...."), c == ' ' && filledIn(s[i+1:]):
			dots = true
		default:
			continue
		}
		from, to = i, i
		for from > at && s[from-1] == ' ' {
			from--
		}
		for to < len(s) && (s[to] == ' ' || s[to] == '\t' || dots && s[to] == '.') {
			to++
		}
		if !dots && strings.HasPrefix(s[to:], "....") {
			for to < len(s) && (s[to] == ' ' || s[to] == '.') {
				to++
			}
		}
		return from, to
	}
	return len(s), len(s)
}

// filledIn reports whether dots with a filled-in value begin here: at least two before it and two
// after.
func filledIn(s string) bool {
	value := strings.TrimLeft(s, ".")
	return len(value) < len(s)-1 && value != "" && value[0] != ' ' && strings.Contains(value, "..")
}

// alignedCells returns the parts of a line between wide gaps.
func alignedCells(in string, l textLine) []state.Cell {
	s := l.in(in)
	var out []state.Cell
	for at := 0; at < len(s); {
		from, to := nextGap(s, at)
		if to == len(s) {
			from = len(s)
		}
		if len(out) > 0 && strings.HasPrefix(s[at:from], "| ") { // a line between two halves
			at += len("| ")
		}
		if strings.Trim(s[at:from], "|") != "" {
			end := from
			if rest := strings.TrimRight(s[at:from], "."); rest != "" && len(rest) < from-at-1 {
				end = at + len(strings.TrimRight(rest, " ")) // the dots that it was written on
			}
			out = append(out, state.Cell{Start: l.start + at, End: l.start + end})
		}
		at = to
	}
	return out
}

type table struct {
	headers []string
	columns [][2]int // in characters, of a table aligned by spaces
	piped   bool
}

// A tableRow is a line of an aligned table; cells is nil for a rule.
type tableRow struct {
	line  textLine
	cells []state.Cell
	spans [][2]int // of the cells, in characters
}

func (r *structureReader) tableRow(l textLine) tableRow {
	row := tableRow{line: l, cells: alignedCells(r.text, l)}
	at, column := l.start, l.indent
	for _, c := range row.cells {
		from := column + utf8.RuneCountInString(r.text[at:c.Start])
		at, column = c.End, from+utf8.RuneCountInString(r.said(c))
		row.spans = append(row.spans, [2]int{from, column})
	}
	return row
}

// alignedRows reads a table whose columns are set with spaces or tabs: lines of several
// cells, in columns that no cell crosses.
func (r *structureReader) alignedRows(lines []textLine, out *[]Block) int {
	if !lines[0].gaps || lines[0].mark.style == bulletStyle || isRule(lines[0].in(r.text)) {
		return 0
	}
	var rows []tableRow
	var columns [][2]int
	full, crosses := 0, false
	for i, l := range lines {
		r.w.step()
		if s := l.in(r.text); isRule(s) {
			rows = append(rows, tableRow{line: l})
			continue
		}
		if !l.gaps || len(rows) > 0 && len(rows) == full && full > 1<<12 {
			break
		}
		row := r.tableRow(l)
		if full > 0 && r.capitals(row) && r.below(lines[i+1:]) {
			break // names of other columns
		}
		least := 2
		if l.mark.number != "" && row.cells[0].End <= l.start+l.mark.size {
			least = 3 // a number set apart from its text does not count as a cell
		}
		if len(row.cells) < least || len(row.cells) > mostColumns || slices.ContainsFunc(row.cells, func(c state.Cell) bool { return labelOf(r.said(c)).words > 0 }) {
			break
		}
		wider := merged(columns, row.spans)
		if len(wider) > mostColumns {
			break
		}
		whole := len(wider) >= len(columns) && !crossed(columns, row.spans)
		switch {
		case full == 0 || whole:
			columns = wider
		case full == 1 && len(row.cells) > len(columns) && !hasDigit(lines[0].in(r.text)):
			columns = row.spans // below names that are as wide as two columns
		case len(row.cells) != len(rows[0].cells):
			crosses = true
		}
		if crosses {
			break
		}
		rows, full = append(rows, row), full+1
	}
	for len(rows) > 0 && rows[len(rows)-1].cells == nil {
		rows = rows[:len(rows)-1]
	}
	before := r.table
	if full == 1 && (before == nil || before.piped || !fits(before.columns, rows[0].spans)) {
		r.table = &table{columns: columns, headers: r.names(rows[0].cells)} // may name the columns of the next block
		cells := rows[0].cells
		if 2*r.digits(rows[0]) > len(cells) {
			r.table = nil
			return 0
		}
		if valued := hasDigit(r.said(cells[len(cells)-1])) && !hasDigit(r.said(cells[0])); valued || strings.Contains(lines[0].in(r.text), "....") {
			r.table.headers = nil
			r.writeRow(rows[0], nil, out)
			r.table = nil
			return len(rows)
		}
		return 0
	}
	if full == 0 {
		return 0
	}
	r.table = &table{columns: columns}
	body := rows
	switch {
	case before != nil && !before.piped && !r.capitals(rows[0]) && fits(before.columns, rows[0].spans) && (full == 1 || fits(columns, before.columns)):
		r.table.headers = placed(before.headers, before.columns, columns)
	case r.headlike(rows):
		names := r.names(rows[0].cells)
		r.table.headers = placed(names, rows[0].spans, columns)
		if len(rows[0].cells) == len(columns) {
			r.table.headers = names
		}
		body = rows[1:]
	}
	for _, row := range body {
		if row.cells != nil {
			r.writeRow(row, columns, out)
		}
	}
	return len(rows)
}

// merged adds spans to columns, which lie in order and apart.
func merged[T int | float64](columns, spans [][2]T) [][2]T {
	all := append(slices.Clone(columns), spans...)
	slices.SortFunc(all, func(a, b [2]T) int { return cmp.Compare(a[0], b[0]) })
	out := all[:0]
	for _, c := range all {
		if n := len(out); n > 0 && c[0] < out[n-1][1] {
			out[n-1][1] = max(out[n-1][1], c[1])
			continue
		}
		out = append(out, c)
	}
	return out
}

// crossed reports whether a column would contain two of some spans.
func crossed[T int | float64](columns, spans [][2]T) bool {
	return slices.ContainsFunc(columns, func(c [2]T) bool {
		n := 0
		for _, s := range spans {
			if s[0] < c[1] && s[1] > c[0] {
				n++
			}
		}
		return n > 1
	})
}

// fits reports whether each span overlaps one column of its own.
func fits(columns, spans [][2]int) bool {
	return len(columns) > 1 && len(merged(columns, spans)) == max(len(columns), len(spans)) && !crossed(columns, spans) && !crossed(spans, columns)
}

// placed assigns the names at some spans to columns: each to those from its beginning to the
// beginning of the next.
func placed(names []string, spans, columns [][2]int) []string {
	out := make([]string, len(columns))
	for i, c := range columns {
		for j := range min(len(names), len(spans)) {
			if s := spans[j]; s[0] < c[1] && c[0] < s[1] {
				out[i] = names[j]
				break
			}
		}
	}
	return out
}

// writeRow writes a row of the open table. A row of two cells without headers is a field, and so is
// each pair of a text and a number in a row without headers.
func (r *structureReader) writeRow(row tableRow, columns [][2]int, out *[]Block) {
	t := r.table
	cells := row.cells
	named := 0
	for i, h := range t.headers {
		if h != "" && i < len(columns) {
			named++
		}
	}
	if len(cells)%2 == 0 && (named == 0 || 2*named <= len(columns)) {
		pairs := true
		for i := 0; i < len(cells); i += 2 {
			pairs = pairs && (len(cells) == 2 || !hasDigit(r.said(cells[i])) && hasDigit(r.said(cells[i+1])))
		}
		if pairs {
			for i := 0; i < len(cells); i += 2 {
				label := strings.TrimRight(plainCell(r.said(cells[i])), ":： .")
				under := r.under(row.line)
				for j, c := range columns {
					if j < len(t.headers) && t.headers[j] != "" && row.spans[i][0] < c[1] && c[0] < row.spans[i][1] {
						under = strings.TrimPrefix(under+" > "+t.headers[j], " > ")
					}
				}
				*out = append(*out, Block{Kind: state.BlockField, Start: cells[i].Start, End: cells[i+1].End, Label: label, Under: under,
					Cells: []state.Cell{{Header: label, Start: cells[i+1].Start, End: cells[i+1].End}}})
			}
			return
		}
	}
	if columns != nil && len(cells) != len(columns) { // a column is empty: the cells are placed by their positions
		all := make([]state.Cell, len(columns))
		for i, c := range columns {
			all[i] = state.Cell{Start: row.line.start, End: row.line.start}
			for j, s := range row.spans {
				if s[0] < c[1] && c[0] < s[1] {
					all[i] = cells[j]
				}
			}
		}
		cells = all
	}
	*out = append(*out, r.rowOf(row.line, cells))
}

func hasDigit(s string) bool { return strings.ContainsFunc(s, unicode.IsDigit) }

// digits counts the cells of a row that have digits.
func (r *structureReader) digits(row tableRow) (n int) {
	for _, c := range row.cells {
		if hasDigit(r.said(c)) {
			n++
		}
	}
	return n
}

// headlike reports whether the first row names the columns: a rule follows it, or the cells below
// have numbers where it has none.
func (r *structureReader) headlike(rows []tableRow) bool {
	if r.capitals(rows[0]) && len(rows) > 1 && !r.capitals(rows[1]) {
		return true
	}
	if len(rows) > 2 && rows[1].cells == nil {
		return r.digits(rows[0]) < len(rows[0].cells)
	}
	if len(rows) < 2 {
		return false
	}
	if first := rows[0].line.in(r.text); filled.MatchString(first) || slices.ContainsFunc(rows[0].cells, func(c state.Cell) bool { return isCode(r.said(c)) }) {
		return false // a value is next to its name
	}
	if len(rows) > 2 && !slices.ContainsFunc(rows[1:], func(row tableRow) bool {
		return row.cells != nil && (len(row.cells) != len(rows[0].cells)+1 || row.spans[0][1] > rows[0].spans[0][0])
	}) {
		return true // names of all columns but the first
	}
	head := r.digits(rows[0])
	below, alike, body := 0, map[string]int{}, 0
	most, wider, shortest := 0, 0, 1<<30
	for _, row := range rows[1:] {
		if n := len(row.cells); n > 0 {
			body++
			shortest = min(shortest, written(row))
			last := r.said(row.cells[n-1])
			if r.digits(row) > 0 {
				below++
			}
			if n > len(rows[0].cells) {
				wider++
			}
			alike[formOf(last)]++
			most = max(most, alike[formOf(last)])
		}
	}
	if head == 0 && below == body && 2*wider > body {
		return true
	}
	if head == 0 && body > 1 && shortest >= 3*written(rows[0]) {
		return true // short names above long texts
	}
	if len(rows[0].cells) > 2 {
		if last := r.said(rows[0].cells[len(rows[0].cells)-1]); hasDigit(last[:1]) && !wholeNumber(last) {
			return false // a value of its own
		}
		return head == 0 && (below > 0 || body > 1) || body > 1 && 2*head < len(rows[0].cells) && head > 0 && below == body && !hasDigit(r.said(rows[0].cells[0])) && alike[formOf(r.said(rows[0].cells[len(rows[0].cells)-1]))] == 0
	}
	return head == 0 && body > 1 && 2*most > body && 3*below >= 2*body && len(rows[0].cells) == 2
}

// isCode reports a word such as "RH-25/0883": letters and digits with a sign between them, and not a year alone.
func isCode(s string) bool {
	rest := yearIn.ReplaceAllString(s, "")
	digits := strings.Map(func(c rune) rune {
		if unicode.IsDigit(c) {
			return c
		}
		return -1
	}, rest)
	return len(digits) > 2 && strings.ContainsAny(rest, "-/") && strings.ContainsFunc(rest, unicode.IsLetter) && !strings.ContainsFunc(s, unicode.IsSpace)
}

// filled matches filled-in blanks, and boxes to tick.
var filled = pattern.New(`\.{4}|\[[ xX]?\]|\([ xX]\)|[☐☒☑]`)

var yearIn = pattern.New(`\b(?:19|20)\d\d\b`)

// wholeNumber reports a number as years and trips have it.
func wholeNumber(s string) bool {
	return len(s) <= 4 && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsDigit(r) })
}

// capitals reports whether all cells of a row begin with a word in capital letters and have no
// digit: "WEIGHT (kg)". Two cells may be a label and its value: "BIC  DEUTDEFF".
func (r *structureReader) capitals(row tableRow) bool {
	for _, c := range row.cells {
		s := r.said(c)
		if word, _, _ := strings.Cut(s, " "); word != strings.ToUpper(word) || hasDigit(s) || !strings.ContainsFunc(word, unicode.IsUpper) {
			return false
		}
	}
	return len(row.cells) > 2
}

// below reports whether a line of cells that are not all in capital letters comes next, maybe after a rule.
func (r *structureReader) below(lines []textLine) bool {
	for _, l := range lines {
		if isRule(l.in(r.text)) {
			continue
		}
		return l.gaps && !r.capitals(r.tableRow(l))
	}
	return false
}

// written returns the length of a row's cells in bytes.
func written(row tableRow) int {
	n := 0
	for _, c := range row.cells {
		n += c.End - c.Start
	}
	return n
}
