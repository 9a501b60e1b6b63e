package document

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/assay/memory/text"
)

// Bounds of what the rows of a table repeat.
const (
	longestHeader  = 80 // bytes of a column's header
	headersKept    = 64 // columns whose header is repeated
	mostSpannedRow = 1000
	mostRowText    = 600 // bytes of a row with one cell, in the mean; rows with more are pages
)

// table writes a table. Under a header row every row is a block that can be read
// alone, "cell; Header: cell; Header: cell"; a row that begins with its own header
// is "Header: cell; cell"; other rows are lines, "| cell | cell |". The cells of a
// table that only places content on the page are blocks as they come.
func (w *htmlWriter) table(n *html.Node) {
	if w.inline {
		w.children(n)
		return
	}
	outer := w.layout
	defer func() { w.layout = outer }()
	w.endBlock()
	held := w.page.tables[n]
	w.layout = held.heads > 0 || held.tables > 0 || held.widest < 2 || attr(n, "role") == "presentation"
	if w.layout {
		if held.heads == 0 && held.tables == 0 && held.text <= mostRowText*held.items {
			w.depth++ // a row of one cell is a block, its paragraphs are lines
			defer func() { w.depth-- }()
		}
		w.children(n)
		w.endBlock()
		return
	}
	w.like.joins = joinsColon
	t := tableWriter{w: w}
	t.rows(n, false)
	w.endBlock()
	w.like.joins, w.like.ByLine = joinsNothing, false
}

// A tableWriter writes the rows of one table.
type tableWriter struct {
	w       *htmlWriter
	headers []string // by column
	data    bool     // a row of data was written
	spans   []int    // by column: further rows that a cell above reaches into
	name    string   // of the first cell, where it reaches into further rows
}

// rows writes the rows below a table or one of its sections.
func (t *tableWriter) rows(n *html.Node, head bool) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch c.DataAtom {
		case atom.Thead, atom.Tbody, atom.Tfoot:
			if !t.w.page.hidden(c) {
				t.rows(c, c.DataAtom == atom.Thead)
			}
		case atom.Tr:
			if !t.w.page.hidden(c) {
				t.row(c, head)
			}
		default:
			t.w.walk(c)
		}
	}
}

// A tableCell is a cell and the column that it begins in.
type tableCell struct {
	node   *html.Node
	column int
	width  int
}

// cells places the cells of a row, with regard to those that reach down into it.
func (t *tableWriter) cells(row *html.Node) []tableCell {
	var out []tableCell
	for i := range t.spans {
		t.spans[i] = max(0, t.spans[i]-1)
	}
	column := 0
	free := func() {
		for column < len(t.spans) && t.spans[column] > 0 {
			column++
		}
	}
	for c := row.FirstChild; c != nil; c = c.NextSibling {
		if c.DataAtom != atom.Td && c.DataAtom != atom.Th {
			continue
		}
		free()
		width, height := span(c, "colspan"), span(c, "rowspan")
		out = append(out, tableCell{c, column, width})
		for end := min(column+width, headersKept); column < end; column++ {
			for len(t.spans) <= column {
				t.spans = append(t.spans, 0)
			}
			t.spans[column] = height
		}
		column = out[len(out)-1].column + width
	}
	return out
}

func span(n *html.Node, key string) int {
	v, err := strconv.Atoi(attr(n, key))
	if err != nil || v < 1 {
		return 1
	}
	return min(v, mostSpannedRow)
}

func (t *tableWriter) row(n *html.Node, head bool) {
	w := t.w
	cells := t.cells(n)
	if !w.page.hasText(n) {
		return
	}
	head = head || !t.data && len(cells) > 1
	for _, c := range cells {
		head = head && c.node.DataAtom == atom.Th
	}
	switch {
	case head && !t.data:
		t.header(cells)
	case len(t.headers) > 0:
		t.underHeaders(cells)
	case len(cells) > 1 && cells[0].node.DataAtom == atom.Th:
		t.data = true
		w.endBlock()
		t.cell(cells[0].node, "")
		for i, c := range cells[1:] {
			t.cell(c.node, map[bool]string{true: ": ", false: "; "}[i == 0])
		}
		w.endBlock()
	default:
		t.data = true
		w.like.ByLine = true
		w.newline()
		w.mark("|")
		for _, c := range cells {
			w.mark(" ")
			t.content(c.node)
			w.mark(" |")
		}
		w.newline()
	}
}

// header notes what the columns are named and writes the names as a line. Names of
// several rows are joined.
func (t *tableWriter) header(cells []tableCell) {
	t.w.endBlock()
	between := ""
	for _, c := range cells {
		name := text.Clip(t.w.page.inlineText(c.node), longestHeader)
		for i := c.column; i < min(c.column+c.width, headersKept); i++ {
			for len(t.headers) <= i {
				t.headers = append(t.headers, "")
			}
			t.headers[i] = text.Clip(strings.TrimSpace(t.headers[i]+" "+name), longestHeader)
		}
		if t.cell(c.node, between) {
			between = "; "
		}
	}
	t.w.endBlock()
}

// underHeaders writes a row so that it can be read without the header row.
func (t *tableWriter) underHeaders(cells []tableCell) {
	t.data = true
	t.w.endBlock()
	between := ""
	if len(cells) > 0 && cells[0].column == 0 {
		t.name = ""
		if t.spans[0] > 1 {
			t.name = text.Clip(t.w.page.inlineText(cells[0].node), longestHeader)
		}
	} else if t.name != "" {
		t.w.text(t.name)
		between = "; "
	}
	for _, c := range cells {
		before := between
		if c.column > 0 && c.column < len(t.headers) && t.headers[c.column] != "" {
			before += t.headers[c.column] + ": "
		}
		if t.cell(c.node, before) {
			between = "; "
		}
	}
	t.w.endBlock()
}

// cell writes a cell behind a sign, if it has any text.
func (t *tableWriter) cell(n *html.Node, before string) bool {
	if !t.w.page.hasText(n) {
		return false
	}
	t.w.mark(before)
	t.content(n)
	return true
}

// content writes a cell on the row's line.
func (t *tableWriter) content(n *html.Node) {
	t.w.row = true
	t.w.children(n)
	t.w.row = false
	t.w.space = false
}
