package document

import (
	"fmt"
	"strings"
	"testing"
)

// A cross-reference stream that claims more objects than the standard allows is refused before
// the library makes a table for them.
func TestPDFClaims(t *testing.T) {
	const file = "%PDF-1.7\n1 0 obj\n<</Type/XRef/Size 2147483647/W[8 8 8]/Index[0 2147483647]/Root 1 0 R/Length 0>>stream\n\nendstream\nendobj\nstartxref\n9\n%%EOF\n"
	if _, err := read(t, "a.pdf", file, nil); err == nil || !strings.Contains(err.Error(), "claims more than") {
		t.Errorf("%v", err)
	}
}

// A tree of pages that holds itself twice at each place has no end, and is given up after some
// thousand parts.
func TestPDFTreeInItself(t *testing.T) {
	objects := []string{"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Count 9/Kids[3 0 R 3 0 R]>>", "<</Type/Pages/Count 9/Kids[2 0 R 2 0 R]>>"}
	var file strings.Builder
	var offsets []int
	file.WriteString("%PDF-1.4\n")
	for i, o := range objects {
		offsets = append(offsets, file.Len())
		fmt.Fprintf(&file, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	table := file.Len()
	fmt.Fprintf(&file, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, at := range offsets {
		fmt.Fprintf(&file, "%010d 00000 n \n", at)
	}
	fmt.Fprintf(&file, "trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, table)
	if _, err := read(t, "a.pdf", file.String(), nil); err == nil || !strings.Contains(err.Error(), "no text") && !strings.Contains(err.Error(), "0 pages") {
		t.Errorf("%v", err)
	}
}

// A chapter that is longer than any book's is left out and named; the others are read.
func TestLongChapter(t *testing.T) {
	d, err := read(t, "a.epub", epub(t, "<html><body>"+strings.Repeat("<p>x</p>", maxChapter/8)+"</body></html>"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Blocks) != 1 || d.LostRecords != 1 || !strings.Contains(strings.Join(d.Lost, ""), "longer than 8 MB") {
		t.Errorf("%d blocks, lost %d: %v", len(d.Blocks), d.LostRecords, d.Lost)
	}
}
