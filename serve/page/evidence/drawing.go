package evidence

import (
	"cmp"
	"slices"

	"example.com/assay/state/proof"
)

// A drawing is a page of a document, drawn from its text boxes.
type drawing struct {
	Page          int // from 1; 0 in a document of one page
	ID            string
	Width, Height int
	Shapes        []*shape
}

// A shape is a piece of text in its box.
type shape struct {
	ID         string // id of a box that a quote links to
	X, Y, W, H int
	Base, Size int // of its letters
	Text       string
	Backs      []back

	start, end int // bytes of the document
}

const margin = 20 // around the boxes of a page, in their units

// drawings returns the pages of a document with a layout.
func (s *sheet) drawings(id string) {
	for _, p := range s.content.Pieces {
		if p.Start < 0 || p.End > len(s.content.Text) || p.Start >= p.End {
			continue
		}
		at := slices.IndexFunc(s.Pages, func(d *drawing) bool { return d.Page == p.Page })
		if at < 0 {
			at = len(s.Pages)
			s.Pages = append(s.Pages, &drawing{Page: p.Page, ID: id})
		}
		d := s.Pages[at]
		high := max(p.Box.Y2-p.Box.Y1, 1)
		d.Shapes = append(d.Shapes, &shape{
			X: p.Box.X1, Y: p.Box.Y1, W: max(p.Box.X2-p.Box.X1, 1), H: high, Base: p.Box.Y2 - high/5, Size: max(high*4/5, 1),
			Text: s.content.Text[p.Start:p.End], start: p.Start, end: p.End,
		})
		d.Width, d.Height = max(d.Width, p.Box.X2+margin), max(d.Height, p.Box.Y2+margin)
	}
	slices.SortStableFunc(s.Pages, func(a, b *drawing) int { return cmp.Compare(a.Page, b.Page) })
}

// draw marks the boxes of a quote in the document, and returns the id of the first; "" without any.
func (s *sheet) draw(q proof.Quote, id string, b back) string {
	first := ""
	if !s.known || !holds(s.content.Text, q.Start, q.Text) {
		return first
	}
	for _, d := range s.Pages {
		for _, x := range d.Shapes {
			if x.start >= q.End || q.Start >= x.end {
				continue
			}
			if x.Backs = append(x.Backs, b); first == "" {
				x.ID = cmp.Or(x.ID, id)
				first = x.ID
			}
		}
	}
	return first
}
