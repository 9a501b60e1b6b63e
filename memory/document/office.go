package document

import (
	"context"
	"encoding/xml"
	"io"
	"path"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/assay/memory/text"
	"example.com/assay/state"
)

// An officeWriter writes documents that are not pages the way pages are written:
// each piece of them becomes a tree of elements of HTML.
type officeWriter struct {
	ctx context.Context
	w   htmlWriter
}

func newOffice(ctx context.Context) officeWriter {
	return officeWriter{ctx: ctx, w: htmlWriter{page: newPage(ctx)}}
}

func (o *officeWriter) write(n *html.Node) {
	o.w.page = newPage(o.ctx)
	o.w.page.leaveOut(n)
	o.w.walk(n)
}

// heading adds a heading of a level, possibly empty; it ends the previous section.
func (o *officeWriter) heading(level int, title string) {
	o.w.page = newPage(o.ctx)
	n := headingElement(level)
	n.AppendChild(words(title))
	o.w.heading(n)
}

// field adds a line of a name and its value to the open block.
func (o *officeWriter) field(name, value string) {
	w := &o.w
	start := w.out.Len()
	w.out.WriteString(name + ": " + value)
	end := w.out.Len()
	w.out.WriteByte('\n')
	w.parts = append(w.parts, Block{Kind: state.BlockField, Start: start, End: end, Label: name,
		Cells: []state.Cell{{Header: name, Start: end - len(value), End: end}}})
}

// row adds a line of several names and their values.
func (o *officeWriter) row(label string, names, values []string) {
	w := &o.w
	b := Block{Kind: state.BlockRow, Start: w.out.Len(), Label: label}
	for i, name := range names {
		if i > 0 {
			w.out.WriteString("; ")
		}
		w.out.WriteString(name + ": ")
		start := w.out.Len()
		w.out.WriteString(values[i])
		b.Cells = append(b.Cells, state.Cell{Header: name, Start: start, End: w.out.Len()})
	}
	b.End = w.out.Len()
	w.out.WriteByte('\n')
	w.parts = append(w.parts, b)
}

// finish sets the document's text and blocks. Its blocks have no selectors, because an office file
// has no HTML page.
func (o *officeWriter) finish(d *Document) {
	o.w.endBlock()
	for i := range o.w.blocks {
		o.w.blocks[i].Element = nil
	}
	d.Text, d.Blocks = o.w.out.String(), o.w.blocks
}

func element(a atom.Atom) *html.Node {
	return &html.Node{Type: html.ElementNode, DataAtom: a, Data: a.String()}
}

func headingElement(level int) *html.Node {
	return element([]atom.Atom{atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6}[min(max(level, 1), 6)-1])
}

// spansIn returns the attributes of a cell over several columns and rows.
func spansIn(columns, rows string) []html.Attribute {
	return []html.Attribute{{Key: "colspan", Val: columns}, {Key: "rowspan", Val: rows}}
}

func words(s string) *html.Node { return &html.Node{Type: html.TextNode, Data: s} }

type use int

const (
	asContent use = iota // its content belongs to the parent
	asNothing            // left out with its content
	asElement            // becomes an element
	asPiece              // becomes a separate piece
)

// A treeRule decides what an element becomes, given its parent in the output, which is nil outside
// of pieces.
type treeRule func(e xml.StartElement, in *html.Node) (*html.Node, use)

// xmlPieces parses a part and passes to write the outermost elements that a rule keeps and those
// that it separates.
func xmlPieces(part io.Reader, rule treeRule, write func(*html.Node)) error {
	type open struct {
		node    *html.Node // nil outside of pieces
		piece   bool
		dropped bool
	}
	stack := []open{{}}
	return tokens(part, func(t xml.Token) error {
		top := stack[len(stack)-1]
		switch e := t.(type) {
		case xml.StartElement:
			next := open{node: top.node, dropped: top.dropped}
			if !top.dropped {
				n, how := rule(e, top.node)
				switch {
				case how == asNothing:
					next.dropped = true
				case how == asPiece || how == asElement && top.node == nil:
					next.node, next.piece = n, true
				case how == asElement:
					top.node.AppendChild(n)
					next.node = n
				}
			}
			stack = append(stack, next)
		case xml.EndElement:
			stack = stack[:len(stack)-1]
			if top.piece {
				write(top.node)
			}
		case xml.CharData:
			if top.node != nil && !top.dropped && len(e) > 0 {
				top.node.AppendChild(words(string(e)))
			}
		}
		return nil
	})
}

// relations reads the targets of a part's relations within the pack, by ID and by the last element
// of their types.
func (p *zipPack) relations(ctx context.Context, part string) (byID, byType map[string]string, err error) {
	byID, byType = map[string]string{}, map[string]string{}
	dir, name := path.Split(part)
	err = p.elements(ctx, dir+"_rels/"+name+".rels", func(e xml.StartElement) {
		if e.Name.Local != "Relationship" || attribute(e, "TargetMode") == "External" {
			return
		}
		target := attribute(e, "Target")
		if rest, ok := strings.CutPrefix(target, "/"); ok {
			target = rest
		} else {
			target = path.Join(dir, target)
		}
		kind := attribute(e, "Type")
		byID[attribute(e, "Id")] = target
		byType[kind[strings.LastIndexByte(kind, '/')+1:]] = target
	})
	return byID, byType, err
}

// properties reads the title and the date from a document's properties. The date is that of the
// last change, else of creation.
func (p *zipPack) properties(ctx context.Context, part string) (title string, declared metadata, err error) {
	found := map[string]string{}
	name := ""
	err = p.read(ctx, part, func(r io.Reader) error {
		return tokens(r, func(t xml.Token) error {
			switch e := t.(type) {
			case xml.StartElement:
				if name = e.Name.Local; name == "meta" { // of a book
					name = strings.TrimPrefix(attribute(e, "property"), "dcterms:")
				}
				if found[name] != "" {
					name = ""
				}
			case xml.EndElement:
				name = ""
			case xml.CharData:
				switch name {
				case "title", "modified", "date", "created", "creation-date":
					if len(found[name]) < 2*longestCaption {
						found[name] += string(e)
					}
				}
			}
			return nil
		})
	})
	declared = metadata{}
	for _, name := range []string{"modified", "date", "created", "creation-date"} {
		declared.setDate(found[name])
	}
	return text.OneLine(strings.ToValidUTF8(found["title"], "\uFFFD")), declared, err
}

// missing returns the error for a pack without its text part.
func (p *zipPack) missing(part string) error {
	return &InputError{Path: p.path, Msg: "its part " + part + " is missing", Hint: "open it in the program that it is of, and save it again"}
}
