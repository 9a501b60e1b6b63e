package extract

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// A Document is the text to extract from, and its origin.
type Document struct {
	FieldDocument
	Path string // the file
	ID   string // of its record; empty when the file is one document
}

// A Line is a piece of text with its rectangle, read from an image.
type Line struct {
	Text string
	Box  Box
}

// openRows is how many of the last rows may get a piece of text.
const openRows = 4

// Layout makes a document from pieces of text on one page. Pieces at the same height form a row,
// from left to right, with spaces between them; rows become lines from the top down. Pieces without
// text are left out.
func Layout(source string, lines []Line) FieldDocument {
	type row struct {
		pieces []Line
		y      float64 // centre of its first piece
		height float64
	}
	var pieces []Line
	for _, l := range lines {
		l.Text = strings.Join(strings.Fields(l.Text), " ")
		if l.Box.X2 < l.Box.X1 {
			l.Box.X1, l.Box.X2 = l.Box.X2, l.Box.X1
		}
		if l.Box.Y2 < l.Box.Y1 {
			l.Box.Y1, l.Box.Y2 = l.Box.Y2, l.Box.Y1
		}
		if l.Text != "" {
			pieces = append(pieces, l)
		}
	}
	centre := func(b Box) float64 { return (float64(b.Y1) + float64(b.Y2)) / 2 }
	slices.SortStableFunc(pieces, func(a, b Line) int {
		return cmp.Or(cmp.Compare(centre(a.Box), centre(b.Box)), cmp.Compare(a.Box.X1, b.Box.X1))
	})
	var rows []*row
	for _, piece := range pieces {
		y, height := centre(piece.Box), math.Max(float64(piece.Box.Y2)-float64(piece.Box.Y1), 1)
		var home *row
		for i := len(rows) - 1; i >= max(0, len(rows)-openRows); i-- {
			r := rows[i]
			if math.Abs(y-r.y) < .5*math.Min(height, r.height) && !slices.ContainsFunc(r.pieces, func(o Line) bool {
				shared := math.Min(float64(o.Box.X2), float64(piece.Box.X2)) - math.Max(float64(o.Box.X1), float64(piece.Box.X1))
				return shared > .3*height
			}) {
				home = r
				break
			}
		}
		if home == nil {
			home = &row{y: y, height: height}
			rows = append(rows, home)
		}
		home.pieces = append(home.pieces, piece)
	}
	doc := FieldDocument{Source: source}
	var text strings.Builder
	for n, r := range rows {
		slices.SortStableFunc(r.pieces, func(a, b Line) int { return cmp.Compare(a.Box.X1, b.Box.X1) })
		for i, piece := range r.pieces {
			if i > 0 {
				text.WriteByte(' ')
			}
			start := text.Len()
			text.WriteString(piece.Text)
			doc.Boxes = append(doc.Boxes, BoxedText{Row: n + 1, Start: start, End: text.Len(), Box: piece.Box})
		}
		text.WriteByte('\n')
	}
	doc.Text = text.String()
	return doc
}

// Rectangle returns the box around corners: x1, y1, x2, y2, or four corners. It returns false for
// another number of corners, or for numbers outside any page.
func Rectangle(corners []float64) (Box, bool) {
	if len(corners) != 4 && len(corners) != 8 {
		return Box{}, false
	}
	b := Box{X1: math.MaxInt32, Y1: math.MaxInt32, X2: math.MinInt32, Y2: math.MinInt32}
	for i := 0; i < len(corners); i += 2 {
		x, y := corners[i], corners[i+1]
		if math.Abs(x) > 1e6 || math.Abs(y) > 1e6 {
			return Box{}, false
		}
		b.X1, b.X2 = min(b.X1, int(math.Round(x))), max(b.X2, int(math.Round(x)))
		b.Y1, b.Y2 = min(b.Y1, int(math.Round(y))), max(b.Y2, int(math.Round(y)))
	}
	return b, true
}
