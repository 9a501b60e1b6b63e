package document

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/assay/memory/text"
)

// Bounds of tables of pages.
const (
	spansKept      = 64 // columns whose cells reach down into further rows
	mostSpannedRow = 1000
	mostRowText    = 600 // mean bytes of a row with one cell; longer rows are pages
)

// table writes a table. The cells of a layout table become separate blocks.
func (w *htmlWriter) table(n *html.Node) {
	if w.inline {
		w.children(n)
		return
	}
	w.endBlock()
	held := w.page.tables[n]
	if held.heads > 0 || held.tables > 0 || held.widest < 2 || attr(n, "role") == "presentation" || broken(n) > 1 {
		if held.heads == 0 && held.tables == 0 && held.text <= mostRowText*held.items {
			w.depth++ // a row of one cell is a block, its paragraphs are lines
			defer func() { w.depth-- }()
		}
		w.children(n)
		w.endBlock()
		return
	}
	t := tableReader{w: w, grid: grid{label: leadIn(w.out.String(), w.blocks, w.like.Group), marked: !w.office}}
	t.rows(n, false)
	w.grid(&t.grid)
}

// broken counts the line breaks of a table that has one row: its cells are parts of a page.
func broken(n *html.Node) (breaks int) {
	rows := 0
	for c := range n.Descendants() {
		switch c.DataAtom {
		case atom.Tr:
			if rows++; rows > 1 {
				return 0
			}
		case atom.Th:
			return 0
		case atom.Br:
			breaks++
		}
	}
	return breaks
}

func (w *htmlWriter) grid(g *grid) {
	w.endBlock()
	like := w.like
	like.joins = joinsColon
	s, blocks, headers := g.write(&w.page.watch, like)
	g.headers = headers
	if s == "" {
		return
	}
	from := w.out.Len()
	w.out.WriteString(s)
	w.out.WriteString("\n\n")
	w.blocks = append(w.blocks, moved(blocks, from)...)
	w.start, w.first, w.links, w.marked, w.space = w.out.Len(), nil, nil, false, false
}

// leadIn returns the last sentence of the last of some blocks if it ends with a colon: it
// introduces the next block.
func leadIn(s string, blocks []Block, group int) string {
	if len(blocks) == 0 || blocks[len(blocks)-1].Group != group {
		return ""
	}
	last := blocks[len(blocks)-1]
	s = s[last.Start:last.End]
	if c := lastRune(s); last.Kind != "" || c != ':' && c != '：' {
		return ""
	}
	return text.Clip(text.OneLine(lastSentence(s)), longestCaption)
}

type tableReader struct {
	w     *htmlWriter
	grid  grid
	spans []tableSpan // by column
}

type tableSpan struct {
	rows int
	cell gridCell
}

func (t *tableReader) rows(n *html.Node, head bool) {
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
			if c.DataAtom == atom.Caption {
				t.grid.label = text.Clip(t.w.page.inlineText(c), longestCaption)
			}
			t.w.walk(c)
			t.w.endBlock()
		}
	}
}

func span(n *html.Node, key string) int {
	v, err := strconv.Atoi(attr(n, key))
	if err != nil || v < 1 {
		return 1
	}
	return min(v, mostSpannedRow)
}

// row reads a row, with regard to the cells that reach down into it.
func (t *tableReader) row(n *html.Node, head bool) {
	row := gridRow{element: t.w.page.of(n)}
	column := 0
	carry := func() {
		for ; column < len(t.spans) && t.spans[column].rows > 0; column++ {
			s := &t.spans[column]
			s.rows--
			if s.cell.column == column {
				row.cells = append(row.cells, s.cell)
			}
		}
	}
	names, cells := true, 0
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.DataAtom != atom.Td && c.DataAtom != atom.Th {
			continue
		}
		carry()
		cells++
		cell := gridCell{column: column, width: span(c, "colspan"), head: c.DataAtom == atom.Th}
		names = names && cell.head
		if t.w.page.hasText(c) {
			w := htmlWriter{page: t.w.page, inline: true}
			w.children(c)
			cell.text = strings.TrimSpace(w.out.String())
			cell.strong = t.w.page.strong(c)
			row.links = append(row.links, w.links[:min(len(w.links), mostLinks-len(row.links))]...)
		}
		row.cells = append(row.cells, cell)
		if further := span(c, "rowspan") - 1; column < spansKept && (further > 0 || column < len(t.spans)) {
			carried := cell
			carried.carried = true
			for end := min(column+cell.width, spansKept); column < end; column++ {
				for len(t.spans) <= column {
					t.spans = append(t.spans, tableSpan{})
				}
				t.spans[column] = tableSpan{further, carried}
			}
		}
		column = cell.column + cell.width
	}
	carry()
	row.head = head && cells > 0 || names && cells > 1
	t.grid.rows = append(t.grid.rows, row)
}

func (p *htmlPage) strong(n *html.Node) bool {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch {
		case c.DataAtom == atom.B || c.DataAtom == atom.Strong:
		case c.Type == html.TextNode && strings.TrimSpace(c.Data) == "":
		case c.Type == html.ElementNode && c.FirstChild != nil && p.strong(c):
		default:
			return false
		}
	}
	return n.FirstChild != nil
}
