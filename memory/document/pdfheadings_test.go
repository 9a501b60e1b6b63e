package document

import (
	"fmt"
	"strings"
	"testing"
)

// drawn is a page of lines, each with its size, 30 points apart.
func drawn(lines ...string) string {
	var b strings.Builder
	for i, l := range lines {
		size, words, _ := strings.Cut(l, " ")
		fmt.Fprintf(&b, "BT /F1 %s Tf 72 %d Td (%s) Tj ET\n", size, 720-30*i, words)
	}
	return b.String()
}

func TestPDFHeadings(t *testing.T) {
	body := "10 Long lines of body text stand here so that most is body text."
	for _, c := range []struct {
		name  string
		pages []string
		want  string
	}{
		{"two levels over a page's end", []string{
			drawn("18 Act One", body, body, "14 1.2 Of Ships", body, body, body, body, body), drawn(body, body, body, "14 1.3 Of Rafts", body, body, body, "18 Act Two", body, body)},
			"1 Act One|1 Act One > 1.2 Of Ships|2 Act One > 1.2 Of Ships|2 Act One > 1.3 Of Rafts|2 Act Two"},
		{"of several lines", []string{
			"BT /F1 16 Tf 18 TL 72 720 Td (A Heading of) Tj T* (two lines) Tj ET " + strings.ReplaceAll(drawn("10 x", "10 x", "10 x", body, body, body, body, body, body, body), "(x)", "()")},
			"1 A Heading of two lines"},
		{"none is larger", []string{drawn(body, "10 Title", body)}, "1 "},
		{"a running title", []string{drawn("14 Report", body, body, body, body), drawn("14 Report", body, body, body, body), drawn("14 Report", body, body, body, body)}, "1 |2 |3 "},
		{"slides", []string{drawn("24 Plan", "12 one", "20 two"), drawn("24 Next", "12 one", "20 two")}, "1 |2 "},
		{"a large number", []string{drawn("30 42", body, body, body, body)}, "1 "},
	} {
		d := mustRead(t, "a.pdf", makePDF(c.pages...), nil)
		var got []string
		for _, p := range check(t, d, nil) {
			one := fmt.Sprintf("%d %s", p.Page, p.Section)
			if len(got) == 0 || got[len(got)-1] != one {
				got = append(got, one)
			}
		}
		if strings.Join(got, "|") != c.want {
			t.Errorf("%s: %s, want %s", c.name, strings.Join(got, "|"), c.want)
		}
		for _, b := range d.Blocks[1:] {
			if b.Start == 0 {
				t.Errorf("%s: a block begins the text twice", c.name)
			}
		}
	}
	// A heading is body text, too: should it be none, nothing is lost.
	d := mustRead(t, "a.pdf", makePDF(drawn("18 Act One", body, body, body, body)), nil)
	if ps := check(t, d, nil); !strings.HasPrefix(ps[0].Text, "Act One\n") {
		t.Errorf("%q", ps[0].Text)
	}
}
