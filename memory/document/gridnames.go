package document

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// headRows counts the rows that name the columns: those that the file marks, else those that look like names.
func headRows(rows []gridRow, columns int, marked bool) int {
	n := 0
	for n < len(rows) && rows[n].head {
		n++
	}
	if n == 0 {
		if columns < 2 || len(rows) < 2 || !namesColumns(rows, columns, marked) {
			return 0
		}
		n = 1
	}
	for n < len(rows)-1 && n < 3 { // below a name over several columns are further names
		spans := false
		for _, c := range rows[n-1].cells {
			spans = spans || c.width > 1 && c.width < columns || c.carried
		}
		for _, c := range rows[n].cells {
			spans = spans && (c.carried || shapeOf(c.text) != shapeValue)
		}
		if filled, _ := rows[n].filled(); !spans || filled < 2 {
			break
		}
		if _, wide := widest(rows[n-1]); !wide {
			break
		}
		n++
	}
	return n
}

// widest reports whether a cell with text reaches over several columns.
func widest(r gridRow) (width int, wide bool) {
	for _, c := range r.cells {
		if c.text != "" {
			width = max(width, c.width)
		}
	}
	return width, width > 1
}

type shape int

const (
	shapeEmpty shape = iota
	shapeWords       // no digits
	shapeMixed       // words with a number among them
	shapeYear
	shapeValue // a number, an amount, a date, a code
)

func shapeOf(s string) shape {
	digits, letters := 0, 0
	first := rune(0)
	for _, r := range s {
		switch {
		case unicode.IsDigit(r):
			digits++
		case unicode.IsLetter(r):
			letters++
		default:
			continue
		}
		if first == 0 {
			first = r
		}
	}
	year := len(s) == 4 && digits == 4 && (s[0] == '1' && s[1] == '9' || s[:2] == "20")
	switch {
	case strings.TrimSpace(s) == "":
		return shapeEmpty
	case digits == 0:
		return shapeWords
	case year:
		return shapeYear
	case unicode.IsDigit(first) || letters < 4 && digits > 1:
		return shapeValue
	}
	return shapeMixed
}

// namesColumns reports whether the first of some rows names their columns: its cells are
// short and no values, and those below are values, or the corner is empty, or its cells
// alone are bold. A table of words alone needs three rows and columns, in a format whose tables
// do not mark their names.
func namesColumns(rows []gridRow, columns int, marked bool) bool {
	first, below := rows[0], rows[1:]
	filled, _ := first.filled()
	corner := first.cells[0].column > 0 || first.cells[0].text == ""
	if filled < 2 || filled < columns-1 && !corner {
		if _, wide := widest(first); !wide {
			return false
		}
	}
	strong, words := true, true
	if first.cells[0].head {
		return false // it names its row
	}
	for _, c := range first.cells {
		s := shapeOf(c.text)
		if s == shapeValue || len(c.text) > longestHeader || strings.HasSuffix(c.text, ":") || endsSentence(c.text) {
			return false
		}
		strong = strong && (c.strong || c.head || c.text == "")
		words = words && s == shapeWords
	}
	if inPairs(rows, columns) {
		return false
	}
	for _, c := range below[0].cells {
		if strong && c.column > 0 && c.text != "" && !c.strong && !c.head {
			return true
		}
	}
	named := 0 // rows below that begin with a name
	values := make([]int, len(first.cells))
	held := make([]int, len(first.cells))
	for _, r := range below[:min(len(below), 50)] {
		if len(r.cells) > 0 && r.cells[0].column == 0 && r.cells[0].text != "" {
			named++
		}
		at := 0
		for _, c := range r.cells {
			for at < len(first.cells) && first.cells[at].column+max(1, first.cells[at].width) <= c.column {
				at++
			}
			if at == len(first.cells) || c.text == "" {
				continue
			}
			held[at]++
			if s := shapeOf(c.text); s == shapeValue || s == shapeYear && shapeOf(first.cells[at].text) != shapeYear {
				values[at]++
			}
		}
	}
	if corner {
		return 2*named > min(len(below), 50)
	}
	for i := range values {
		if held[i] > 0 && 2*values[i] > held[i] && (columns > 2 || len(below) > 1 && values[i] == held[i] && (i == 0 || alike(below))) {
			return true
		}
	}
	return columns > 2 && len(rows) > 2 && words && !marked
}

// inPairs reports whether rows are labels with their values, two or more pairs in a row: every
// second cell is short, has no digit and is unique, and the values next to them have several forms.
func inPairs(rows []gridRow, columns int) bool {
	if columns < 4 || columns%2 > 0 {
		return false
	}
	seen, shapes := map[string]bool{}, map[[2]int]bool{}
	for _, r := range rows {
		for _, c := range r.cells {
			switch s := shapeOf(c.text); {
			case c.column%2 > 0:
				shapes[[2]int{c.column, int(min(s, shapeMixed))}] = shapes[[2]int{c.column, int(min(s, shapeMixed))}] || s != shapeEmpty
			case s != shapeWords && s != shapeEmpty || seen[c.text] && c.text != "" || len(c.text) > longestSideLabel || c.carried:
				return false
			default:
				seen[c.text] = true
			}
		}
	}
	for column := 1; column < columns; column += 2 {
		if !shapes[[2]int{column, int(shapeWords)}] || !shapes[[2]int{column, int(shapeMixed)}] {
			return false
		}
	}
	return true
}

// alike reports whether the second cells of rows are values of one form: all dates and times, or
// none, and of about as many digits.
func alike(rows []gridRow) bool {
	least, most, apart := 1<<30, 0, 0
	for _, r := range rows {
		for _, c := range r.cells {
			if c.column != 1 {
				continue
			}
			n := 0
			for _, x := range c.text {
				if unicode.IsDigit(x) {
					n++
				}
			}
			least, most = min(least, n), max(most, n)
			if strings.ContainsAny(c.text, ":/@") {
				apart++
			}
		}
	}
	return most <= 2*least+2 && (apart == 0 || apart == len(rows))
}

// labels reports whether the first cells of rows label the cells next to them.
func labels(rows []gridRow) bool {
	seen := map[string]bool{}
	for _, r := range rows {
		n, first := r.filled()
		if n != 2 {
			if n == 1 && first.column == 0 {
				continue
			}
			return false
		}
		if s := shapeOf(first.text); first.carried || seen[first.text] || len(first.text) > longestSideLabel || s == shapeValue || s == shapeYear || endsSentence(first.text) {
			return false
		}
		seen[first.text] = true
	}
	return len(seen) > 0
}

// endsSentence reports whether a text is running text.
func endsSentence(s string) bool {
	last, _ := utf8.DecodeLastRuneInString(s)
	return strings.ContainsRune(".!?。！？", last) && strings.Count(s, " ") > 2 || strings.ContainsRune("。！？", last)
}
