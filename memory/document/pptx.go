package document

import (
	"cmp"
	"context"
	"encoding/xml"
	"io"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// parsePPTX extracts the text of a presentation: a slide is a page, its title a
// heading, and its notes follow it. Slide numbers, dates and footers are left out.
func parsePPTX(ctx context.Context, d *Document, raw []byte, o LoadOptions) error {
	const deck = "ppt/presentation.xml"
	pack, err := openZip(d.Path, raw, o.MaxFileBytes, deck)
	if err != nil {
		return err
	}
	byID, _, err := pack.relations(ctx, deck)
	if err != nil {
		return err
	}
	var slides []string
	if err := pack.elements(ctx, deck, func(e xml.StartElement) {
		for _, a := range e.Attr {
			if e.Name.Local == "sldId" && a.Name.Space != "" && a.Name.Local == "id" && byID[a.Value] != "" {
				slides = append(slides, byID[a.Value])
			}
		}
	}); err != nil {
		return err
	}
	out := newOffice(ctx)
	out.w.office = true
	seen := map[string]bool{}
	for i, slide := range slides {
		if seen[slide] {
			continue
		}
		seen[slide] = true
		out.w.endBlock()
		out.w.like.Page = i + 1
		out.heading(1, "")
		if err := pack.read(ctx, slide, (&pptxReader{out: &out, d: d}).read); err != nil {
			return err
		}
		_, byType, err := pack.relations(ctx, slide)
		if err != nil {
			return err
		}
		if notes := byType["notesSlide"]; notes != "" && !seen[notes] {
			seen[notes] = true
			if err := pack.read(ctx, notes, (&pptxReader{out: &out, d: d, notes: true}).read); err != nil {
				return err
			}
		}
	}
	out.finish(d)
	declared, props, err := pack.properties(ctx, "docProps/core.xml")
	d.Title, d.Metadata = cmp.Or(d.Title, declared), props
	return err
}

type pptxReader struct {
	out   *officeWriter
	d     *Document
	notes bool       // a slide's notes: only their body is text
	shape *html.Node // the open one
	first bool       // the open table's first row names its columns
	skip  bool       // the open shape is left out
	items bool       // the open shape has the points of a slide
}

func (r *pptxReader) read(part io.Reader) error {
	return xmlPieces(part, r.rule, func(n *html.Node) {
		if r.skip {
			return
		}
		if n.DataAtom == atom.H1 {
			r.d.Title = cmp.Or(r.d.Title, caption(newPage(r.out.ctx).inlineText(n)))
		}
		if r.items {
			points(n)
		}
		r.out.write(n)
	})
}

// points makes a list of a shape's paragraphs if there are several.
func points(shape *html.Node) {
	var paragraphs []*html.Node
	for c := shape.FirstChild; c != nil; c = c.NextSibling {
		if c.DataAtom == atom.P && c.FirstChild != nil {
			paragraphs = append(paragraphs, c)
		}
	}
	if len(paragraphs) < 2 || shape.DataAtom != atom.Div {
		return
	}
	shape.DataAtom, shape.Data = atom.Ul, "ul"
	for _, p := range paragraphs {
		p.DataAtom, p.Data = atom.Li, "li"
	}
}

func (r *pptxReader) rule(e xml.StartElement, in *html.Node) (*html.Node, use) {
	switch e.Name.Local {
	case "sp", "graphicFrame":
		r.shape, r.skip, r.first, r.items = element(atom.Div), r.notes, false, false
		return r.shape, asElement
	case "ph":
		r.items = !r.notes && attribute(e, "type") != "subTitle"
		switch kind := attribute(e, "type"); {
		case kind == "sldNum" || kind == "dt" || kind == "ftr" || kind == "hdr":
			r.skip = true
		case r.notes:
			r.skip = kind != "body"
		case (kind == "title" || kind == "ctrTitle") && r.shape != nil:
			r.shape.DataAtom, r.shape.Data = atom.H1, "h1"
		}
	}
	switch e.Name.Local {
	case "tableStyleId", "extLst", "Fallback":
		return nil, asNothing
	}
	if in == nil {
		return nil, asContent
	}
	switch e.Name.Local {
	case "r":
		return element(atom.Span), asElement
	case "rPr":
		if in.DataAtom == atom.Span {
			of := atom.Span
			switch base := attribute(e, "baseline"); {
			case strings.HasPrefix(base, "-"):
				of = atom.Sub
			case base != "" && base != "0":
				of = atom.Sup
			case attribute(e, "b") == "1":
				of = atom.B
			}
			in.DataAtom, in.Data = of, of.String()
		}
	case "p":
		return element(atom.P), asElement
	case "br":
		return element(atom.Br), asElement
	case "tblPr":
		r.first = attribute(e, "firstRow") == "1"
	case "tbl":
		return element(atom.Table), asElement
	case "tr":
		return element(atom.Tr), asElement
	case "tc":
		if attribute(e, "hMerge") == "1" || attribute(e, "vMerge") == "1" {
			return nil, asNothing
		}
		cell := element(atom.Td)
		if r.first && in.DataAtom == atom.Tr && in.PrevSibling == nil {
			cell = element(atom.Th)
		}
		cell.Attr = spansIn(attribute(e, "gridSpan"), attribute(e, "rowSpan"))
		return cell, asElement
	}
	return nil, asContent
}
