package render

import (
	"bytes"
	"cmp"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/mattn/go-runewidth"

	"example.com/assay/state/proof"
)

// Source shows passage i of a proof as a source: its marks, its place for a reader, and the
// bytes that are quoted from it. The line is not wrapped, so that the path can be copied. With
// links a terminal opens the file on a click (OSC 8).
func Source(p proof.Proof, i int, links bool) string {
	s := p.Passages[i]
	start, end := s.Start, s.End
	for n, q := range quotesIn(p, s) {
		if n == 0 {
			start, end = q.Start, q.End
		}
		start, end = min(start, q.Start), max(end, q.End)
	}
	d := p.Documents[s.Doc]
	place := Visible(Place(d.Path, d.Original, start, end))
	if file := cmp.Or(d.Original, d.Path); links && filepath.IsAbs(file) {
		place = "\x1b]8;;" + fileURL(filepath.ToSlash(file)) + "\x1b\\" + place + "\x1b]8;;\x1b\\"
	}
	out := fmt.Sprintf("• %s %s — %s\n", Visible(strings.Join(s.Marks, "")), Visible(s.Where), place)
	if s.Stale != "" {
		out += fmt.Sprintf("  stale: %s\n", Visible(s.Stale))
	}
	return out
}

// quotesIn are the quotes of a passage.
func quotesIn(p proof.Proof, s proof.Passage) []proof.Quote {
	var in []proof.Quote
	for _, f := range p.Findings {
		for _, q := range f.Quotes {
			if q.Doc == s.Doc && s.Start <= q.Start && q.End <= s.End {
				in = append(in, q)
			}
		}
	}
	return in
}

// placeOf names where a quote stands: the place in the document for a reader, if it is known,
// and the file.
func placeOf(p proof.Proof, q proof.Quote) string {
	d := p.Documents[q.Doc]
	place := fmt.Sprintf("%s, bytes %d–%d", d.Name, q.Start, q.End)
	if d.Path != "" {
		place = Place(d.Path, d.Original, q.Start, q.End)
	}
	for _, s := range p.Passages {
		if s.Doc == q.Doc && s.Start <= q.Start && q.End <= s.End {
			return Line(s.Where) + " — " + Visible(place)
		}
	}
	return Visible(place)
}

// Place names bytes of a source as a person finds them: the file itself, with the line and
// the bytes where the file is the text that they count in.
func Place(path, original string, start, end int) string {
	if original != "" {
		return original
	}
	if data, err := os.ReadFile(path); err == nil && start <= len(data) {
		return fmt.Sprintf("%s, line %d, bytes %d–%d", path, 1+bytes.Count(data[:start], []byte("\n")), start, end)
	}
	return fmt.Sprintf("%s, bytes %d–%d", path, start, end)
}

// fileURL is the address of a file. A path that begins with a drive's letter has a slash before it.
func fileURL(path string) string {
	return (&url.URL{Scheme: "file", Path: "/" + strings.TrimPrefix(path, "/")}).String()
}

// placeOnPage says where a value was read.
func placeOnPage(q proof.Quote) string {
	out := fmt.Sprintf("bytes %d–%d", q.Start, q.End)
	if q.Page > 0 {
		out = fmt.Sprintf("page %d, %s", q.Page, out)
	}
	if len(q.Boxes) > 0 {
		b := q.Boxes[0]
		out += fmt.Sprintf(", box %d,%d–%d,%d", b.X1, b.Y1, b.X2, b.Y2)
		if n := len(q.Boxes) - 1; n > 0 {
			out += fmt.Sprintf(" and %d more", n)
		}
	}
	return out
}

const widestValue = 60 // columns of a value

func cut(value string) string { return runewidth.Truncate(value, widestValue, "…") }

// table lays out rows in columns, the head first. Lines are not wrapped.
func (s *sheet) table(rows [][]string) {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], runewidth.StringWidth(cell))
		}
	}
	for _, row := range rows {
		last := len(row) - 1
		for i := range row[:last] {
			row[i] = runewidth.FillRight(row[i], widths[i])
		}
		s.line("%s", strings.TrimRight(strings.Join(row, "  "), " "))
	}
}
