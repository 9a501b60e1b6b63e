package document

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"example.com/assay/memory/text"
)

func (w *docxWriter) notes(kind string, part io.Reader) error {
	var id string
	var note strings.Builder
	in, skip := false, 0
	return tokens(part, func(t xml.Token) error {
		switch e := t.(type) {
		case xml.StartElement:
			switch name := e.Name.Local; {
			case skip > 0 || leftOut[name]:
				skip++
			case name == kind:
				id = attribute(e, "id")
				note.Reset()
			case name == "t":
				in = true
			case name == "p" || name == "tab" || name == "br":
				note.WriteByte(' ')
			}
		case xml.EndElement:
			switch {
			case skip > 0:
				skip--
			case e.Name.Local == "t":
				in = false
			case e.Name.Local == kind:
				said := text.OneLine(wellFormed(note.String()))
				for _, i := range w.noteAt[docxRef{kind, id}] {
					w.noted[i].text = said
				}
			}
		case xml.CharData:
			if in && skip == 0 {
				note.Write(e)
			}
		}
		return nil
	})
}

// writeNotes puts the notes behind the text, each with the section and page
// of the place that refers to it.
func (w *docxWriter) writeNotes() {
	for i, n := range w.noted {
		if n.text == "" {
			continue
		}
		w.gap()
		start := w.out.Len()
		fmt.Fprintf(&w.out, "[%d] %s", i+1, n.text)
		w.group++
		w.blocks = append(w.blocks, Block{Start: start, End: w.out.Len(), Group: w.group, Section: n.section, Page: n.page + 1})
	}
}
