package document

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/assay/state"
)

// rows reads the rows of a table that begins, or goes on, at the first of some lines, and
// returns how many lines it took.
func (r *structureReader) rows(lines []textLine, out *[]Block) int {
	if n := r.pipedRows(lines, out); n > 0 {
		return n
	}
	return r.alignedRows(lines, out)
}

// pipedRows reads a table whose cells are parted by "|": one with a rule under its header,
// or one that goes on.
func (r *structureReader) pipedRows(lines []textLine, out *[]Block) int {
	piped := func(i int) bool { return i < len(lines) && strings.Contains(lines[i].in(r.text), "|") }
	n := 0
	if r.table == nil || !r.table.piped {
		if !piped(0) || len(lines) < 2 || !ruleLine.MatchString(lines[1].in(r.text)) {
			if !piped(0) || !piped(1) || !strings.HasPrefix(lines[0].in(r.text), "|") {
				return 0
			}
			r.table = &table{piped: true}
		} else {
			r.table = &table{piped: true}
			for _, c := range pipedCells(r.text, lines[0]) {
				r.table.headers = append(r.table.headers, plainCell(r.text[c.Start:c.End]))
			}
			n = 2
		}
	}
	for ; piped(n); n++ {
		r.w.step()
		if ruleLine.MatchString(lines[n].in(r.text)) || boxLine.MatchString(lines[n].in(r.text)) {
			continue
		}
		*out = append(*out, r.rowOf(lines[n].start, lines[n].end, pipedCells(r.text, lines[n])))
	}
	if n == 0 {
		r.table = nil
	}
	return n
}

// plainCell is a cell without the marks of emphasis.
func plainCell(s string) string { return strings.TrimSpace(strings.Trim(whole1(s), "*_`")) }

// pipedCells are the cells between the bars of a line.
func pipedCells(in string, l textLine) []state.Cell {
	var out []state.Cell
	start, end := l.start, l.end
	if in[start] == '|' {
		start++
	}
	if end > start && in[end-1] == '|' {
		end--
	}
	for from := start; from <= end; {
		to := end
		for i := from; i < end; i++ {
			if in[i] == '|' && (i == start || in[i-1] != '\\') {
				to = i
				break
			}
		}
		cell := in[from:to]
		left := strings.TrimLeftFunc(cell, unicode.IsSpace)
		body := strings.TrimRightFunc(left, unicode.IsSpace)
		at := from + len(cell) - len(left)
		out = append(out, state.Cell{Start: at, End: at + len(body)})
		from = to + 1
	}
	return out
}

// rowOf makes a row of the open table.
func (r *structureReader) rowOf(start, end int, cells []state.Cell) Block {
	for i := range cells {
		if i < len(r.table.headers) {
			cells[i].Header = r.table.headers[i]
		}
	}
	return Block{Kind: state.BlockRow, Start: start, End: end, Cells: cells, Under: r.heading, Label: r.lead}
}

// cellsApart counts the parts of a line that wide gaps set apart.
func cellsApart(s string) int { return len(tableGap.FindAllStringIndex(s, -1)) + 1 }

// leastRows is how many lines make a table that is set with spaces.
const leastRows = 2

// alignedRows reads a table whose columns are set with spaces or tabs: lines of as many
// parts, whose parts begin, or end, at the same place.
func (r *structureReader) alignedRows(lines []textLine, out *[]Block) int {
	first := alignedCells(r.text, lines[0])
	if len(first) < 2 || manyFieldsIn(lines[0].in(r.text)) {
		return 0
	}
	var rows [][]state.Cell
	n := 0
	for ; n < len(lines); n++ {
		r.w.step()
		s := lines[n].in(r.text)
		if boxLine.MatchString(s) || ruleLine.MatchString(s) {
			rows = append(rows, nil)
			continue
		}
		cells := alignedCells(r.text, lines[n])
		if len(cells) < 2 || len(cells) > len(first)+1 || manyFieldsIn(s) || len(cells) != len(first) && !r.aligned(lines[0], first, lines[n], cells) {
			break
		}
		rows = append(rows, cells)
	}
	for n > 0 && rows[n-1] == nil {
		n--
	}
	full := 0
	for _, c := range rows[:n] {
		if c != nil {
			full++
		}
	}
	if full < leastRows {
		return 0
	}
	head := r.table == nil && r.headlike(rows[:n])
	r.table = &table{}
	if head {
		for _, c := range first {
			r.table.headers = append(r.table.headers, plainCell(r.text[c.Start:c.End]))
		}
	}
	for i, cells := range rows[:n] {
		if cells == nil || i == 0 && head {
			continue
		}
		if len(cells) != len(first) { // a column is empty: the cells are placed by where they stand
			cells = r.place(lines[0], first, lines[i], cells)
		}
		if len(first) == 2 && !head {
			label := strings.TrimRight(plainCell(r.text[cells[0].Start:cells[0].End]), ":： .")
			*out = append(*out, Block{Kind: state.BlockField, Start: lines[i].start, End: lines[i].end, Label: label, Under: r.heading,
				Cells: []state.Cell{{Header: label, Start: cells[1].Start, End: cells[1].End}}})
			continue
		}
		*out = append(*out, r.rowOf(lines[i].start, lines[i].end, cells))
	}
	return n
}

func manyFieldsIn(s string) bool { return len(manyFields.FindAllStringIndex(s, 3)) > 1 }

// alignedCells are the parts of a line that wide gaps set apart.
func alignedCells(in string, l textLine) []state.Cell {
	s := l.in(in)
	var out []state.Cell
	at := 0
	for _, gap := range tableGap.FindAllStringIndex(s, -1) {
		if gap[0] > at {
			out = append(out, state.Cell{Start: l.start + at, End: l.start + gap[0]})
		}
		at = gap[1]
	}
	return append(out, state.Cell{Start: l.start + at, End: l.end})
}

// columnOf is the place of a byte of a line, in characters from the line's beginning.
func (r *structureReader) columnOf(l textLine, at int) int {
	return l.indent + utf8.RuneCountInString(r.text[l.start:at])
}

// aligned reports whether most cells of a line begin or end where cells of another do.
func (r *structureReader) aligned(a textLine, first []state.Cell, b textLine, cells []state.Cell) bool {
	same := 0
	for _, c := range cells {
		if r.nearest(a, first, b, c) >= 0 {
			same++
		}
	}
	return same == len(cells)
}

// nearest is the cell of a header line under which a cell stands, −1 for none.
func (r *structureReader) nearest(a textLine, first []state.Cell, b textLine, c state.Cell) int {
	from, to := r.columnOf(b, c.Start), r.columnOf(b, c.End)
	for i, f := range first {
		start, end := r.columnOf(a, f.Start), r.columnOf(a, f.End)
		if abs(from-start) <= 1 || abs(to-end) <= 1 || from < end && start < to {
			return i
		}
	}
	return -1
}

// place puts the cells of a line with empty columns under those of the first line.
func (r *structureReader) place(a textLine, first []state.Cell, b textLine, cells []state.Cell) []state.Cell {
	out := make([]state.Cell, len(first))
	for i := range out {
		out[i] = state.Cell{Start: b.start, End: b.start}
	}
	for _, c := range cells {
		if i := r.nearest(a, first, b, c); i >= 0 {
			out[i] = c
		}
	}
	return out
}

func abs(n int) int { return max(n, -n) }

// headlike reports whether the first row names the columns: none of its cells has a digit,
// and cells below it have, or a rule follows it.
func (r *structureReader) headlike(rows [][]state.Cell) bool {
	digits := func(cells []state.Cell) int {
		n := 0
		for _, c := range cells {
			if strings.ContainsFunc(r.text[c.Start:c.End], unicode.IsDigit) {
				n++
			}
		}
		return n
	}
	if len(rows) > 1 && rows[1] == nil {
		return true
	}
	if digits(rows[0]) > 0 {
		return false
	}
	if len(rows[0]) > 2 {
		return len(rows) > 2 || digits(rows[1]) > 0
	}
	with := 0
	for _, cells := range rows[1:] {
		if len(cells) > 1 && digits(cells[1:]) > 0 {
			with++
		}
	}
	first := r.text[rows[0][0].Start:rows[0][0].End]
	return with == len(rows)-1 && !strings.HasSuffix(first, ":") && len(rows) > 2
}
