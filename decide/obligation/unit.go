package obligation

import (
	"cmp"
	"slices"
	"strings"

	"example.com/assay/memory/text"
	"example.com/assay/state"
)

// A Unit is a possible rule: a sentence of a block, or a row.
type Unit struct {
	text.Span
	Label  string // label of its block: a lead-in, a question, a term, the headings inside the passage
	Before string // the text before it in the block
	Item   bool   // its block belongs to a list: an item, a step, a clause
}

// mostBefore bounds Unit.Before, in bytes.
const mostBefore = 400

// Units returns the parts of a passage that may be rules, in order, without headings and code. Text
// between the blocks is read by paragraph.
func Units(whole string, blocks []state.Block) []Unit {
	var out []Unit
	at := 0
	for _, b := range blocks {
		if b.Start < at || b.End > len(whole) || b.End < b.Start {
			continue
		}
		out = append(out, paragraphs(whole, at, b.Start)...)
		at = b.End
		label := strings.TrimSpace(b.Under + "\n" + b.Label)
		switch b.Kind {
		case state.BlockHeading, state.BlockCode:
		case state.BlockAnswer:
			if Words(whole[b.Start:b.End]) > MostWords {
				out = append(out, sentences(whole, b.Start, b.End, label)...)
			} else {
				out = append(out, Unit{Span: text.Span{Start: b.Start, End: b.End}, Label: label})
			}
		case state.BlockRow:
			for _, c := range b.Cells {
				label += "\n" + c.Header
				if c.Start == c.End {
					label += " " + c.Text
				}
			}
			out = append(out, Unit{Span: text.Span{Start: b.Start, End: b.End}, Label: strings.TrimSpace(label)})
		default:
			from := len(out)
			out = append(out, sentences(whole, b.Start, b.End, label)...)
			for i := range out[from:] {
				out[from+i].Item = b.Kind == state.BlockItem || b.Kind == state.BlockStep || b.Kind == state.BlockClause
			}
		}
	}
	return append(out, paragraphs(whole, at, len(whole))...)
}

func paragraphs(whole string, from, to int) []Unit {
	var out []Unit
	for from < to {
		end := to
		if n := strings.Index(whole[from:to], "\n\n"); n >= 0 {
			end = from + n + 2
		}
		out = append(out, sentences(whole, from, end, "")...)
		from = end
	}
	return out
}

func sentences(whole string, from, to int, label string) []Unit {
	var out []Unit
	for _, s := range text.Sentences(whole[from:to]) {
		u := Unit{Span: text.Span{Start: from + s.Start, End: from + s.End}, Label: label}
		u.Before = strings.ToValidUTF8(whole[max(from, u.Start-mostBefore):u.Start], "")
		out = append(out, u)
	}
	return out
}

// UnitAt returns the unit that contains a place of a passage; its Span is empty if there is none.
func UnitAt(units []Unit, at int) Unit {
	if i, _ := slices.BinarySearchFunc(units, at, func(u Unit, at int) int { return cmp.Compare(u.End, at+1) }); i < len(units) && units[i].Start <= at {
		return units[i]
	}
	return Unit{}
}
