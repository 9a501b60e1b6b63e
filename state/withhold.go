package state

import (
	"maps"
	"slices"
	"strings"
)

// Withheld stands in a passage's text where something that speaks to an assistant was taken out.
const Withheld = "[[withheld]]"

// Withhold returns a passage without what speaks to an assistant: the spans of its Orders are
// taken out of the text, which keeps its length and its offsets, and what is found in its titles,
// labels and metadata is replaced. It notes all in the Orders. Nobody who reads the passage can
// quote what is withheld; a quote that would reach over it is another text than the file has.
func (p Passage) Withhold(inspect func(text string) []Order) Passage {
	p.Orders = append(slices.Clip(p.Orders), inspect(p.Text)...)
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
	whole := p.Text
	for _, o := range p.Orders {
		if o.Start < o.End {
			p.Text = p.Text[:o.Start] + blank(o.End-o.Start) + p.Text[o.End:]
		}
	}
	p.Title, p.Section = bare(p.Title), bare(p.Section)
	if slices.ContainsFunc(p.Blocks, func(b Block) bool { return b.Label+b.Under != "" || len(b.Cells) > 0 }) {
		p.Blocks = slices.Clone(p.Blocks)
		for i := range p.Blocks {
			b := &p.Blocks[i]
			b.Label, b.Under, b.Cells = bare(b.Label), bare(b.Under), slices.Clone(b.Cells)
			for j := range b.Cells {
				c := &b.Cells[j]
				c.Header, c.Text = bare(c.Header), bare(c.Text)
				// A cell whose own bytes speak, though the row does not.
				if of := whole[c.Start:c.End]; len(of) >= len(Withheld) && p.Text[c.Start:c.End] == of {
					found := inspect(of)
					if len(found) == 0 {
						continue
					}
					p.Orders = append(p.Orders, Order{Kind: found[0].Kind, Start: c.Start, End: c.End})
					p.Text = p.Text[:c.Start] + blank(c.End-c.Start) + p.Text[c.End:]
				}
			}
		}
	}
	for key, value := range p.Metadata {
		if bare(value) == Withheld {
			p.Metadata = maps.Clone(p.Metadata)
			p.Metadata[key] = Withheld
		}
	}
	return p
}

// blank is what stands for n bytes that are withheld.
func blank(n int) string {
	if n < len(Withheld)+2 {
		return strings.Repeat(" ", n)
	}
	return "\n" + Withheld + strings.Repeat(" ", n-len(Withheld)-2) + "\n"
}

// Of reports whether a passage is of a text: all its bytes are there, except those that are
// withheld.
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
