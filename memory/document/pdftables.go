package document

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// tableLines writes rows of pieces as lines. Neighbouring rows of several pieces are a
// table: its cells are set under one another, and lines of one row are put together.
func tableLines(rows [][]pdfPiece) []pdfLine {
	var out []pdfLine
	for i := 0; i < len(rows); {
		n, cols := tableAt(rows[i:])
		if n < 2 {
			out = append(out, lineOf1(rows[i]))
			i++
			continue
		}
		out = append(out, table1(rows[i:i+n], cols)...)
		i += n
	}
	return out
}

// lineOf1 is a row that is in no table.
func lineOf1(row []pdfPiece) pdfLine {
	l := row[0].pdfLine
	if len(row) > 1 && mostlyRightToLeft(row[0].text+row[1].text) {
		row = slices.Clone(row)
		slices.Reverse(row)
	}
	var b strings.Builder
	b.WriteString(row[0].text)
	l.letters = slices.Clip(row[0].letters)
	for i, p := range row[1:] {
		l.letters = append(l.letters, p.letters...)
		gap := int(math.Abs(p.x0-row[i].x1) / max(p.size, 1) * 2)
		b.WriteString(strings.Repeat(" ", min(max(gap, 2), 12)) + p.text)
		l.size = max(l.size, p.size)
	}
	l.text = b.String()
	return l
}

// mostColumns bounds the columns of a table that is found by its gaps.
const mostColumns = 64

// tableAt returns the number of rows of the table that begins with the first row, 1 for none, and
// the spans of its columns. A row of one piece belongs to it if it is indented or closer to the row
// above than rows usually are. A piece across two columns ends it.
func tableAt(rows [][]pdfPiece) (int, [][2]float64) {
	cols := merged(nil, spansOf(rows[0]))
	if len(rows[0]) < 2 || len(cols) < 2 || len(cols) > mostColumns {
		return 1, cols
	}
	pitch := 0.0
	n, full := 1, 1
	for ; n < len(rows); n++ {
		drop := rows[n-1][0].base - rows[n][0].base
		one := rows[n][0]
		named := n == 1 && len(rows[1]) == len(rows[0])+1 // the first row names all columns but the first
		if drop > 4*one.size || pitch > 0 && drop > 1.8*pitch || one.x0 < cols[0][0]-one.size && !named {
			break
		}
		if len(rows[n]) > mostColumns {
			break
		}
		wider := merged(cols, spansOf(rows[n]))
		if len(wider) > mostColumns || len(wider) < len(cols) || crossed(cols, spansOf(rows[n])) {
			break
		}
		if len(rows[n]) == 1 {
			inner := one.x0 > cols[0][1]
			beforeNext := slices.ContainsFunc(rows[n-1], func(p pdfPiece) bool { return p.x0 > one.x1 })
			if !inner && !(beforeNext && drop < .85*pitch) {
				break
			}
		} else {
			pitch = max(pitch, drop)
		}
		cols, full = wider, n+1
	}
	return full, cols
}

func spansOf(row []pdfPiece) (out [][2]float64) {
	for _, p := range row {
		out = append(out, [2]float64{p.x0, p.x1})
	}
	return out
}

// widestColumn bounds the spaces that align the cells of a column.
const widestColumn = 48

// table1 returns the lines of a table.
func table1(rows [][]pdfPiece, cols [][2]float64) []pdfLine {
	pitch := 0.0
	for i := 1; i < len(rows); i++ {
		pitch = max(pitch, rows[i-1][0].base-rows[i][0].base)
	}
	loose := 0
	for i := 1; i < len(rows); i++ {
		if rows[i-1][0].base-rows[i][0].base > .85*pitch {
			loose++
		}
	}
	column := func(p pdfPiece) int {
		for i := len(cols) - 1; i > 0; i-- {
			if p.x0 >= cols[i][0]-1 || p.x0 > cols[i-1][1] {
				return i
			}
		}
		return 0
	}
	var cells [][]string
	var letters [][][]pdfLetter
	var lines []pdfLine
	for i, row := range rows {
		these, theirs := make([]string, len(cols)), make([][]pdfLetter, len(cols))
		for _, p := range row {
			c := column(p)
			these[c], theirs[c] = joinedText(these[c], p.text), append(theirs[c], p.letters...)
		}
		if i > 0 && goesOn(these, cells[len(cells)-1], loose >= 2 && rows[i-1][0].base-row[0].base <= .85*pitch) {
			last := cells[len(cells)-1]
			for c, s := range these {
				last[c] = joinedText(last[c], s)
				letters[len(letters)-1][c] = append(letters[len(letters)-1][c], theirs[c]...)
			}
			lines[len(lines)-1].base = row[0].base
			continue
		}
		l := row[0].pdfLine
		l.row = i > 0
		cells, letters, lines = append(cells, these), append(letters, theirs), append(lines, l)
	}
	widths := make([]int, len(cols))
	for _, row := range cells {
		for c, s := range row {
			widths[c] = min(max(widths[c], utf8.RuneCountInString(s)), widestColumn)
		}
	}
	for i, row := range cells {
		if mostlyRightToLeft(strings.Join(row, "")) {
			slices.Reverse(row)
			slices.Reverse(letters[i])
		}
		lines[i].letters = slices.Concat(letters[i]...)
		var b strings.Builder
		for c, s := range row {
			b.WriteString(s)
			if c+1 < len(row) {
				b.WriteString(strings.Repeat(" ", max(widths[c]-utf8.RuneCountInString(s), 0)+2))
			}
		}
		lines[i].text = strings.TrimRightFunc(b.String(), unicode.IsSpace)
	}
	return lines
}

// goesOn reports whether the cells of a line continue the row above: the line is closer to it than
// rows are, or has fewer cells that begin within a sentence.
func goesOn(these, above []string, close bool) bool {
	if close {
		return true
	}
	some, lower, all := 0, 0, 0
	for c := range these {
		if above[c] != "" {
			all++
		}
		if these[c] == "" {
			continue
		}
		some++
		if above[c] == "" {
			return false
		}
		if startsLower(these[c]) || strings.HasSuffix(above[c], "-") {
			lower++
		}
	}
	return some < all && lower == some
}

func joinedText(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + " " + b
}
