package document

import (
	"strings"

	"example.com/assay/memory/text"
	"example.com/assay/state"
)

// Bounds of repeated parts of table rows.
const (
	longestHeader    = 80   // bytes of a column's header
	headersKept      = 1024 // columns whose header is repeated
	mostCarried      = 3    // cells that reach down into a row
	longestCarry     = 40   // bytes of such a cell that its further rows repeat
	longestSideLabel = 60   // bytes of a cell that labels the next one
)

type grid struct {
	rows    []gridRow
	label   string   // its caption, or the sentence that leads into it
	headers []string // of a table above that it continues, if it has none itself
	records bool     // a row of one cell is a row as others are
	marked  bool     // it would say so if its first row named the columns, were they words
}

// A gridRow is a row. Its cells are in the order of columns; a cell of several rows is
// in each.
type gridRow struct {
	cells []gridCell
	head  bool    // the file says that it names the columns
	inner []*grid // tables inside its cells

	page, line int      // its place; 0 for that of the table
	element    *Element // likewise
	links      []string
}

// A gridCell is a cell with one line of text, or empty.
type gridCell struct {
	text          string
	column, width int
	carried       bool // it begins in a row above
	head          bool // the file says that it is a name
	strong        bool // all of it is bold
}

func (r gridRow) filled() (n int, first gridCell) {
	for _, c := range r.cells {
		if c.text != "" {
			if n++; n == 1 {
				first = c
			}
		}
	}
	return n, first
}

// carry copies the cell of the row above that spans a column.
func (r gridRow) carry(column int) (gridCell, bool) {
	for _, c := range r.cells {
		if c.column <= column && column < c.column+max(1, c.width) {
			c.carried = true
			return c, true
		}
	}
	return gridCell{}, false
}

type gridWriter struct {
	watch   *watch
	out     strings.Builder
	blocks  []Block
	like    Block
	label   string
	headers []string
	under   string
}

// write returns the text of a table and its blocks, whose offsets count in it. Under column names a
// row is "cell; Name: cell; Name: cell", so that it can be read alone. A row of a label and a value
// is "label: value"; others are lines, "| cell | cell |".
func (g *grid) write(w *watch, like Block) (string, []Block, []string) {
	o := gridWriter{watch: w, like: like, label: g.label}
	rows, columns := g.trimmed()
	for len(rows) > 1 { // its caption
		n, first := rows[0].filled()
		if next, _ := rows[1].filled(); n != 1 || first.column > 0 || next < 2 && len(rows) < 3 || columns < 2 {
			break
		}
		o.line(rows[0], first.text, "")
		o.label = text.Clip(first.text, longestCaption)
		rows = rows[1:]
	}
	heads := headRows(rows, columns, g.marked)
	for _, r := range rows[:heads] {
		o.header(r)
	}
	if rows = rows[heads:]; heads == 0 && len(g.headers) >= columns {
		o.headers = g.headers
	}
	labelled := len(o.headers) == 0 && columns == 2 && labels(rows)
	lines := 0 // rows that are lines of the last block
	for i, r := range rows {
		w.step()
		n, first := r.filled()
		next := 0
		if i+1 < len(rows) {
			next, _ = rows[i+1].filled()
		}
		switch {
		case n == 1 && !g.records && columns > 1 && first.column == 0 && !first.carried && next > 1 && !endsSentence(first.text):
			o.under = text.Clip(first.text, longestHeader)
			o.line(r, first.text, state.BlockHeading)
			lines = 0
		case n == 1 && !g.records && columns > 1 && first.column == 0 && (first.width >= columns || endsSentence(first.text)), columns == 1:
			o.line(r, first.text, "")
			lines = 0
		case len(o.headers) > 0:
			o.row(r, "")
		case labelled, n > 1 && (first.head || strings.HasSuffix(first.text, ":")):
			o.fields(r)
			lines = 0
		default:
			o.bars(r, lines > 0)
			lines++
		}
		for _, inner := range r.inner {
			if inner.label == "" {
				inner.label = text.Clip(first.text, longestCaption)
			}
			s, blocks, _ := inner.write(w, o.like)
			o.gap()
			from := o.out.Len()
			o.out.WriteString(s)
			o.blocks = append(o.blocks, moved(blocks, from)...)
			lines = 0
		}
	}
	return o.out.String(), o.blocks, o.headers
}

// trimmed returns the non-empty rows, and the number of columns from the first non-empty one.
func (g *grid) trimmed() (rows []gridRow, columns int) {
	first := 1 << 30
	for _, r := range g.rows {
		if n, _ := r.filled(); n == 0 && len(r.inner) == 0 {
			continue
		}
		rows = append(rows, r)
		for _, c := range r.cells {
			if c.text != "" {
				columns, first = max(columns, c.column+1), min(first, c.column)
			}
		}
	}
	if first == 0 || columns == 0 || len(g.headers) > 0 {
		return rows, columns
	}
	for i, r := range rows {
		cells := make([]gridCell, 0, len(r.cells))
		for _, c := range r.cells {
			if c.column -= first; c.column >= 0 {
				cells = append(cells, c)
			}
		}
		rows[i].cells = cells
	}
	return rows, columns - first
}

func moved(blocks []Block, by int) []Block {
	for i := range blocks {
		b := &blocks[i]
		b.Start, b.End = b.Start+by, b.End+by
		for j := range b.Cells {
			b.Cells[j].Start += by
			b.Cells[j].End += by
		}
		moved(b.Blocks, by)
	}
	return blocks
}

func (o *gridWriter) gap() {
	if o.out.Len() > 0 {
		o.out.WriteString("\n\n")
	}
}

func (o *gridWriter) block(r gridRow, kind state.BlockKind) *Block {
	o.gap()
	b := o.like
	b.Start, b.Kind, b.Under = o.out.Len(), kind, o.under
	if kind == state.BlockRow || kind == state.BlockField {
		b.Label = o.label
	}
	if r.page > 0 {
		b.Page = r.page
	}
	if r.line > 0 {
		b.Line = r.line
	}
	if r.element != nil {
		b.Element = r.element
	}
	b.links = r.links
	if len(o.blocks) > 0 {
		b.joins = joinsNothing
	}
	o.blocks = append(o.blocks, b)
	return &o.blocks[len(o.blocks)-1]
}

func (o *gridWriter) end(b *Block) { b.End = o.out.Len() }

func (o *gridWriter) line(r gridRow, s string, kind state.BlockKind) {
	b := o.block(r, kind)
	b.Under = ""
	o.out.WriteString(s)
	o.end(b)
}

// header records and writes the column names. Names of several rows
// are joined.
func (o *gridWriter) header(r gridRow) {
	b := o.block(r, state.BlockHeading)
	between := ""
	for _, c := range r.cells {
		if c.carried || c.text == "" {
			continue
		}
		name := text.Clip(c.text, longestHeader)
		for i := c.column; i < min(c.column+max(1, c.width), headersKept); i++ {
			for len(o.headers) <= i {
				o.headers = append(o.headers, "")
			}
			o.headers[i] = text.Clip(strings.TrimSpace(o.headers[i]+" "+name), longestHeader)
		}
		o.out.WriteString(between + c.text)
		between = "; "
	}
	o.end(b)
}

func (o *gridWriter) headerOf(c gridCell) string {
	if c.column < len(o.headers) {
		return o.headers[c.column]
	}
	return ""
}

// row writes a row so that it can be read without the names above it.
func (o *gridWriter) row(r gridRow, mark string) {
	b := o.block(r, state.BlockRow)
	o.out.WriteString(mark)
	carried := 0
	for _, c := range r.cells {
		if c.text == "" {
			continue
		}
		header := o.headerOf(c)
		if c.carried {
			if carried++; carried > mostCarried {
				continue
			}
			if len(c.text) > longestCarry {
				at := o.out.Len()
				b.Cells = append(b.Cells, state.Cell{Header: header, Start: at, End: at, Text: text.Clip(c.text, longestCaption)})
				continue
			}
		}
		if o.out.Len() > b.Start {
			o.out.WriteString("; ")
		}
		if header != "" && c.column > 0 {
			o.out.WriteString(header + ": ")
		}
		b.Cells = append(b.Cells, o.cell(c.text, header))
	}
	o.end(b)
}

func (o *gridWriter) cell(s, header string) state.Cell {
	at := o.out.Len()
	o.out.WriteString(s)
	return state.Cell{Header: header, Start: at, End: o.out.Len()}
}

// bars writes a row without names as a line of the last block, or of a new one.
func (o *gridWriter) bars(r gridRow, more bool) {
	if more {
		o.out.WriteByte('\n')
	} else {
		b := o.block(r, "")
		b.Under, b.ByLine = "", true
	}
	b := &o.blocks[len(o.blocks)-1]
	row := Block{Kind: state.BlockRow, Start: o.out.Len(), Label: o.label, Under: o.under}
	o.out.WriteString("|")
	for _, c := range r.cells {
		if c.carried && len(c.text) > longestCarry {
			c.text = ""
		}
		o.out.WriteString(" ")
		row.Cells = append(row.Cells, o.cell(c.text, ""))
		o.out.WriteString(" |")
	}
	o.end(&row)
	b.Blocks = append(b.Blocks, row)
	o.end(b)
}

func (o *gridWriter) fields(r gridRow) {
	var b *Block
	for i, c := range r.cells {
		if c.text == "" {
			continue
		}
		label := strings.HasSuffix(c.text, ":") || c.head
		if b == nil || label && i > 0 && len(b.Cells) > 0 {
			b = o.block(r, state.BlockField)
			b.Label = strings.TrimSpace(strings.TrimRight(text.Clip(c.text, longestCaption), ":： "))
			o.out.WriteString(c.text)
			o.end(b)
			continue
		}
		switch {
		case len(b.Cells) > 0:
			o.out.WriteString("; ")
		case strings.HasSuffix(o.out.String(), ":"):
			o.out.WriteString(" ")
		default:
			o.out.WriteString(": ")
		}
		b.Cells = append(b.Cells, o.cell(c.text, b.Label))
		o.end(b)
	}
	if b != nil && len(b.Cells) == 0 {
		b.Kind, b.Label = "", ""
	}
}
