package document

import (
	"bytes"
	"cmp"
	"context"
	"encoding/xml"
	"io"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"golang.org/x/net/html/charset"

	"example.com/assay/memory/text"
	"example.com/assay/memory/text/pattern"
)

// XML that is no page and no office file is read by its form: an element that holds a value is a
// field with the element's name, one that holds a sentence, or text with elements in between, is a paragraph, and
// one that holds elements is a section, below its title where it has one. Attributes are fields, except in
// what has text with elements in between: there they are for programs. So feeds, settings, exported
// records and manuals need no list of their names.

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

// An xmlElement is an element with what it holds, in order.
type xmlElement struct {
	name       string
	attributes []xml.Attr
	holds      []xmlPart
	children   int
}

// An xmlPart is text, or an element.
type xmlPart struct {
	text  string
	child *xmlElement
}

// mostXMLText is how long the value of a field may be, in bytes; what is longer is running text.
const mostXMLText = 160

func parseXML(ctx context.Context, d *Document, raw []byte, o LoadOptions) error {
	root, title, err := readXML(ctx, raw)
	if err != nil || root.children == 0 { // most of it may be good
		raw, _, err := inUTF8(ctx, d.Path, raw)
		if err != nil {
			return err
		}
		d.Format = "txt"
		return parsePlain(ctx, d, raw, o)
	}
	out := newOffice(ctx)
	x := xmlWriter{o: &out, watch: &watch{ended: ctx.Err}, prose: root.prose()}
	if root.running() {
		x.leaf(root, "")
	} else {
		x.section(root, 1)
	}
	out.finish(d)
	d.Title = title
	return nil
}

// readXML reads an element with all that it holds, and the first title of its two outermost levels.
func readXML(ctx context.Context, raw []byte) (root *xmlElement, title string, err error) {
	root = &xmlElement{}
	open := []*xmlElement{root}
	dec := xml.NewDecoder(stoppable(ctx, bytes.NewReader(raw)))
	dec.CharsetReader = charset.NewReaderLabel
	for {
		t, err := dec.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, "", err
		}
		top := open[len(open)-1]
		switch t := t.(type) {
		case xml.StartElement:
			if len(open) > deepestXML {
				return nil, "", tooDeep()
			}
			e := &xmlElement{name: t.Name.Local, attributes: t.Attr}
			top.holds, top.children = append(top.holds, xmlPart{child: e}), top.children+1
			open = append(open, e)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			if n := len(top.holds); n > 0 && top.holds[n-1].child == nil {
				top.holds[n-1].text += string(t)
			} else if len(open) > 1 {
				top.holds = append(top.holds, xmlPart{text: string(t)})
			}
		}
	}
	if root.children == 1 {
		root = root.holds[0].child
	}
	title = root.title()
	for _, p := range root.holds {
		if p.child != nil {
			title = cmp.Or(title, p.child.title())
		}
	}
	return root, title, nil
}

// title is what an element says that it is called.
func (e *xmlElement) title() string {
	for _, name := range []string{"title", "name", "label"} {
		for _, p := range e.holds {
			if p.child != nil && p.child.children == 0 && strings.EqualFold(p.child.name, name) {
				if s := p.child.value(); s != "" && len(s) <= longestCaption {
					return s
				}
			}
		}
		for _, a := range e.attributes {
			if e.children > 0 && strings.EqualFold(a.Name.Local, name) && a.Name.Space == "" {
				if s := text.OneLine(a.Value); len(s) <= longestCaption {
					return s
				}
			}
		}
	}
	return ""
}

// value is all text in an element, on one line.
func (e *xmlElement) value() string {
	var b strings.Builder
	e.write(&b)
	return text.OneLine(b.String())
}

func (e *xmlElement) write(b *strings.Builder) {
	for i, p := range e.holds {
		b.WriteString(p.text)
		if p.child != nil {
			if i > 0 && e.holds[i-1].child != nil {
				b.WriteByte(' ')
			}
			p.child.write(b)
		}
	}
}

// running reports text with elements in between.
func (e *xmlElement) running() bool {
	for _, p := range e.holds {
		if strings.TrimSpace(p.text) != "" {
			return true
		}
	}
	return false
}

// prose reports whether text with elements in between stands anywhere in an element.
func (e *xmlElement) prose() bool {
	return e.children > 0 && (e.running() || slices.ContainsFunc(e.holds, func(p xmlPart) bool { return p.child != nil && p.child.prose() }))
}

type xmlWriter struct {
	o     *officeWriter
	watch *watch
	prose bool
}

// section writes an element that holds others.
func (x xmlWriter) section(e *xmlElement, level int) {
	title := e.title()
	x.o.heading(level, title)
	x.fields("", "", e, title)
	for _, p := range e.holds {
		x.watch.step()
		child := p.child
		switch {
		case child == nil:
		case child.children > 0 && !child.running():
			x.section(child, level+1)
			x.o.heading(level+1, "") // what follows is not below its title
		default:
			x.leaf(child, title)
		}
	}
	x.o.w.endBlock()
}

func (x xmlWriter) leaf(e *xmlElement, title string) {
	value, name := e.value(), spaced(e.name)
	switch {
	case value == "" || value == title:
		x.fields(name, "", e, title)
	case e.children > 0, len(value) > mostXMLText, endsSentence(value), strings.Contains(value, "</"), strings.Contains(value, "<br"):
		x.fields(name, "", e, title)
		x.o.w.endBlock()
		paragraph := element(atom.P)
		paragraph.AppendChild(words(value))
		if nodes, err := html.ParseFragment(strings.NewReader(value), element(atom.Div)); err == nil && e.children == 0 && (strings.Contains(value, "</") || strings.Contains(value, "<br")) { // a page in an element
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

// fields writes an element's value and its attributes as one line, without what only programs need.
func (x xmlWriter) fields(name, value string, e *xmlElement, title string) {
	var names, values []string
	if value != "" {
		names, values = append(names, name), append(values, value)
	}
	for _, a := range e.attributes {
		v := text.OneLine(a.Value)
		if !x.prose && a.Name.Space == "" && a.Name.Local != "xmlns" && v != "" && (v != title || len(e.attributes) > 1) {
			names, values = append(names, spaced(a.Name.Local)), append(values, v)
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

// spaced is the name of an element in words: "pubDate" is "pub date".
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
