package document

import (
	"cmp"
	"context"
	"io"
	"path"
	"strings"
)

// parseDocx extracts the text of a Word document (Office Open XML, ECMA-376): one line per heading,
// list item and table row, paragraphs between blank lines, numbers of lists and headings as Word
// would show them, and the notes, "[1]", at the end. Pages are those that Word last recorded.
// Deleted text, comments, headers, footers, pictures and tables of contents are left out.
func parseDocx(ctx context.Context, d *Document, raw []byte, o LoadOptions) error {
	pack, err := openZip(d.Path, raw, o.MaxFileBytes, "")
	if err != nil {
		return err
	}
	main := "word/document.xml"
	if pack.files[main] == nil {
		_, byType, err := pack.relations(ctx, "")
		if err != nil {
			return err
		}
		main = byType["officeDocument"]
	}
	if pack.files[main] == nil {
		return &InputError{Path: d.Path, Msg: "it is a ZIP file without a Word document in it", Hint: "save it as .docx again"}
	}
	w := &docxWriter{officeWriter: newOffice(ctx), noteAt: map[docxRef][]int{}}
	for _, p := range []struct {
		name string
		read func(part io.Reader) error
	}{
		{path.Join(path.Dir(main), "styles.xml"), func(part io.Reader) (err error) { w.styles, err = readStyles(part); return err }},
		{path.Join(path.Dir(main), "numbering.xml"), w.list.read},
		{main, w.body},
		{path.Join(path.Dir(main), "footnotes.xml"), func(part io.Reader) error { return w.notes("footnote", part) }},
		{path.Join(path.Dir(main), "endnotes.xml"), func(part io.Reader) error { return w.notes("endnote", part) }},
	} {
		if err := pack.read(ctx, p.name, p.read); err != nil {
			return err
		}
	}
	if w.declared, d.Metadata, err = pack.properties(ctx, "docProps/core.xml"); err != nil {
		return err
	}
	w.writeNotes()
	w.finish(d)
	d.Text = strings.TrimRight(d.Text, "\n")
	for i := range d.Blocks {
		if !w.paged {
			d.Blocks[i].Page = 0
		}
	}
	d.Title = cmp.Or(w.title, w.firstHeading, w.declared)
	return nil
}
