package document

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// makePDF writes a PDF with one page per content stream, in Helvetica as F1
// (no widths) and a font of 600-unit glyphs as F2.
func makePDF(contents ...string) string {
	var b bytes.Buffer
	var offsets []int
	object := func(format string, args ...any) {
		offsets = append(offsets, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n"+format+"\nendobj\n", append([]any{len(offsets)}, args...)...)
	}
	b.WriteString("%PDF-1.4\n")
	object("<< /Type /Catalog /Pages 2 0 R >>")
	kids := ""
	for i := range contents {
		kids += fmt.Sprintf("%d 0 R ", 5+2*i)
	}
	object("<< /Type /Pages /Kids [%s] /Count %d >>", kids, len(contents))
	object("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>")
	object("<< /Type /Font /Subtype /TrueType /BaseFont /Courier /Encoding /WinAnsiEncoding /FirstChar 32 /LastChar 126 /Widths [%s] >>", strings.Repeat("600 ", 95))
	for i, c := range contents {
		object("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents %d 0 R /Resources << /Font << /F1 3 0 R /F2 4 0 R >> >> >>", 6+2*i)
		object("<< /Length %d >>\nstream\n%s\nendstream", len(c), c)
	}
	xref := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, o := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(offsets)+1, xref)
	return b.String()
}

func TestPDF(t *testing.T) {
	for _, c := range []struct{ name, stream, want string }{
		{"plain", "BT /F1 12 Tf 72 700 Td (Hello world.) Tj ET", "Hello world."},
		{"lines", "BT /F1 12 Tf 14 TL 72 700 Td (One) Tj T* (two) Tj T* (three) Tj 0 -30 Td (four) Tj ET", "One\ntwo\nthree\n\nfour"},
		{"words drawn apart", "BT /F2 10 Tf 72 700 Td (ab) Tj 15 0 Td (cd) Tj 12 0 Td (ef) Tj ET", "ab cdef"},
		{"gaps in an array", "BT /F2 10 Tf 72 700 Td [(w) -20 (o) 15 (rd) -300 (next)] TJ ET", "word next"},
		{"letter by letter", "BT /F2 10 Tf 1 0 0 1 72 700 Tm (a) Tj 1 0 0 1 78 700 Tm (b) Tj 1 0 0 1 87 700 Tm (c) Tj ET", "ab c"},
		{"scaled by the page", "q .1 0 0 .1 0 0 cm BT /F2 100 Tf 720 7000 Td (ab) Tj 150 0 Td (cd) Tj ET Q", "ab cd"},
		{"spaced letters", "BT /F2 10 Tf 3 Tc 72 700 Td (ab cd) Tj ET", "ab cd"},
		{"turned", "BT /F2 10 Tf 0 1 -1 0 300 100 Tm (up) Tj 15 0 Td (there) Tj ET", "up there"},
		{"quote operators", "BT /F1 12 Tf 14 TL 72 700 Td (a) Tj (b) ' 1 2 (c) \" ET", "a\nb\nc"},
		{"no font, stray Q, missing operands", "Q BT (lost) Tj /F1 12 Tf 72 700 Td (kept) Tj Td TJ ET Do", "kept"},
	} {
		d := mustRead(t, "a.pdf", makePDF(c.stream), nil)
		if d.Text != c.want {
			t.Errorf("%s: got %q, want %q", c.name, d.Text, c.want)
		}
		check(t, d, nil)
	}
	page := "BT /F1 12 Tf 72 700 Td (Page %d text.) Tj ET"
	d := mustRead(t, "two.pdf", makePDF(fmt.Sprintf(page, 1), "", fmt.Sprintf(page, 3)), nil)
	ps := check(t, d, nil)
	if len(ps) != 2 || ps[0].Page != 1 || ps[1].Page != 3 || ps[1].Text != "Page 3 text." || d.Plain {
		t.Errorf("pages: %+v", ps)
	}
}

func TestPDFErrors(t *testing.T) {
	whole := makePDF("BT /F1 12 Tf 72 700 Td (text) Tj ET")
	for _, c := range []struct{ name, src, want string }{
		{"scan", makePDF("q 100 0 0 100 0 0 cm /Im1 Do Q"), "hold no text"},
		{"cut", whole[:len(whole)-40], "broken"},
		{"loop", strings.Replace(whole, "/Kids [5 0 R ]", "/Kids [2 0 R ]", 1), "hold no text"},
		{"xref loop", strings.Replace(whole, "/Size 7", fmt.Sprintf("/Size 7 /Prev %d", strings.Index(whole, "xref\n")), 1), ""},
		{"locked", strings.Replace(whole, "/Size 7", fmt.Sprintf("/Size 7 /ID [<%[1]s><%[1]s>] /Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <%[1]s> /U <%[1]s> >>", strings.Repeat("2a", 32)), 1), "asks for a password"},
		{"unknown encryption", strings.Replace(whole, "/Size 7", "/Size 7 /Encrypt << /Filter /X >>", 1), "broken"},
	} {
		_, err := read(t, "a.pdf", c.src, &LoadOptions{PDFTimeout: 500 * time.Millisecond})
		var in *InputError
		if err == nil && c.want == "" {
			continue
		}
		if !errors.As(err, &in) || !strings.Contains(in.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

func TestPDFTime(t *testing.T) {
	slow := makePDF("BT /F1 12 Tf 72 700 Td " + strings.Repeat("(text) Tj ", 300_000) + "ET")
	start := time.Now()
	_, err := read(t, "slow.pdf", slow, &LoadOptions{PDFTimeout: time.Millisecond})
	if err == nil || !strings.Contains(err.Error(), "longer than 1ms") {
		t.Errorf("time limit: %v", err)
	}
	if took := time.Since(start); took > 2*time.Second {
		t.Errorf("stopping took %v", took)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	d := Document{Source: "x.pdf", Path: "x.pdf"}
	if err := parse(ctx, &d, []byte(slow), (*LoadOptions)(nil).withDefaults()); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// When the library finds no text, an installed pdftotext is asked.
func TestPDFFallback(t *testing.T) {
	dir := t.TempDir()
	script := "#!/bin/sh\ncat >/dev/null\nprintf 'first page\\n\\f\\nsecond page\\n\\f'\n"
	if err := os.WriteFile(filepath.Join(dir, "pdftotext"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	ps := check(t, mustRead(t, "scan.pdf", makePDF("", ""), nil), nil)
	if len(ps) != 2 || ps[1].Text != "second page" || ps[1].Page != 2 {
		t.Errorf("%+v", ps)
	}
	ps = check(t, mustRead(t, "text.pdf", makePDF("BT /F1 12 Tf 72 700 Td (own text) Tj ET"), nil), nil)
	if len(ps) != 1 || ps[0].Text != "own text" {
		t.Errorf("the program was asked for a file that has text: %+v", ps)
	}
}

// A scan is read by the programs for it, page by page, and its record names them.
func TestPDFScan(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	scan := makePDF("", "", "")
	_, err := read(t, "scan.pdf", scan, nil)
	if err == nil || !strings.Contains(err.Error(), "install tesseract (package tesseract-ocr) and pdftoppm (package poppler-utils)") {
		t.Errorf("without the programs: %v", err)
	}
	for name, script := range map[string]string{
		"pdftoppm":  `if [ "$1" = -v ]; then echo "pdftoppm version 1" >&2; exit; fi; for last; do :; done; if [ "$2" -le 3 ]; then echo "$2" > "$last.pgm"; else exit 99; fi`,
		"tesseract": `if [ "$1" = -v ]; then echo "tesseract 2"; exit; fi; read n < "$1"; if [ "$n" = 2 ]; then exit 1; fi; printf 'Words of page %s\n\f' "$n"`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	d := mustRead(t, "scan.pdf", scan, nil)
	ps := check(t, d, nil)
	if len(ps) != 2 || ps[0].Text != "Words of page 1" || ps[1].Text != "Words of page 3" || ps[1].Page != 3 || d.Reader != "tesseract 2, pdftoppm version 1" || !CurrentReader(t.Context(), d.Reader) {
		t.Errorf("%q: %+v", d.Reader, ps)
	}
}
