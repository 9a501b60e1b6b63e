package document

import (
	"cmp"
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// parseODT extracts the text of an OpenDocument text by converting it to a page. Deleted text,
// comments and tables of contents are left out; notes, "[1]", are at the end.
func parseODT(ctx context.Context, d *Document, raw []byte, o LoadOptions) error {
	pack, err := openZip(d.Path, raw, o.MaxFileBytes, "content.xml")
	if err != nil {
		return err
	}
	out := newOffice(ctx)
	out.w.office = true
	r := odtReader{styles: map[string]odtStyle{}, lists: map[string][numberLevels]string{}}
	if err := pack.elements(ctx, "styles.xml", r.style); err != nil {
		return err
	}
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

// An odtReader converts OpenDocument elements to HTML elements.
type odtReader struct {
	styles map[string]odtStyle
	lists  map[string][numberLevels]string // by style and level: how items are numbered
	named  string                          // the style that is being read
	open   []string                        // styles of the open lists, which inner ones without have too

	count int        // notes so far
	body  *html.Node // of the open note
	notes []*html.Node
}

// An odtStyle has the properties of a character style that affect the text.
type odtStyle struct {
	script script
	hidden bool
	bold   bool
}

func (r *odtReader) style(e xml.StartElement) {
	switch e.Name.Local {
	case "style", "list-style":
		r.named = attribute(e, "name")
	case "text-properties":
		s := odtStyle{hidden: attribute(e, "display") == "none", bold: attribute(e, "font-weight") == "bold"}
		if at, _, _ := strings.Cut(attribute(e, "text-position"), " "); at == "sub" || strings.HasPrefix(at, "-") {
			s.script = below
		} else if at != "" && at != "0%" {
			s.script = above
		}
		if s != (odtStyle{}) {
			r.styles[r.named] = s
		}
	case "list-level-style-number":
		levels := r.lists[r.named]
		if level, ok := numberBelow(attribute(e, "level"), numberLevels+1); ok && level > 0 {
			levels[level-1] = attribute(e, "num-format")
			r.lists[r.named] = levels
		}
	}
}

// list makes a list, numbered as its style says.
func (r *odtReader) list(e xml.StartElement, in *html.Node) *html.Node {
	depth := 0
	for n := in; n != nil; n = n.Parent {
		if n.DataAtom == atom.Ul || n.DataAtom == atom.Ol {
			depth++
		}
	}
	r.open = r.open[:min(depth, len(r.open))]
	name := attribute(e, "style-name")
	if name == "" && len(r.open) > 0 {
		name = r.open[len(r.open)-1]
	}
	for r.open = append(r.open, name); len(r.open) <= depth; {
		r.open = append(r.open, name)
	}
	format := r.lists[name][min(depth, numberLevels-1)]
	if format == "" {
		return element(atom.Ul)
	}
	n := element(atom.Ol)
	n.Attr = []html.Attribute{{Key: "type", Val: format}}
	return n
}

func (r *odtReader) rule(e xml.StartElement, in *html.Node) (*html.Node, use) {
	if in == nil {
		r.style(e)
	}
	switch e.Name.Local {
	case "tracked-changes", "annotation", "annotation-end", "note-citation", "table-of-content", "alphabetical-index", "table-index",
		"illustration-index", "object-index", "sequence-decls", "forms", "scripts", "font-face-decls",
		"master-styles", "title", "desc", "script", "ruby-text":
		return nil, asNothing
	case "h":
		level, err := strconv.Atoi(attribute(e, "outline-level"))
		if err != nil {
			level = 1
		}
		return headingElement(level), asElement
	case "p":
		if r.body != nil {
			in.AppendChild(words(" "))
			return nil, asContent
		}
		if r.styles[attribute(e, "style-name")].hidden {
			return nil, asNothing
		}
		return element(atom.P), asElement
	case "list":
		return r.list(e, in), asElement
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
		cell.Attr = spansIn(cmp.Or(attribute(e, "number-columns-repeated"), attribute(e, "number-columns-spanned")), attribute(e, "number-rows-spanned"))
		return cell, asElement
	case "covered-table-cell":
		return nil, asNothing
	}
	if in == nil { // the following text is in a paragraph
		return nil, asContent
	}
	switch e.Name.Local {
	case "s", "tab":
		return words(" "), asElement
	case "span":
		switch s := r.styles[attribute(e, "style-name")]; {
		case s.hidden:
			return nil, asNothing
		case s.script == above:
			return element(atom.Sup), asElement
		case s.script == below:
			return element(atom.Sub), asElement
		case s.bold:
			return element(atom.B), asElement
		}
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
