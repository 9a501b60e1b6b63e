package state

import (
	"maps"
	"slices"
	"strings"
)

// Withheld replaces a prompt injection in a passage's text.
const Withheld = "[[withheld]]"

// Withhold returns a passage without prompt injections: the spans of its Orders are blanked in the
// text, which keeps its length and its offsets, and those found in its titles, labels and metadata
// are replaced. All are recorded in Orders. Withheld text cannot be quoted; a quote across it would
// differ from the file. In a row only the affected cells are withheld, and the others become
// separate rows.
func (p Passage) Withhold(inspect func(text string) []Order) Passage {
	cells := p.speakingCells(inspect)
	p.Orders = append(slices.Clip(p.Orders), cells...)
	for _, o := range inspect(p.Text) {
		if !p.inRow(o, cells) {
			p.Orders = append(p.Orders, o)
		}
	}
	bare := func(s string) string {
		if s == "" {
			return s
		}
		found := inspect(s)
		if len(found) == 0 {
			return s
		}
		p.Orders = append(p.Orders, Order{Kind: found[0].Kind})
		return Withheld
	}
	for _, o := range p.Orders {
		if o.Start < o.End {
			p.Text = p.Text[:o.Start] + blank(o.End-o.Start) + p.Text[o.End:]
		}
	}
	p.Title, p.Section = bare(p.Title), bare(p.Section)
	var blocks []Block
	for _, b := range p.Blocks {
		b.Label, b.Under, b.Cells = bare(b.Label), bare(b.Under), slices.Clone(b.Cells)
		for j := range b.Cells {
			b.Cells[j].Header, b.Cells[j].Text = bare(b.Cells[j].Header), bare(b.Cells[j].Text)
		}
		blocks = append(blocks, p.around(b)...)
	}
	p.Blocks = blocks
	for key, value := range p.Metadata {
		if bare(value) == Withheld {
			p.Metadata = maps.Clone(p.Metadata)
			p.Metadata[key] = Withheld
		}
	}
	return p
}

// speakingCells returns the cells with a prompt injection, alone or after the name of their column.
func (p Passage) speakingCells(inspect func(text string) []Order) (out []Order) {
	for _, b := range p.Blocks {
		for _, c := range b.Cells {
			said := p.Text[c.Start:c.End]
			if said == "" {
				continue
			}
			found := inspect(said)
			if len(found) == 0 && c.Header != "" {
				found = inspect(c.Header + ": " + said)
			}
			if len(found) > 0 {
				out = append(out, Order{Kind: found[0].Kind, Start: c.Start, End: c.End})
			}
		}
	}
	return out
}

// inRow reports whether a prompt injection lies within one block and overlaps one of the cells.
func (p Passage) inRow(o Order, cells []Order) bool {
	return slices.ContainsFunc(p.Blocks, func(b Block) bool {
		return b.Start <= o.Start && o.End <= b.End && slices.ContainsFunc(cells, func(c Order) bool { return o.Start < c.End && c.Start < o.End })
	})
}

// around returns the parts of a block around the withheld cells.
func (p Passage) around(b Block) []Block {
	held := func(c Cell) bool {
		return slices.ContainsFunc(p.Orders, func(o Order) bool { return c.Start < o.End && o.Start < c.End })
	}
	if !slices.ContainsFunc(b.Cells, held) {
		return []Block{b}
	}
	var out []Block
	part := b
	part.Cells = nil
	end := func() {
		if n := len(part.Cells); n > 0 && part.Start < part.End {
			out = append(out, part)
		}
	}
	for i, c := range b.Cells {
		switch {
		case held(c):
			end()
			part.Cells, part.Start = nil, c.End
		case part.Cells == nil && i > 0 && c.Start < c.End:
			part.Start = c.Start
			fallthrough
		default:
			part.Cells = append(slices.Clip(part.Cells), c)
			if part.End = max(part.Start, c.End); i == len(b.Cells)-1 {
				part.End = b.End
			}
		}
	}
	end()
	return out
}

// blank returns the replacement of n withheld bytes.
func blank(n int) string {
	if n < len(Withheld)+2 {
		return strings.Repeat(" ", n)
	}
	return "\n" + Withheld + strings.Repeat(" ", n-len(Withheld)-2) + "\n"
}

// Of reports whether a passage comes from a text: all its bytes are equal, except withheld ones.
func (p Passage) Of(text string) bool {
	if len(text) != len(p.Text) {
		return false
	}
	at := 0
	for _, o := range slices.SortedFunc(slices.Values(p.Orders), func(a, b Order) int { return a.Start - b.Start }) {
		if o.Start >= o.End || o.End > len(text) || o.End <= at {
			continue
		}
		if start := max(o.Start, at); text[at:start] != p.Text[at:start] {
			return false
		}
		at = o.End
	}
	return text[at:] == p.Text[at:]
}
