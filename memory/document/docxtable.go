package document

import (
	"encoding/xml"
	"strconv"
	"strings"
)

// table is the innermost open table.
func (w *docxWriter) table() *docxTable {
	if len(w.tables) == 0 {
		return nil
	}
	return w.tables[len(w.tables)-1]
}

// open reads the properties of rows and cells from a table's elements.
func (t *docxTable) open(e xml.StartElement, page int) {
	val := attribute(e, "val")
	cell := t.cell()
	switch e.Name.Local {
	case "tr":
		t.row = gridRow{page: page + 1}
	case "tblHeader":
		t.row.head = isOn(val)
	case "tc":
		column := 0
		if cell != nil {
			column = cell.column + cell.width
		}
		t.row.cells = append(t.row.cells, gridCell{column: column, width: 1, strong: true})
		t.lines, t.below = nil, false
	case "gridSpan":
		if n, err := strconv.Atoi(val); err == nil && n > 1 && cell != nil {
			cell.width = min(n, mostSpannedRow)
		}
	case "vMerge":
		t.below = val != "restart"
	}
}

func (t *docxTable) cell() *gridCell {
	if len(t.row.cells) == 0 {
		return nil
	}
	return &t.row.cells[len(t.row.cells)-1]
}

func (t *docxTable) add(l docxLine, strong bool) {
	if cell := t.cell(); cell != nil {
		t.lines = append(t.lines, l)
		cell.strong = cell.strong && strong
	}
}

func (t *docxTable) closeCell() {
	cell := t.cell()
	if cell == nil {
		return
	}
	if n := len(t.grid.rows); t.below && n > 0 {
		if c, ok := t.grid.rows[n-1].carry(cell.column); ok {
			column := cell.column
			*cell = c
			cell.column = column
			return
		}
	}
	words := make([]string, len(t.lines))
	for i, l := range t.lines {
		words[i] = l.text
	}
	cell.text = strings.Join(words, " ")
	t.cells = append(t.cells, t.lines)
	t.lines = nil
}

// writeTable writes a table. A table of a single column, with headings or only long cells, is
// layout: its paragraphs are written as such.
func (w *docxWriter) writeTable(t *docxTable) {
	rows, columns := t.grid.trimmed()
	headings, length, inner := 0, 0, 0
	for _, lines := range t.cells {
		for _, l := range lines {
			length += len(l.text)
			if l.level > 0 {
				headings++
			}
		}
	}
	for _, r := range rows {
		inner += len(r.inner)
	}
	w.endList()
	if inner == 0 && (headings > 0 || columns < 2 || length > mostRowText*max(1, len(rows))) {
		for _, lines := range t.cells {
			for _, l := range lines {
				switch {
				case l.level > 0:
					w.heading(l.level, l.text)
				case l.listed:
					w.item(l.text, l.page)
				default:
					w.block(l.text, l.page)
				}
			}
		}
		w.endList()
		return
	}
	o := &w.w
	n := len(o.blocks)
	t.grid.label = leadIn(o.out.String(), o.blocks, o.like.Group)
	o.like.Page = w.page + 1
	o.grid(&t.grid)
	for i := n; i < len(o.blocks); i++ {
		if i > 0 && o.blocks[i-1].Page != o.blocks[i].Page { // a passage lies on one page
			o.like.Group++
		}
		o.blocks[i].Group = o.like.Group
	}
}

// symbol returns the character at a code of the fonts that draw boxes and ticks.
func symbol(place string) string {
	if n, err := strconv.ParseUint(place, 16, 32); err == nil {
		return map[uint64]string{0x6f: "☐", 0x71: "☐", 0xa8: "☐", 0xfb: "✗", 0xfc: "✓", 0xfd: "☒", 0xfe: "☑", 0xb7: "•", 0xe0: "→"}[n&0xff]
	}
	return ""
}
