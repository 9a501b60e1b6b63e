package evidence

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"example.com/assay/serve/page/look"
	"example.com/assay/state/proof"
)

// A drawing is a page of a document with the boxes of its text: drawn from them, or laid over the
// page as it looks.
type drawing struct {
	Page          int // from 1; 0 in a document of one page
	ID            string
	Paper         string // address of the file whose page lies behind; empty for none
	Width, Height int
	Shapes        []*shape
}

// A shape is a piece of text in its box.
type shape struct {
	ID         string // id of a box that a quote links to
	For        string // ids of the marks in the text that it shows
	X, Y, W, H int
	Base, Size int // of its letters
	Text       string
	Backs      []back

	start, end int // bytes of the document
}

const margin = 20 // around the boxes of a page, in their units

// drawings returns the pages of a document with a layout.
func (s *sheet) drawings() {
	for _, p := range s.content.Pieces {
		at := slices.IndexFunc(s.Pages, func(d *drawing) bool { return d.Page == p.Page })
		if at < 0 {
			at = len(s.Pages)
			s.Pages = append(s.Pages, &drawing{Page: p.Page, ID: s.ID})
		}
		if d := s.Pages[at]; s.box(d, p) {
			d.Width, d.Height = max(d.Width, p.Box.X2+margin), max(d.Height, p.Box.Y2+margin)
		}
	}
	s.Pages = slices.DeleteFunc(s.Pages, func(d *drawing) bool { return len(d.Shapes) == 0 })
	slices.SortStableFunc(s.Pages, func(a, b *drawing) int { return cmp.Compare(a.Page, b.Page) })
}

// box adds a piece to a page, if it is one of the text.
func (s *sheet) box(d *drawing, p proof.Piece) bool {
	if p.Start < 0 || p.End > len(s.content.Text) || p.Start >= p.End {
		return false
	}
	high := max(p.Box.Y2-p.Box.Y1, 1)
	d.Shapes = append(d.Shapes, &shape{
		X: p.Box.X1, Y: p.Box.Y1, W: max(p.Box.X2-p.Box.X1, 1), H: high, Base: p.Box.Y2 - high/5, Size: max(high*4/5, 1),
		Text: s.content.Text[p.Start:p.End], start: p.Start, end: p.End,
	})
	return true
}

// paper finds the pages of a document's file that hold its marks. Marks that overlap are divided, so
// that each box is wholly of a mark or not.
func (s *sheet) paper(ctx context.Context) {
	if s.content.Paper == nil {
		return
	}
	var cuts []int
	quotes := slices.DeleteFunc(s.marker.sorted(), func(m *span) bool { return !m.Quote })
	for _, m := range quotes {
		cuts = append(cuts, m.start, m.end)
	}
	slices.Sort(cuts)
	var spans []proof.Span
	for i := 1; i < len(cuts); i++ {
		if cuts[i-1] < cuts[i] && slices.ContainsFunc(quotes, func(m *span) bool { return m.start < cuts[i] && cuts[i-1] < m.end }) {
			spans = append(spans, proof.Span{Start: cuts[i-1], End: cuts[i]})
		}
	}
	if spans == nil {
		return
	}
	pages, err := s.content.Paper.Place(ctx, spans)
	if err != nil {
		s.Unseen = "The page cannot be shown as it looks: " + err.Error() + "."
		return
	}
	for _, p := range pages {
		d := &drawing{Page: p.Number, ID: s.ID, Paper: s.content.Paper.Address, Width: max(p.Width, 1), Height: max(p.Height, 1)}
		for _, piece := range p.Pieces {
			s.box(d, piece)
		}
		s.Pages = append(s.Pages, d)
	}
	unseen := 0
	for _, m := range quotes {
		seen := false
		for _, d := range s.Pages {
			for _, x := range d.Shapes {
				if x.start < m.end && m.start < x.end {
					x.For, x.Backs, seen = strings.TrimSpace(x.For+" "+m.ID), append(x.Backs, m.Backs...), true
				}
			}
		}
		if !seen {
			unseen++
		}
	}
	if unseen > 0 && len(pages) > 0 {
		s.Unseen = "On the pages as they look, " + look.Count(unseen, "mark") + " could not be found letter by letter. The text has all of them."
	}
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
