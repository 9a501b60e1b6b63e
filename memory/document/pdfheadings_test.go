package document

import (
	"fmt"
	"slices"
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

// Running heads, and page numbers with what stands beside them, are in no passage.
func TestPDFRunningLines(t *testing.T) {
	for _, c := range []struct {
		name       string
		head, foot func(page int) string
	}{
		{"a title and a number", func(int) string { return "10 The Manual, Release 4" }, func(p int) string { return fmt.Sprintf("10 %d", p+2) }},
		{"numbers at either side", func(int) string { return "14 The Manual" }, func(p int) string {
			if p%2 == 0 {
				return fmt.Sprintf("10 %d Chapter %d", p+2, p/3)
			}
			return fmt.Sprintf("10 Section %d.1 %d", p, p+2)
		}},
		{"of so many", func(p int) string { return fmt.Sprintf("10 Part %d", p/4) }, func(p int) string { return fmt.Sprintf("10 Manual %d / 12", p+1) }},
		{"small Roman numbers first", func(int) string { return "10 Manual" }, func(p int) string {
			if p < 3 {
				return "10 " + []string{"i", "ii", "iii"}[p]
			}
			return fmt.Sprintf("10 %d", p-2)
		}},
	} {
		var pages, running []string
		for p := range 12 {
			step := fmt.Sprintf("10 Step %d begins here", 3*p)
			pages = append(pages, drawn(c.head(p), step, fmt.Sprintf("10 Some body text of page %d stands here.", p), fmt.Sprintf("10 It ends with %d", 7*p), c.foot(p)))
			running = append(running, c.head(p)[3:], c.foot(p)[3:])
		}
		d := mustRead(t, "a.pdf", makePDF(pages...), nil)
		steps := 0
		for _, p := range check(t, d, nil) {
			steps += strings.Count(p.Text, "Step ") + strings.Count(p.Text, "It ends with ")
			for _, line := range strings.Split(p.Text, "\n") {
				if slices.Contains(running, line) {
					t.Errorf("%s: page %d has %q", c.name, p.Page, line)
				}
			}
		}
		if steps != 24 {
			t.Errorf("%s: %d lines of text are left", c.name, steps)
		}
	}
}
