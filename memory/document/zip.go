package document

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
)

// A zipPack is the ZIP file that an office document or a book is.
type zipPack struct {
	path  string
	files map[string]*zip.File
	limit int64 // bytes that it may unpack to
	left  int64 // bytes that may still be read, so that a small file does not become a huge one
}

// openZip opens a pack, which has to have a part.
func openZip(path string, raw []byte, limit int64, part string) (*zipPack, error) {
	if bytes.HasPrefix(raw, []byte("\xd0\xcf\x11\xe0")) {
		return nil, &InputError{Path: path, Msg: "it is encrypted, or of an office program of 1997 to 2003", Hint: "save it in today's format, without a password"}
	}
	r, err := zip.NewReader(bytes.NewReader(raw), int64(len(raw)))
	if err != nil {
		return nil, &InputError{Path: path, Msg: fmt.Sprintf("it is not a whole %s file: %v", strings.ToLower(filepath.Ext(path)), err), Hint: "open it in the program that it is of, and save it again"}
	}
	p := &zipPack{path: path, files: make(map[string]*zip.File, len(r.File)), limit: unpacked(len(raw), limit)}
	p.left = p.limit
	for _, f := range r.File {
		name := strings.TrimPrefix(strings.ReplaceAll(f.Name, `\`, "/"), "/")
		if _, known := p.files[name]; !known {
			p.files[name] = f
		}
	}
	if part != "" && p.files[part] == nil {
		return nil, p.missing(part)
	}
	return p, nil
}

// read passes a part to fn as a decompressed stream. A missing part is skipped.
func (p *zipPack) read(ctx context.Context, name string, fn func(part io.Reader) error) error {
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
	if p.left < 0 {
		return p.tooLong()
	}
	if fault, ok := errors.AsType[*InputError](err); ok {
		return fault
	}
	if err != nil {
		return &InputError{Path: p.path, Msg: fmt.Sprintf("its part %s is malformed: %v", name, err), Hint: "open it in the program that it is of, and save it again"}
	}
	return nil
}

// elements calls fn for every start tag of a part.
func (p *zipPack) elements(ctx context.Context, name string, fn func(xml.StartElement)) error {
	return p.read(ctx, name, func(part io.Reader) error {
		return tokens(part, func(t xml.Token) error {
			if e, ok := t.(xml.StartElement); ok {
				fn(e)
			}
			return nil
		})
	})
}

func (p *zipPack) tooLong() error { return unpacksTooFar(p.path, p.limit) }

// Bounds of decompressed sizes. Text compresses to a third or a tenth of its size, the XML of
// documents to a twentieth; a file with a higher ratio is made to exhaust the memory.
const (
	unpackedShare = 50       // times the file's own bytes
	unpackedFloor = 16 << 20 // bytes that every file may unpack to
)

// unpacked returns the greatest allowed size of so many compressed bytes.
func unpacked(packed int, limit int64) int64 {
	return min(limit, max(unpackedFloor, unpackedShare*int64(packed)))
}

func unpacksTooFar(path string, limit int64) error {
	size := fmt.Sprintf("%d bytes", limit)
	if limit >= 1<<20 {
		size = fmt.Sprintf("%d MB", limit>>20)
	}
	return &InputError{Path: path, Msg: "it unpacks to more than " + size + ", which is too much for its own size or in all", Hint: "unpack it and split it into smaller files"}
}

// deepestXML is the greatest nesting of elements.
const deepestXML = 256

func tooDeep() error { return fmt.Errorf("elements are nested more than %d deep", deepestXML) }

// tokens calls fn for every token of a part. Entities declared in a document type are an error
// rather than expanded.
func tokens(part io.Reader, fn func(xml.Token) error) error {
	return decoded(part, func(t xml.Token, _ func(any) error) error { return fn(t) })
}

// decoded is tokens for a fn that may decode the current element with its content.
func decoded(part io.Reader, fn func(t xml.Token, decode func(any) error) error) error {
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
				return tooDeep()
			}
		case xml.EndElement:
			depth--
		}
		if err := fn(t, func(v any) error {
			e := t.(xml.StartElement)
			depth--
			return dec.DecodeElement(v, &e)
		}); err != nil {
			return err
		}
	}
}

// numberBelow reads a number from 0 on that is less than an end.
func numberBelow(val string, end int) (int, bool) {
	n, err := strconv.Atoi(val)
	if err != nil || n < 0 || n >= end {
		return 0, false
	}
	return n, true
}

// itemAt returns the element of a list at a number, from 0; the zero value if there is none.
func itemAt[T any](list []T, number string) (item T) {
	if i, ok := numberBelow(number, len(list)); ok {
		item = list[i]
	}
	return item
}

// A valued is an element that says something by its attribute val.
type valued struct {
	Val string `xml:"val,attr"`
}

func (v *valued) on() bool { return v != nil && isOn(v.Val) }

// attribute returns an attribute by its local name, because prefixes differ between editions of the
// standard.
func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}
