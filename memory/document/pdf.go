package document

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"
	"unicode"

	"github.com/ledongthuc/pdf"

	"example.com/assay/memory/text"
)

// parsePDF extracts the text page by page; pages are separated by a form
// feed. Lines that are drawn larger than most are headings. When the library finds
// no text, the pdftotext program is asked, and then those that read scans, where they
// are installed; they are named as the document's reader.
func parsePDF(ctx context.Context, d *Document, raw []byte, o LoadOptions) error {
	limited, cancel := context.WithTimeout(ctx, o.PDFTimeout)
	defer cancel()
	pages, readErr := readPDF(limited, raw)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	for i, other := range []struct {
		read func(context.Context, []byte, LoadOptions) ([]pdfPage, error)
		name func(context.Context) string
	}{{pdftotext, fallbackReader}, {readScan, scanReader}} {
		if anyText(pages) || i > 0 && errors.Is(readErr, pdf.ErrInvalidPassword) {
			break
		}
		found, err := other.read(ctx, raw, o)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil && anyText(found) {
			pages, readErr, d.Reader = found, nil, other.name(ctx)
		}
	}
	switch {
	case errors.Is(readErr, context.DeadlineExceeded):
		return &InputError{Path: d.Path, Msg: fmt.Sprintf("reading the PDF took longer than %v", o.PDFTimeout), Hint: "convert it to text"}
	case errors.Is(readErr, pdf.ErrInvalidPassword):
		return &InputError{Path: d.Path, Msg: "the PDF asks for a password", Hint: "save it without one"}
	case readErr != nil:
		return &InputError{Path: d.Path, Msg: "the PDF is broken: " + readErr.Error(), Hint: "open and save it again, convert it to text, or install pdftotext"}
	case !anyText(pages):
		hint := "the programs that read scans found no letters on them either"
		if missing := missingForScans(); missing != "" {
			hint = "install " + missing + ", with which scans are read, or run it through text recognition, e.g. ocrmypdf"
		}
		return &InputError{Path: d.Path, Msg: fmt.Sprintf("the PDF's %d pages hold no text: it is a scan or its fonts cannot be read", len(pages)), Hint: hint}
	}
	writePDF(&watch{ended: ctx.Err}, d, pages)
	return nil
}

func anyText(pages []pdfPage) bool {
	for _, p := range pages {
		for _, l := range p.rows {
			if strings.ContainsFunc(l.text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }) {
				return true
			}
		}
	}
	return false
}

// A pdfFile is the file as the library sees it: every read checks the time,
// so that a loop over broken references ends.
type pdfFile struct {
	stop func() error // says when time is up
	r    *bytes.Reader
}

func (f pdfFile) ReadAt(p []byte, off int64) (int, error) {
	if err := f.stop(); err != nil {
		panic(stopped{err})
	}
	return f.r.ReadAt(p, off)
}

// maxPDFPages bounds the cost of a file with an invented page count.
const maxPDFPages = 50_000

// maxPDFObjects is the limit of the standard. The library allocates a table for as many objects as
// a file claims before it looks for them.
const maxPDFObjects = 8_388_607

// claimsObjects returns the greatest /Size of a file's object tables. Attachments have a /Size,
// too, but no table near it.
func claimsObjects(raw []byte) int {
	most, at := 0, 0
	for {
		i := bytes.Index(raw[at:], []byte("/Size"))
		if i < 0 {
			return most
		}
		at += i + len("/Size")
		near, after := raw[max(0, at-200):min(len(raw), at+200)], raw[at:]
		if !bytes.Contains(near, []byte("XRef")) && !bytes.Contains(near, []byte("trailer")) {
			continue
		}
		n := 0
		for _, c := range bytes.TrimLeft(after[:min(len(after), 40)], " \t\r\n") {
			if c < '0' || c > '9' || n > maxPDFObjects {
				break
			}
			n = 10*n + int(c-'0')
		}
		most = max(most, n)
	}
}

// readPDF returns the text of every page.
func readPDF(ctx context.Context, raw []byte) ([]pdfPage, error) {
	return fromPDF(ctx, raw, func(list []pdf.Page) ([]pdfPage, error) { return readPDFPages(ctx, list) })
}

// fromPDF reads the pages of a PDF. The library runs in a goroutine that ends when ctx does; if it
// loops without reading, fromPDF returns after a grace period of two seconds and leaves the
// goroutine running.
func fromPDF[T any](ctx context.Context, raw []byte, read func([]pdf.Page) (T, error)) (T, error) {
	type result struct {
		out T
		err error
	}
	done := make(chan result, 1)
	go func() {
		var r result
		func() {
			defer recoverPDF(&r.err)
			if claimsObjects(raw) > maxPDFObjects {
				r.err = fmt.Errorf("it claims more than %d objects", maxPDFObjects)
				return
			}
			file, err := pdf.NewReader(pdfFile{ctx.Err, bytes.NewReader(raw)}, int64(len(raw)))
			if r.err = err; err == nil {
				r.out, r.err = read(pdfPages(file))
			}
		}()
		if r.err != nil && ctx.Err() != nil { // the library words the stop in its own way
			r.err = ctx.Err()
		}
		done <- r
	}()
	var r result
	select {
	case r = <-done:
		return r.out, r.err
	case <-ctx.Done():
	}
	select {
	case r = <-done:
		return r.out, r.err
	case <-time.After(2 * time.Second):
		return r.out, ctx.Err()
	}
}

func readPDFPages(ctx context.Context, list []pdf.Page) (pages []pdfPage, err error) {
	faulty := 0
	var firstFault error
	for i, p := range list {
		text, err := readPDFPage(ctx, p, false)
		if stop := ctx.Err(); stop != nil {
			return nil, stop
		}
		if err != nil { // one bad page does not cost the others
			faulty++
			if firstFault == nil {
				firstFault = fmt.Errorf("page %d: %w", i+1, err)
			}
		}
		pages = append(pages, text)
	}
	if faulty == len(pages) && firstFault != nil {
		return nil, firstFault
	}
	return pages, nil
}

// pdfPages returns the pages by walking the page tree once; the library's own lookup by number
// walks it again for every page.
//
// A tree may contain itself and be endless, so the number of its inner nodes is bounded by the
// number of pages found so far.
func pdfPages(r *pdf.Reader) []pdf.Page {
	var out []pdf.Page
	inner := 0
	var walk func(v pdf.Value, depth int)
	walk = func(v pdf.Value, depth int) {
		if depth > 64 || len(out) >= maxPDFPages || inner > 1000+4*len(out) {
			return
		}
		kids := v.Key("Kids")
		if kids.Kind() != pdf.Array {
			if v.Kind() == pdf.Dict {
				out = append(out, pdf.Page{V: v})
			}
			return
		}
		inner++
		for i := range kids.Len() {
			walk(kids.Index(i), depth+1)
		}
	}
	walk(r.Trailer().Key("Root").Key("Pages"), 0)
	return out
}

// readPDFPage returns the lines of a page, with the places of their letters if these are wanted.
func readPDFPage(ctx context.Context, p pdf.Page, place bool) (page pdfPage, err error) {
	defer recoverPDF(&err)
	g := glyphs{stop: ctx.Err, place: place}
	g.run(p.V.Key("Contents"), p.Resources(), identity, 0)
	return pdfPage{rows: g.lines()}, nil
}

// recoverPDF turns the library's panics, by which it reports broken files, into errors.
func recoverPDF(err *error) {
	switch x := recover().(type) {
	case nil:
	case stopped:
		*err = x.err
	case error:
		*err = x
	default:
		*err = fmt.Errorf("%v", x)
	}
}

const pdfProgram = "pdftotext"

// fallbackReader returns the name and version of the program on this machine that reads a PDF in
// which this package finds no text, "pdftotext version 24.02.0", or "".
func fallbackReader(ctx context.Context) string { return programVersion(ctx, pdfProgram) }

// programVersion returns a program's description of itself, or "" if it is missing.
func programVersion(ctx context.Context, name string) string {
	program, err := exec.LookPath(name)
	if err != nil {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "-v")
	cmd.WaitDelay = time.Second
	out, _ := cmd.CombinedOutput() // some versions end with an error after they have named themselves
	line, _, _ := strings.Cut(strings.ToValidUTF8(string(out), "\uFFFD"), "\n")
	if line = text.OneLine(line); line == "" || len(line) > 100 {
		return name + " of unknown version"
	}
	return line
}

// pdftotext runs the program of that name. If it is missing there are no pages and no error.
func pdftotext(ctx context.Context, raw []byte, o LoadOptions) ([]pdfPage, error) {
	program, err := exec.LookPath(pdfProgram)
	if err != nil {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, o.PDFTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "-enc", "UTF-8", "-", "-")
	cmd.Stdin = bytes.NewReader(raw)
	cmd.WaitDelay = time.Second
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	data, readErr := readAll(context.WithoutCancel(ctx), out, o.MaxFileBytes) // it ends with the program
	if readErr != nil {
		cancel()
	}
	if err := errors.Join(readErr, cmd.Wait()); err != nil {
		return nil, err
	}
	text := strings.TrimSuffix(wellFormed(string(data)), "\f")
	var pages []pdfPage
	for page := range strings.SplitSeq(text, "\f") {
		pages = append(pages, pageOf(page))
	}
	return pages, nil
}
