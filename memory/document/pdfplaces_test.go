package document

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"example.com/assay/memory/text"
)

// placesOf returns the places of words of a PDF's text, in tenths of a point, and whether they have
// letters only.
func placesOf(t *testing.T, raw string, words ...string) (out []string) {
	t.Helper()
	d := mustRead(t, "a.pdf", raw, nil)
	var spans []text.Span
	for _, w := range words {
		at := strings.Index(d.Text, w)
		if at < 0 {
			t.Fatalf("no %q in %q", w, d.Text)
		}
		spans = append(spans, text.Span{Start: at, End: at + len(w)})
	}
	pages, err := PlacesInPDF(t.Context(), []byte(raw), d.Text, spans)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pages {
		for _, x := range p.Places {
			out = append(out, fmt.Sprintf("%d %s %v %v %v %v", p.Number, d.Text[x.Start:x.End], math.Round(x.X0), math.Round(x.Y0), math.Round(x.X1), math.Round(x.Y1)))
		}
	}
	return out
}

// A glyph of F2 is .6 em wide. Its rectangle reaches from .2 em below the line to .8 em above it.
func TestPlacesInPDF(t *testing.T) {
	column := func(x int, lines ...string) (out string) {
		for i, l := range lines {
			out += fmt.Sprintf("BT /F2 10 Tf %d %d Td (%s) Tj ET ", x, 700-12*i, l)
		}
		return out
	}
	left := column(72, "the house that stands on the hill", "has a roof which is made of slate", "and has been there since anybody", "can remember it being there")
	right := column(340, "near it runs a river that is deep", "and carries boats to the harbour", "where they are laden with grain", "before they sail to the sea")
	turned := func(turn int) string {
		return pdfOf(fmt.Sprintf("/MediaBox [0 0 612 792] /CropBox [10 20 500 760] /Rotate %d", turn), "BT /F2 10 Tf 72 700 Td (ab cd) Tj ET")
	}
	for _, c := range []struct {
		name, raw string
		words     []string
		want      string
	}{
		{"a word", makePDF("BT /F2 10 Tf 72 700 Td (ab cd ef) Tj ET"), []string{"cd"}, "1 cd 90 84 102 94"},
		{"letters of a word", makePDF("BT /F2 10 Tf 72 700 Td (abcd) Tj ET"), []string{"bc"}, "1 bc 78 84 90 94"},
		{"several words", makePDF("BT /F2 10 Tf 72 700 Td (ab cd ef) Tj ET"), []string{"ab", "ef"}, "1 ab 72 84 84 94, 1 ef 108 84 120 94"},
		{"over lines", makePDF("BT /F2 10 Tf 12 TL 72 700 Td (ab cd) Tj T* (ef gh) Tj ET"), []string{"cd\nef"}, "1 cd 90 84 102 94, 1 ef 72 96 84 106"},
		{"a broken word", makePDF("BT /F2 10 Tf 12 TL 72 700 Td (they were exam-) Tj T* (ined again) Tj ET"), []string{"examined"}, "1 exam 132 84 156 94, 1 ined 72 96 96 106"},
		{"the second of two pages", makePDF("BT /F2 10 Tf 72 700 Td (ab) Tj ET", "BT /F2 10 Tf 72 600 Td (ab cd) Tj ET"), []string{"cd"}, "2 cd 90 184 102 194"},
		{"columns drawn line by line", makePDF(left + right), []string{"since anybody\ncan", "near it"}, "1 since anybody 186 108 264 118, 1 can 72 120 90 130, 1 near it 340 84 382 94"},
		{"the right column first", makePDF(right + left), []string{"on the hill", "grain"}, "1 on the hill 204 84 270 94, 1 grain 496 108 526 118"},
		{"cells with two lines", makePDF(column(72, "Item", "Lamp", "Rope") + column(200, "Price", "12.40", "3.10") + column(300, "Place", "shelf", "wall")), []string{"3.10"}, "1 3.10 200 108 224 118"},
		{"a cell with two lines", makePDF("BT /F2 10 Tf 72 700 Td (Item) Tj 128 0 Td (Price) Tj ET BT /F2 10 Tf 72 684 Td (Lamp of) Tj 128 0 Td (12.40) Tj ET BT /F2 10 Tf 72 676 Td (brass) Tj ET BT /F2 10 Tf 72 660 Td (Rope) Tj 128 0 Td (3.10) Tj ET"), []string{"Lamp of brass", "12.40"}, "1 Lamp of 72 100 114 110, 1 brass 72 108 102 118, 1 12.40 200 100 230 110"},
		{"cropped", turned(0), []string{"cd"}, "1 cd 80 52 92 62"},
		{"turned right", turned(90), []string{"cd"}, "1 cd 678 80 688 92"},
		{"on its head", turned(180), []string{"cd"}, "1 cd 398 678 410 688"},
		{"turned left", turned(-90), []string{"cd"}, "1 cd 52 398 62 410"},
		{"text that is turned", makePDF("BT /F2 10 Tf 0 1 -1 0 300 100 Tm (up there) Tj ET"), []string{"there"}, "1 there 292 644 302 674"},
		{"drawn twice", makePDF("BT /F2 10 Tf 72 700 Td (ab) Tj ET BT /F2 10 Tf 72.2 700 Td (ab) Tj ET BT /F2 10 Tf 90 700 Td (cd) Tj ET"), []string{"cd"}, "1 cd 90 84 102 94"},
	} {
		if got := strings.Join(placesOf(t, c.raw, c.words...), ", "); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// Letters of a line are read from right to left where most are, numbers in it from left to right.
func TestLettersToRead(t *testing.T) {
	for drawn, want := range map[string]string{"םולש": "שלום", "12.5 םולש": "שלום12.5", "abc בא de": "abcאבde"} {
		var all []pdfLetter
		x := 0.0
		for _, r := range drawn {
			if x++; r != ' ' {
				all = append(all, pdfLetter{letter: r, box: [4]float64{x, 0, x + 1, 1}})
			}
		}
		got := ""
		for _, l := range lettersToRead(all) {
			got += string(l.letter)
		}
		if got != want {
			t.Errorf("%q is read %q, want %q", drawn, got, want)
		}
	}
}

// Where the letters are not on the page nothing is placed, and other pages are an error.
func TestPlacesThatAreNot(t *testing.T) {
	raw := []byte(makePDF("BT /F2 10 Tf 72 700 Td (ab cd ef gh) Tj ET", "", "BT /F2 10 Tf 72 700 Td (last) Tj ET"))
	whole := "ab cd ex gh" + pageBreak + "a scan" + pageBreak + "last"
	span := func(w string) text.Span { at := strings.Index(whole, w); return text.Span{Start: at, End: at + len(w)} }
	pages, err := PlacesInPDF(t.Context(), raw, whole, []text.Span{span("cd ex"), span("gh"), span("a scan")})
	if err != nil || len(pages) != 3 || len(pages[0].Places) != 1 || len(pages[1].Places) != 0 || pages[1].Width != 612 {
		t.Errorf("%+v, %v", pages, err)
	}
	for _, text := range []string{"ab", whole + pageBreak} {
		if _, err := PlacesInPDF(t.Context(), raw, text, nil); err != ErrOtherPages {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := PlacesInPDF(t.Context(), []byte("<html>"), "ab", nil); err == nil {
		t.Error("no PDF is read")
	}
}
