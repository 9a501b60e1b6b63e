package shown

import (
	"example.com/assay/nodes/extract"
	"example.com/assay/state/proof"
)

// Content is a document as an extraction read it, with the boxes of its text.
func Content(d extract.FieldDocument) proof.Content {
	c := proof.Content{Text: d.Text, Held: true}
	for _, b := range d.Boxes {
		c.Pieces = append(c.Pieces, proof.Piece{Start: b.Start, End: b.End, Page: d.PageAt(b.Start), Box: proof.Box(b.Box)})
	}
	return c
}
