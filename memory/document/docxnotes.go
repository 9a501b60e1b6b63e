package document

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"example.com/assay/memory/text"
)

// notes reads the notes of one kind.
func (w *docxWriter) notes(kind string, part io.Reader) error {
	var id string
	var note strings.Builder
	in := false
	return shown(part, func(t xml.Token) {
		switch e := t.(type) {
		case xml.StartElement:
			switch e.Name.Local {
			case kind:
				id = attribute(e, "id")
				note.Reset()
			case "t":
				in = true
			case "p", "tab", "br":
				note.WriteByte(' ')
			}
		case xml.EndElement:
			switch e.Name.Local {
			case "t":
				in = false
			case kind:
				said := text.OneLine(wellFormed(note.String()))
				for _, i := range w.noteAt[docxRef{kind, id}] {
					w.noted[i].text = said
				}
			}
		case xml.CharData:
			if in {
				note.Write(e)
			}
		}
	})
}

// writeNotes appends the notes to the text, each with the section and page of the place that refers
// to it.
func (w *docxWriter) writeNotes() {
	for i, n := range w.noted {
		if n.text != "" {
			w.w.like.Section = n.section
			w.w.like.Group++
			w.block(fmt.Sprintf("[%d] %s", i+1, n.text), n.page)
		}
	}
}
