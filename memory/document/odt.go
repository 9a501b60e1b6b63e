package document

import (
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"strconv"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// parseODT extracts the text of an OpenDocument text as that of a page. Deleted
// text, comments and tables of contents are left out; notes, "[1]", stand at the end.
func parseODT(ctx context.Context, d *Document, raw []byte, o LoadOptions) error {
	pack, err := openZip(d.Path, raw, o.MaxFileBytes)
	if err != nil {
		return err
	}
	if pack.files["content.xml"] == nil {
		return pack.missing("content.xml")
	}
	out := newOffice(ctx)
	r := odtReader{}
	err = pack.read(ctx, "content.xml", func(part io.Reader) error {
		return xmlPieces(part, r.rule, func(n *html.Node) {
			if r.body == n {
				r.notes, r.body = append(r.notes, n), nil
				return
			}
			out.write(n)
		})
	})
	if err != nil {
		return err
	}
	for _, n := range r.notes {
		out.write(n)
	}
	out.finish(d)
	d.Title, d.Metadata, err = pack.properties(ctx, "meta.xml")
	return err
}

// An odtReader turns elements of OpenDocument into those of a page.
type odtReader struct {
	count int        // notes so far
	body  *html.Node // of the open note
	notes []*html.Node
}

func (r *odtReader) rule(e xml.StartElement, in *html.Node) (*html.Node, use) {
	switch e.Name.Local {
	case "tracked-changes", "annotation", "annotation-end", "note-citation", "table-of-content", "alphabetical-index", "table-index",
		"illustration-index", "object-index", "sequence-decls", "forms", "scripts", "font-face-decls", "automatic-styles", "styles",
		"master-styles", "title", "desc", "script", "ruby-text":
		return nil, asNothing
	case "h":
		level, err := strconv.Atoi(attribute(e, "outline-level"))
		if err != nil {
			level = 1
		}
		return element([]atom.Atom{atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6}[min(max(level, 1), 6)-1]), asElement
	case "p":
		if r.body != nil {
			in.AppendChild(words(" "))
			return nil, asContent
		}
		return element(atom.P), asElement
	case "list":
		return element(atom.Ul), asElement
	case "list-item", "list-header":
		return element(atom.Li), asElement
	case "table":
		return element(atom.Table), asElement
	case "table-header-rows":
		return element(atom.Thead), asElement
	case "table-row":
		return element(atom.Tr), asElement
	case "table-cell":
		cell := element(atom.Td)
		if in != nil && in.Parent != nil && in.Parent.DataAtom == atom.Thead {
			cell = element(atom.Th)
		}
		for _, name := range []string{"number-columns-repeated", "number-columns-spanned"} {
			if v := attribute(e, name); v != "" {
				cell.Attr = append(cell.Attr, html.Attribute{Key: "colspan", Val: v})
				break
			}
		}
		if v := attribute(e, "number-rows-spanned"); v != "" {
			cell.Attr = append(cell.Attr, html.Attribute{Key: "rowspan", Val: v})
		}
		return cell, asElement
	case "covered-table-cell":
		return nil, asNothing
	}
	if in == nil { // what follows stands in a paragraph
		return nil, asContent
	}
	switch e.Name.Local {
	case "s", "tab":
		return words(" "), asElement
	case "line-break":
		return element(atom.Br), asElement
	case "note":
		r.count++
		in.AppendChild(words(fmt.Sprintf("[%d]", r.count)))
	case "note-body":
		r.body = element(atom.P)
		r.body.AppendChild(words(fmt.Sprintf("[%d] ", r.count)))
		return r.body, asPiece
	}
	return nil, asContent
}
