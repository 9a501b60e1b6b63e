package document

import (
	"bytes"
	"cmp"
	"context"
	"encoding/xml"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/assay/memory/text"
	"example.com/assay/memory/text/pattern"
)

// XML other than pages and office files is read by its structure. An element with a value is a
// field with the element's name. One with a sentence, or with text and elements, is a paragraph.
// One with elements is a section, below its title if it has one. Attributes are fields, except in
// mixed content, where they are for programs. So feeds, settings, exported records and manuals need
// no list of element names.

var xmlStart = pattern.New(`^<(?:\?xml[\s?]|[\pL_][\pL\pN_.:-]*(?:\s[^<]*)?/?>)`)

// looksLikeXML reports whether a file declares XML, or is one element.
func looksLikeXML(raw []byte) bool {
	head := bytes.TrimSpace(bytes.TrimPrefix(raw[:min(len(raw), 4<<10)], []byte(bom)))
	if !xmlStart.MatchString(string(head)) {
		return false
	}
	if bytes.HasPrefix(head, []byte("<?")) {
		return true
	}
	name := head[1 : 1+bytes.IndexAny(head[1:], " \t\r\n/>")]
	tail := bytes.TrimSpace(raw[max(0, len(raw)-len(name)-64):])
	return bytes.HasSuffix(tail, append(append([]byte("</"), name...), '>'))
}

// mostXMLText is the greatest length of a field's value in bytes; longer text is running text.
const mostXMLText = 160

func parseXML(ctx context.Context, d *Document, raw []byte, o LoadOptions) error {
	root, err := readXML(ctx, d.Path, raw)
	if err != nil || !holdsElements(root) { // most of it may be good
		raw, _, err := inUTF8(ctx, d.Path, raw)
		if err != nil {
			return err
		}
		d.Format = "txt"
		return parsePlain(ctx, d, raw, o)
	}
	d.Title = xmlTitle(root)
	for c := range root.ChildNodes() {
		d.Title = cmp.Or(d.Title, xmlTitle(c))
	}
	out := newOffice(ctx)
	x := xmlWriter{o: &out, watch: &watch{ended: ctx.Err}, prose: prose(root)}
	if mixed(root) {
		x.leaf(root, "")
	} else {
		x.section(root, 1)
	}
	out.finish(d)
	return nil
}

// readXML reads an element with its content. Several outermost elements get a parent without a
// name.
func readXML(ctx context.Context, path string, raw []byte) (*html.Node, error) {
	raw, err := htmlText(ctx, path, raw)
	if err != nil {
		return nil, err
	}
	if head, rest, ok := bytes.Cut(raw, []byte("?>")); ok && bytes.HasPrefix(bytes.TrimSpace(head), []byte("<?xml")) {
		raw = rest // the text is in UTF-8 now, whatever it declares
	}
	root := &html.Node{Type: html.ElementNode}
	err = xmlPieces(stoppable(ctx, bytes.NewReader(raw)), func(e xml.StartElement, _ *html.Node) (*html.Node, use) {
		n := &html.Node{Type: html.ElementNode, Data: e.Name.Local}
		for _, a := range e.Attr {
			n.Attr = append(n.Attr, html.Attribute{Namespace: a.Name.Space, Key: a.Name.Local, Val: a.Value})
		}
		return n, asElement
	}, root.AppendChild)
	if root.FirstChild != nil && root.FirstChild == root.LastChild {
		root = root.FirstChild
	}
	return root, err
}

func holdsElements(n *html.Node) bool {
	for c := range n.ChildNodes() {
		if c.Type == html.ElementNode {
			return true
		}
	}
	return false
}

// xmlTitle returns the title that an element declares.
func xmlTitle(n *html.Node) string {
	for _, name := range []string{"title", "name", "label"} {
		for c := range n.ChildNodes() {
			if c.Type == html.ElementNode && strings.EqualFold(c.Data, name) && !holdsElements(c) {
				if s := xmlValue(c); s != "" && len(s) <= longestCaption {
					return s
				}
			}
		}
		for _, a := range n.Attr {
			if strings.EqualFold(a.Key, name) && a.Namespace == "" && holdsElements(n) {
				if s := text.OneLine(a.Val); len(s) <= longestCaption {
					return s
				}
			}
		}
	}
	return ""
}

// xmlValue is all text in an element, on one line.
func xmlValue(n *html.Node) string {
	var b strings.Builder
	var write func(n *html.Node)
	write = func(n *html.Node) {
		for c := range n.ChildNodes() {
			if c.Type == html.TextNode {
				b.WriteString(c.Data)
				continue
			}
			if c.PrevSibling != nil && c.PrevSibling.Type == html.ElementNode {
				b.WriteByte(' ')
			}
			write(c)
		}
	}
	write(n)
	return text.OneLine(b.String())
}

// mixed reports text with elements in between.
func mixed(n *html.Node) bool {
	for c := range n.ChildNodes() {
		if c.Type == html.TextNode && strings.TrimSpace(c.Data) != "" {
			return true
		}
	}
	return false
}

// prose reports whether an element has mixed content anywhere.
func prose(n *html.Node) bool {
	if mixed(n) {
		return holdsElements(n)
	}
	for c := range n.ChildNodes() {
		if prose(c) {
			return true
		}
	}
	return false
}

type xmlWriter struct {
	o     *officeWriter
	watch *watch
	prose bool
}

// section writes an element with nested elements.
func (x xmlWriter) section(e *html.Node, level int) {
	title := xmlTitle(e)
	x.o.heading(level, title)
	x.fields("", "", e, title)
	for child := range e.ChildNodes() {
		x.watch.step()
		switch {
		case child.Type != html.ElementNode:
		case holdsElements(child) && !mixed(child):
			x.section(child, level+1)
			x.o.heading(level+1, "") // the following text is not below its title
		default:
			x.leaf(child, title)
		}
	}
	x.o.w.endBlock()
}

func (x xmlWriter) leaf(e *html.Node, title string) {
	value, name, holds := xmlValue(e), spaced(e.Data), holdsElements(e)
	switch {
	case value == "" || value == title:
		x.fields(name, "", e, title)
	case holds, len(value) > mostXMLText, endsSentence(value), strings.Contains(value, "</"), strings.Contains(value, "<br"):
		x.fields(name, "", e, title)
		x.o.w.endBlock()
		paragraph := element(atom.P)
		paragraph.AppendChild(words(value))
		if nodes, err := html.ParseFragment(strings.NewReader(value), element(atom.Div)); err == nil && !holds && (strings.Contains(value, "</") || strings.Contains(value, "<br")) { // a page in an element
			paragraph = element(atom.Div)
			for _, n := range nodes {
				paragraph.AppendChild(n)
			}
		}
		x.o.write(paragraph)
	default:
		x.fields(name, value, e, title)
	}
}

// fields writes an element's value and its attributes as one line, without technical attributes.
func (x xmlWriter) fields(name, value string, e *html.Node, title string) {
	var names, values []string
	if value != "" {
		names, values = append(names, name), append(values, value)
	}
	for _, a := range e.Attr {
		v := text.OneLine(a.Val)
		if !x.prose && a.Namespace == "" && a.Key != "xmlns" && v != "" && (v != title || len(e.Attr) > 1) {
			names, values = append(names, spaced(a.Key)), append(values, v)
		}
	}
	switch {
	case len(names) == 1 && value == "":
		x.o.field(strings.TrimSpace(name+" "+names[0]), values[0])
	case len(names) == 1:
		x.o.field(name, value)
	case len(names) > 1:
		x.o.row(name, names, values)
	}
}

// spaced returns the name of an element in words: "pubDate" is "pub date".
func spaced(name string) string {
	var b strings.Builder
	before := ' '
	for _, r := range name {
		switch {
		case r == '_' || r == '-' || r == '.':
			r = ' '
		case unicode.IsUpper(r) && unicode.IsLower(before):
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(r))
		before = r
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
