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
	main := pack.main()
	body, err := pack.part(ctx, main)
	if err != nil {
		return err
	}
	if body == nil {
		return &InputError{Path: d.Path, Msg: "it is a ZIP file without a Word document in it", Hint: "save it as .docx again"}
	}
	w := &docxWriter{ctx: ctx, list: newNumbering(), paged: bytes.Contains(body, []byte("lastRenderedPageBreak"))}
	for _, p := range []struct {
		name string
		read func(data []byte) error
	}{
		{path.Join(path.Dir(main), "styles.xml"), func(data []byte) (err error) { w.styles, err = readStyles(data); return err }},
		{path.Join(path.Dir(main), "numbering.xml"), w.list.read},
		{main, w.body},
		{path.Join(path.Dir(main), "footnotes.xml"), func(data []byte) error { return w.notes("footnote", data) }},
		{path.Join(path.Dir(main), "endnotes.xml"), func(data []byte) error { return w.notes("endnote", data) }},
		{"docProps/core.xml", w.properties},
	} {
		data := body
		if p.name != main {
			if data, err = pack.part(ctx, p.name); err != nil {
				return err
			}
		}
		if data == nil {
			continue
		}
		if err := p.read(data); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return &InputError{Path: d.Path, Msg: fmt.Sprintf("its part %s is malformed: %v", p.name, err), Hint: "open it in a word processor and save it again"}
		}
	}
	w.writeNotes()
	d.Text, d.Blocks = w.out.String(), w.blocks
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

// part returns the bytes of a part, nil when there is none.
func (p *docxPack) part(ctx context.Context, name string) ([]byte, error) {
	f := p.files[name]
	if f == nil {
		return nil, nil
	}
	broken := func(err error) error {
		return &InputError{Path: p.path, Msg: fmt.Sprintf("its part %s cannot be read: %v", name, err), Hint: "open it in a word processor and save it again"}
	}
	r, err := f.Open()
	if err != nil {
		return nil, broken(err)
	}
	data, err := readAll(ctx, r, p.left)
	err = errors.Join(err, r.Close())
	switch {
	case errors.Is(err, errTooLong):
		return nil, &InputError{Path: p.path, Msg: fmt.Sprintf("it expands to more than %d bytes", p.limit), Hint: "split it, or raise MaxFileBytes"}
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, broken(err)
	}
	p.left -= int64(len(data))
	return data, nil
}

// main names the part with the text, by the package's relations.
func (p *docxPack) main() string {
	const usual = "word/document.xml"
	if p.files[usual] != nil {
		return usual
	}
	data, err := p.part(context.Background(), "_rels/.rels")
	if err != nil {
		return usual
	}
	found := usual
	// Malformed relations leave the usual name, and its absence is the error.
	_ = eachElement(context.Background(), data, func(e xml.StartElement) error {
		if e.Name.Local == "Relationship" && strings.HasSuffix(attribute(e, "Type"), "/officeDocument") {
			found = strings.TrimPrefix(path.Clean(attribute(e, "Target")), "/")
		}
		return nil
	})
	return found
}

// deepestXML is how far elements may be nested.
const deepestXML = 256

// tokens calls fn for every token of a part. Entities that a document type
// declares are not expanded: they are an error.
func tokens(ctx context.Context, data []byte, fn func(xml.Token) error) error {
	dec := xml.NewDecoder(bytes.NewReader(data))
	dec.CharsetReader = func(charset string, _ io.Reader) (io.Reader, error) {
		return nil, fmt.Errorf("its encoding %q is not UTF-8", charset)
	}
	depth := 0
	for n := 0; ; n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
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

func eachElement(ctx context.Context, data []byte, fn func(xml.StartElement) error) error {
	return tokens(ctx, data, func(t xml.Token) error {
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
