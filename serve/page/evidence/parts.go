package evidence

import (
	"fmt"
	"html/template"
	"slices"
	"strings"

	"example.com/assay/state"
)

// A part is a run of bytes of a document with a place in a group: a table, the fields of a mail, or
// what is folded.
type part struct {
	start, end int
	group      *layout
	row, cell  int      // of its group, from 1; 0 for none
	head       bool     // it names a column or a row
	hidden     bool     // it separates cells
	empty      []string // cells without bytes before it: what they repeat
}

// A layout is how a group of parts is shown.
type layout struct {
	kind    string   // "table", "mail" or "earlier"
	columns int      // of a table
	names   []string // of columns that no part names
	from    int      // its first byte, and
	body    int      // that of the first row
}

// partsOf returns the parts of a text, in order, from its blocks.
func partsOf(text string, blocks []state.Block) []part {
	var out []part
	at := 0 // the end of what has its parts
	for len(blocks) > 0 {
		b := blocks[0]
		if b.Start < at || b.End > len(text) || b.Start >= b.End {
			blocks = blocks[1:]
			continue
		}
		n := 1
		switch b.Kind {
		case state.BlockRow:
			for n < len(blocks) && blocks[n].Kind == b.Kind && follows(text, blocks[n-1], blocks[n]) && sameHeaders(b, blocks[n]) {
				n++
			}
			out = append(out, tableParts(text, at, blocks[:n])...)
		case state.BlockField:
			for n < len(blocks) && blocks[n].Kind == b.Kind && follows(text, blocks[n-1], blocks[n]) {
				n++
			}
			out = append(out, fieldParts(text, blocks[:n])...)
		default:
			out = append(out, part{start: b.Start, end: b.End, group: &layout{kind: "earlier"}})
		}
		blocks, at = blocks[n:], out[len(out)-1].end
	}
	return out
}

// follows reports whether only space is between two blocks.
func follows(text string, a, b state.Block) bool {
	return b.Start >= a.End && b.End <= len(text) && b.Start < b.End && strings.TrimSpace(text[a.End:b.Start]) == ""
}

func headersOf(b state.Block) (out []string) {
	for _, c := range b.Cells {
		out = append(out, c.Header)
	}
	return out
}

// sameHeaders reports whether the columns of two rows are of one table: those of one are among those
// of the other.
func sameHeaders(a, b state.Block) bool {
	x, y := headersOf(a), headersOf(b)
	if len(x) < len(y) {
		x, y = y, x
	}
	for _, name := range y {
		at := slices.Index(x, name)
		if at < 0 {
			return false
		}
		x = x[at+1:]
	}
	return true
}

// tableParts returns the parts of rows, with the line above that names their columns if the text has
// one after byte after.
func tableParts(text string, after int, rows []state.Block) []part {
	g := &layout{kind: "table", from: rows[0].Start, body: rows[0].Start}
	for _, r := range rows {
		if len(r.Cells) > len(g.names) {
			g.names = headersOf(r)
		}
	}
	names := g.names
	g.columns = max(1, len(names))
	w := partWriter{text: text, group: g}
	if head := namesLine(text[after:rows[0].Start], names); head != nil {
		g.names = nil
		g.from = after + strings.LastIndexByte(text[after:after+head[0][0]], '\n') + 1
		w.at = g.from
		w.row++
		for _, c := range head {
			w.cell(after+c[0], after+c[1], true)
		}
		w.gap(rows[0].Start)
	} else if strings.Join(names, "") == "" {
		g.names = nil
	}
	w.at = rows[0].Start
	for i, r := range rows {
		w.row, w.column = w.row+1, 0
		for _, c := range r.Cells {
			if at := slices.Index(names[min(w.column, len(names)):], c.Header); at > 0 {
				w.empty = append(w.empty, make([]string, at)...)
				w.column += at
			}
			switch {
			case c.Start == c.End:
				w.empty, w.column = append(w.empty, c.Text), w.column+1
			case c.Start >= w.at && c.End <= r.End && c.Start < c.End:
				w.cell(c.Start, c.End, false)
			}
		}
		end := r.End
		if i+1 < len(rows) {
			end = rows[i+1].Start
		}
		w.gap(end)
	}
	return w.parts
}

// namesLine finds the line of names that ends a text: the places of the names, in it. Below it may be
// a line of dashes.
func namesLine(text string, names []string) (out [][2]int) {
	text = strings.TrimRight(text, "-|: \t\n")
	at := strings.LastIndexByte(text, '\n') + 1
	first := at
	for _, name := range names {
		found := strings.Index(text[at:], name)
		if name == "" || found < 0 {
			return nil
		}
		out = append(out, [2]int{at + found, at + found + len(name)})
		at += found + len(name)
	}
	if at+2 < len(text) || len(out) == 0 || strings.Trim(text[first:out[0][0]], "| \t") != "" { // it says more
		return nil
	}
	return out
}

// fieldParts returns the parts of the fields of a mail.
func fieldParts(text string, fields []state.Block) []part {
	g := &layout{kind: "mail", columns: 2, from: fields[0].Start, body: fields[0].Start}
	w := partWriter{text: text, group: g, at: g.from}
	for i, f := range fields {
		w.row, w.column = w.row+1, 0
		value := f.End
		if len(f.Cells) > 0 && f.Cells[0].Start > f.Start && f.Cells[0].Start < f.End {
			value = f.Cells[0].Start
		}
		w.cell(f.Start, value, true)
		if value < f.End {
			w.cell(value, f.End, false)
		}
		end := f.End
		if i+1 < len(fields) {
			end = fields[i+1].Start
		}
		w.gap(end)
	}
	return w.parts
}

// A partWriter writes the parts of a group from byte at on.
type partWriter struct {
	text   string
	group  *layout
	parts  []part
	at     int
	row    int
	column int // the next one
	empty  []string
}

// cell adds a cell, with what is before it.
func (w *partWriter) cell(start, end int, head bool) {
	w.column++
	if w.at < start {
		w.parts = append(w.parts, part{start: w.at, end: start, group: w.group, row: w.row, cell: w.column, head: head, hidden: true, empty: w.empty})
		w.empty = nil
	}
	w.parts = append(w.parts, part{start: start, end: end, group: w.group, row: w.row, cell: w.column, head: head, empty: w.empty})
	w.at, w.empty = end, nil
}

// gap adds what is before a byte to the last cell.
func (w *partWriter) gap(end int) {
	if w.at >= end {
		return
	}
	p := part{start: w.at, end: end, group: w.group, row: w.row, cell: max(1, w.column), hidden: true, empty: w.empty}
	if n := len(w.parts); n > 0 && w.parts[n-1].row == w.row {
		p.cell, p.head = w.parts[n-1].cell, w.parts[n-1].head
	}
	w.parts = append(w.parts, p)
	w.at, w.empty = end, nil
}

// tags opens and closes the elements of parts.
type tags struct {
	out  *text
	in   part // the part that is open
	open []template.HTML
}

func (t *tags) tag(name, rest string) {
	*t.out = append(*t.out, token{Tag: template.HTML("<" + name + rest + ">")})
	t.open = append(t.open, template.HTML("</"+name+">"))
}

func (t *tags) close(depth int) {
	for len(t.open) > depth {
		*t.out = append(*t.out, token{Tag: t.open[len(t.open)-1]})
		t.open = t.open[:len(t.open)-1]
	}
}

// to goes on with another part; the zero part is in no group.
func (t *tags) to(p part, opened bool) {
	t.show()
	in := t.in
	t.in = p
	if p.group == nil || in.group != p.group {
		t.close(0)
	}
	if p.group == nil {
		return
	}
	if len(t.open) == 0 {
		switch p.group.kind {
		case "earlier":
			rest := ""
			if opened {
				rest = " open"
			}
			t.tag("details", ` class="earlier"`+rest)
			*t.out = append(*t.out, token{Tag: `<summary data-label="Earlier mail" aria-label="Earlier mail"></summary>`})
			return
		default:
			t.tag("table", ` class="cells `+p.group.kind+`"`)
			if p.group.names != nil {
				*t.out = append(*t.out, token{Tag: "<tr>"})
				for _, name := range p.group.names {
					*t.out = append(*t.out, token{Tag: template.HTML(`<th scope="col"` + label(name) + `></th>`)})
				}
				*t.out = append(*t.out, token{Tag: "</tr>"})
			}
		}
	}
	if in.group != p.group || in.row != p.row {
		t.close(1)
		t.tag("tr", "")
	}
	if in.group != p.group || in.row != p.row || in.cell != p.cell {
		t.close(2)
		for _, again := range p.empty {
			*t.out = append(*t.out, token{Tag: template.HTML("<td" + label(again) + "></td>")})
		}
		switch {
		case p.head && p.group.kind == "mail":
			t.tag("th", ` scope="row"`)
		case p.head:
			t.tag("th", ` scope="col"`)
		default:
			t.tag("td", ` dir="auto"`)
		}
	}
	if p.hidden {
		t.tag("span", ` class="sep"`)
	}
}

// show ends what is hidden.
func (t *tags) show() {
	if t.in.hidden {
		t.close(len(t.open) - 1)
		t.in.hidden = false
	}
}

// left says within a table that rows are left out.
func (t *tags) left(n int) {
	t.close(1)
	t.in = part{group: t.in.group}
	*t.out = append(*t.out, token{Tag: template.HTML(fmt.Sprintf(`<tr><td colspan="%d">`, t.in.group.columns))}, token{Left: n}, token{Tag: "</td></tr>"})
}

// label is the attributes of a cell that has words without bytes of the document.
func label(words string) string {
	if words == "" {
		return ""
	}
	words = template.HTMLEscapeString(words)
	return ` data-label="` + words + `" aria-label="` + words + `"`
}
