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
func makePDF(contents ...string) string { return pdfOf("/MediaBox [0 0 612 792]", contents...) }

// pdfOf is makePDF with entries that each page has.
func pdfOf(entries string, contents ...string) string {
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
		object("<< /Type /Page /Parent 2 0 R %s /Contents %d 0 R /Resources << /Font << /F1 3 0 R /F2 4 0 R >> >> >>", entries, 6+2*i)
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

// at draws a text at a place.
func at(x, y int, text string) string {
	return fmt.Sprintf("BT /F2 10 Tf %d %d Td (%s) Tj ET\n", x, y, text)
}

func TestPDFLayout(t *testing.T) {
	left := []string{"The keeper lives in the", "tower and climbs the two", "hundred steps at dusk to", "light the lamp."}
	right := []string{"Boats that pass by night", "sound their horn once and", "the keeper answers with", "two short flashes."}
	columns, skewed, table, header := "", "", "", ""
	for i := range left {
		columns += at(72, 700-14*i, left[i]) + at(320, 700-14*i, right[i])
		skewed += at(72, 700-14*i, left[i]) + at(320, 694-14*i, right[i])
	}
	for i, row := range [][]string{{"Test", "Price", "Sample"}, {"Iron", "12.40", "blood"}, {"Zinc", "", "water"}, {"Lead", "9.80", "blood"}} {
		for j, cell := range row {
			table += at(72+100*j, 700-20*i, cell)
		}
	}
	wrapped := at(72, 700, "Course") + at(250, 700, "Room") + at(72, 680, "Safe use of") + at(250, 680, "Hall 5") + at(72, 668, "the lathe") + at(72, 648, "Welding") + at(250, 648, "Hall 2")
	for i, l := range []string{"Bright Dental", "12 High Street", "Ennis"} {
		header += at(72, 700-12*i, l) + at(320, 700-12*i, []string{"Invoice no: K-7", "Date: 3 May 2026", "Due: 2 June 2026"}[i])
	}
	for _, c := range []struct{ name, stream, want string }{
		{"columns", columns, strings.Join(left, "\n") + "\n\n" + strings.Join(right, "\n")},
		{"columns whose lines are not level", skewed, strings.Join(left, "\n") + "\n\n" + strings.Join(right, "\n")},
		{"a heading over columns", at(72, 760, "All about the keeper of the light and its visitors") + columns, "All about the keeper of the light and its visitors\n\n" + strings.Join(left, "\n") + "\n\n" + strings.Join(right, "\n")},
		{"a table", table, "Test  Price  Sample\nIron  12.40  blood\nZinc         water\nLead  9.80   blood"},
		{"rows of several lines", wrapped, "Course                 Room\nSafe use of the lathe  Hall 5\nWelding                Hall 2"},
		{"an address beside an invoice's data", header, "Bright Dental\n12 High Street\nEnnis\n\nInvoice no: K-7\nDate: 3 May 2026\nDue: 2 June 2026"},
		{"a power", "BT /F2 10 Tf 72 700 Td (5 x 10) Tj /F2 6 Tf 36 4 Td (-6) Tj /F2 10 Tf 12 -4 Td (m) Tj ET", "5 x 10⁻⁶ m"},
		{"a note's mark", "BT /F2 10 Tf 72 700 Td (a year.) Tj /F2 6 Tf 42 4 Td (12) Tj ET", "a year.¹²"},
		{"an index", "BT /F2 10 Tf 72 700 Td (H) Tj /F2 6 Tf 6 -2 Td (2) Tj /F2 10 Tf 4 2 Td (O) Tj ET", "H₂O"},
		{"words broken at line ends", at(72, 700, "Returns within four-") + at(72, 688, "teen days to the well-") + at(72, 676, "known shop for 20-") + at(72, 664, "30 euros"),
			"Returns within fourteen\ndays to the well-known\nshop for 20-30\neuros"},
		{"a list's numbers", at(72, 700, "1.") + at(90, 700, "Open the lid") + at(72, 688, "2.") + at(90, 688, "Close it"), "1. Open the lid\n2. Close it"},
		{"drawn twice to look bold", at(72, 700, "Bold") + "BT /F2 10 Tf 72.3 700 Td (Bold) Tj ET", "Bold"},
	} {
		d := mustRead(t, "a.pdf", makePDF(c.stream), nil)
		if d.Text != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, d.Text, c.want)
		}
		check(t, d, nil)
	}
	d := mustRead(t, "a.pdf", makePDF(at(72, 700, "All visitors must be accom-"), at(72, 700, "panied by staff.")), nil)
	if ps := check(t, d, nil); ps[0].Text != "All visitors must be accompanied" || ps[1].Text != "by staff." {
		t.Errorf("over pages: %q %q", ps[0].Text, ps[1].Text)
	}
}

func TestPDFRightToLeft(t *testing.T) {
	for _, c := range []struct{ drawn, want string }{
		{"8:30 העשב חותפ דרשמה", "המשרד פתוח בשעה 8:30"},
		{".םלוכל םניח Office 365 תורישה", "השירות Office 365 חינם לכולם."},
		{"The word םולש לודג is Hebrew", "The word גדול שלום is Hebrew"},
		{"(רטמ 12,5) קוחר", "רחוק (12,5 מטר)"},
		{"المدينة كبيرة", "المدينة كبيرة"}, // drawn as it is read
	} {
		var words []pdfWord
		for i, w := range strings.Fields(c.drawn) {
			words = append(words, pdfWord{text: []byte(w), dir: [2]float64{1, 0}, x0: float64(100 * i), x1: float64(100*i + 97), size: 10, em: 10, blank: true})
		}
		if got := pieceOf(words, drawnInOrder(words)).text; got != c.want {
			t.Errorf("%q: %q, want %q", c.drawn, got, c.want)
		}
	}
}
