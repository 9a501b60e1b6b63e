package extract_test

import (
	"strings"
	"testing"

	"example.com/assay/nodes/extract"
)

// Pieces at one height are a row, from the left; overlapping ones are two rows; a
// column that is read first does not tear rows apart.
func TestLayout(t *testing.T) {
	box := func(x1, y1, x2, y2 int) extract.Box { return extract.Box{X1: x1, Y1: y1, X2: x2, Y2: y2} }
	doc := extract.Layout("page", []extract.Line{
		{"60.95", box(300, 42, 360, 58)}, {"LANTERN  AND", box(10, 0, 100, 15)}, {"WICK", box(110, 2, 150, 17)}, {"TOTAL", box(10, 40, 80, 55)},
		{"RM", box(280, 41, 298, 56)}, {"", box(0, 0, 9, 9)}, {"over", box(10, 44, 80, 59)}, {"turned", box(80, 95, 10, 80)},
	})
	const want = "LANTERN AND WICK\nTOTAL RM 60.95\nover\nturned\n"
	if doc.Text != want {
		t.Fatalf("%q; want %q", doc.Text, want)
	}
	for _, b := range doc.Boxes {
		if got := doc.Text[b.Start:b.End]; strings.Contains(got, "\n") || 1+strings.Count(doc.Text[:b.Start], "\n") != b.Row || b.Box.X2 < b.Box.X1 {
			t.Errorf("%+v is %q", b, got)
		}
	}
	if at := strings.Index(want, "RM 60.95"); len(doc.BoxesIn(at, at+8)) != 2 {
		t.Error("an amount in two boxes has not two")
	}
}

func FuzzLayout(f *testing.F) {
	f.Add("a", "b c", 0, 0, 5, 5)
	f.Fuzz(func(t *testing.T, a, b string, x, y, w, h int) {
		doc := extract.Layout("page", []extract.Line{{a, extract.Box{X1: x, Y1: y, X2: w, Y2: h}}, {b, extract.Box{X1: h, Y1: w, X2: y, Y2: x}}})
		for _, p := range doc.Boxes {
			if p.Start < 0 || p.End > len(doc.Text) || p.Start >= p.End || strings.Contains(doc.Text[p.Start:p.End], "\n") {
				t.Errorf("%+v of %q", p, doc.Text)
			}
		}
	})
}
