package document

import (
	"strings"
	"unicode"

	"example.com/assay/memory/text"
	"example.com/assay/state"
)

// pipedRows reads a table with "|" between its cells: one with a rule under its header, or a
// continued one.
func (r *structureReader) pipedRows(lines []textLine, out *[]Block) int {
	piped := func(i int) bool { return i < len(lines) && strings.Contains(lines[i].in(r.text), "|") }
	n := 0
	if r.table == nil || !r.table.piped || piped(0) && len(lines) > 1 && isRule(lines[1].in(r.text)) {
		if !piped(0) || len(lines) < 2 || !isRule(lines[1].in(r.text)) {
			if !piped(0) || !piped(1) || !strings.HasPrefix(lines[0].in(r.text), "|") {
				return 0
			}
			r.table = &table{piped: true}
		} else {
			r.table = &table{piped: true, headers: r.names(pipedCells(r.text, lines[0]))}
			n = 2
		}
	}
	for ; piped(n); n++ {
		r.w.step()
		if isRule(lines[n].in(r.text)) {
			continue
		}
		*out = append(*out, r.rowOf(lines[n], pipedCells(r.text, lines[n])))
	}
	if n == 0 {
		r.table = nil
	}
	return n
}

// plainCell returns a cell without emphasis marks.
func plainCell(s string) string { return strings.TrimSpace(strings.Trim(text.OneLine(s), "*_`")) }

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
