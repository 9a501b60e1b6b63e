package document

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path"
	"strings"
)

// maxChapter bounds a chapter, whose tree in memory has some forty times its bytes.
const maxChapter = 8 << 20

// parseEPUB extracts the text of a book: its chapters as pages, in the order in
// which they are read, without its table of contents.
func parseEPUB(ctx context.Context, d *Document, raw []byte, o LoadOptions) error {
	pack, err := openZip(d.Path, raw, o.MaxFileBytes, "")
	if err != nil {
		return err
	}
	book := ""
	if err := pack.elements(ctx, "META-INF/container.xml", func(e xml.StartElement) {
		if e.Name.Local == "rootfile" && book == "" {
			book = path.Clean(attribute(e, "full-path"))
		}
	}); err != nil {
		return err
	}
	if pack.files[book] == nil {
		return pack.missing("META-INF/container.xml, or the one that it names,")
	}
	chapters, err := pack.chapters(ctx, book)
	if err != nil {
		return err
	}
	out := newOffice(ctx)
	for _, chapter := range chapters {
		if err := pack.read(ctx, chapter, func(part io.Reader) error {
			raw, err := readAll(ctx, part, maxChapter)
			if errors.Is(err, errTooLong) {
				return &InputError{Path: d.Path, Msg: fmt.Sprintf("its chapter %s is longer than %d MB", chapter, maxChapter>>20), Hint: "split it"}
			}
			if err != nil {
				return err
			}
			page, root, err := parsePage(ctx, d.Path, raw)
			if err != nil {
				return err
			}
			out.w.page = page
			out.w.like.Group++
			out.w.content(root)
			return nil
		}); err != nil {
			fault, ok := errors.AsType[*InputError](err)
			if !ok || pack.left < 0 {
				return err
			}
			d.LostRecords++ // one bad chapter does not cost the others
			if len(d.Lost) < mostLost {
				d.Lost = append(d.Lost, path.Base(d.Path)+": "+fault.Msg)
			}
		}
	}
	out.finish(d)
	d.Title, d.Metadata, err = pack.properties(ctx, book)
	return err
}

// chapters returns the parts of a book that are pages of text, in their order.
func (p *zipPack) chapters(ctx context.Context, book string) ([]string, error) {
	items := map[string]string{}
	contents := map[string]bool{}
	var out []string
	seen := map[string]bool{}
	err := p.elements(ctx, book, func(e xml.StartElement) {
		switch e.Name.Local {
		case "item":
			href, err := url.PathUnescape(attribute(e, "href"))
			if err != nil || !strings.Contains(attribute(e, "media-type"), "html") {
				return
			}
			items[attribute(e, "id")] = path.Join(path.Dir(book), href)
			if strings.Contains(attribute(e, "properties"), "nav") {
				contents[attribute(e, "id")] = true
			}
		case "itemref":
			id := attribute(e, "idref")
			if name := items[id]; name != "" && !contents[id] && !seen[name] {
				seen[name] = true
				out = append(out, name)
			}
		}
	})
	return out, err
}
