package document

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
)

// parseDocx extracts the text of a Word document (Office Open XML, ECMA-376):
// one line per heading, list item and table row, paragraphs between blank
// lines, numbers of lists and headings as Word would show them, and the notes,
// "[1]", at the end. Pages are those that Word drew last, where it noted them.
// Deleted text, comments, headers, footers, pictures and tables of contents
// are left out.
func parseDocx(ctx context.Context, d *Document, raw []byte, o LoadOptions) error {
	pack, err := openDocx(d.Path, raw, o.MaxFileBytes)
	if err != nil {
		return err
	}
	main, err := pack.main(ctx)
	if err != nil {
		return err
	}
	if pack.files[main] == nil {
		return &InputError{Path: d.Path, Msg: "it is a ZIP file without a Word document in it", Hint: "save it as .docx again"}
	}
	w := &docxWriter{list: newNumbering(), noteAt: map[docxRef][]int{}}
	for _, p := range []struct {
		name string
		read func(part io.Reader) error
	}{
		{path.Join(path.Dir(main), "styles.xml"), func(part io.Reader) (err error) { w.styles, err = readStyles(part); return err }},
		{path.Join(path.Dir(main), "numbering.xml"), w.list.read},
		{main, w.body},
		{path.Join(path.Dir(main), "footnotes.xml"), func(part io.Reader) error { return w.notes("footnote", part) }},
		{path.Join(path.Dir(main), "endnotes.xml"), func(part io.Reader) error { return w.notes("endnote", part) }},
		{"docProps/core.xml", w.properties},
	} {
		if err := pack.read(ctx, p.name, p.read); err != nil {
			return err
		}
	}
	w.writeNotes()
	d.Text, d.Blocks = w.out.String(), w.blocks
	for i := range d.Blocks {
		if !w.paged {
			d.Blocks[i].Page = 0
		}
	}
	for _, title := range []string{w.title, w.firstHeading, w.declared} {
		if d.Title == "" {
			d.Title = title
		}
	}
	return nil
}

// A docxPack is the ZIP file that a Word document is.
type docxPack struct {
	path  string
	files map[string]*zip.File
	left  int64 // bytes that may still be read, so that a small file does not become a huge one
	limit int64
}

func openDocx(path string, raw []byte, limit int64) (*docxPack, error) {
	if bytes.HasPrefix(raw, []byte("\xd0\xcf\x11\xe0")) {
		return nil, &InputError{Path: path, Msg: "it is encrypted, or a document of Word 97 to 2003", Hint: "save it as .docx without a password"}
	}
	r, err := zip.NewReader(bytes.NewReader(raw), int64(len(raw)))
	if err != nil {
		return nil, &InputError{Path: path, Msg: "it is not a whole .docx file: " + err.Error(), Hint: "open it in a word processor and save it again"}
	}
	p := &docxPack{path: path, files: make(map[string]*zip.File, len(r.File)), left: limit, limit: limit}
	for _, f := range r.File {
		name := strings.TrimPrefix(strings.ReplaceAll(f.Name, `\`, "/"), "/")
		if _, known := p.files[name]; !known {
			p.files[name] = f
		}
	}
	return p, nil
}

// read hands a part to fn, as it is unpacked and never as a whole. A part that is
// missing is not read.
func (p *docxPack) read(ctx context.Context, name string, fn func(part io.Reader) error) error {
	f := p.files[name]
	if f == nil {
		return nil
	}
	if f.UncompressedSize64 > uint64(p.left) {
		return p.tooLong()
	}
	r, err := f.Open()
	if err == nil {
		limited := &io.LimitedReader{R: r, N: p.left + 1}
		err = fn(stoppable(ctx, limited))
		p.left = limited.N - 1
		err = errors.Join(err, r.Close())
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case p.left < 0:
		return p.tooLong()
	case err != nil:
		return &InputError{Path: p.path, Msg: fmt.Sprintf("its part %s is malformed: %v", name, err), Hint: "open it in a word processor and save it again"}
	}
	return nil
}

func (p *docxPack) tooLong() error {
	return &InputError{Path: p.path, Msg: fmt.Sprintf("it expands to more than %d bytes", p.limit), Hint: "split it"}
}

// main names the part with the text, by the package's relations.
func (p *docxPack) main(ctx context.Context) (string, error) {
	const usual = "word/document.xml"
	if p.files[usual] != nil {
		return usual, nil
	}
	found := usual
	err := p.read(ctx, "_rels/.rels", func(part io.Reader) error {
		return eachElement(part, func(e xml.StartElement) error {
			if e.Name.Local == "Relationship" && strings.HasSuffix(attribute(e, "Type"), "/officeDocument") {
				found = strings.TrimPrefix(path.Clean(attribute(e, "Target")), "/")
			}
			return nil
		})
	})
	return found, err
}

// deepestXML is how far elements may be nested.
const deepestXML = 256

// tokens calls fn for every token of a part. Entities that a document type
// declares are not expanded: they are an error.
func tokens(part io.Reader, fn func(xml.Token) error) error {
	dec := xml.NewDecoder(part)
	dec.CharsetReader = func(charset string, _ io.Reader) (io.Reader, error) {
		return nil, fmt.Errorf("its encoding %q is not UTF-8", charset)
	}
	depth := 0
	for {
		t, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch t.(type) {
		case xml.StartElement:
			if depth++; depth > deepestXML {
				return fmt.Errorf("elements are nested more than %d deep", deepestXML)
			}
		case xml.EndElement:
			depth--
		}
		if err := fn(t); err != nil {
			return err
		}
	}
}

func eachElement(part io.Reader, fn func(xml.StartElement) error) error {
	return tokens(part, func(t xml.Token) error {
		if e, ok := t.(xml.StartElement); ok {
			return fn(e)
		}
		return nil
	})
}

// attribute returns an attribute by its local name: the prefix tells the
// edition of the standard.
func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}
