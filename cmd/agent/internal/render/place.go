package render

import (
	"bytes"
	"cmp"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"

	"example.com/assay/memory/text"
	"example.com/assay/memory/text/wordnet"
	"example.com/assay/state/proof"
)

// Source shows passage i of a proof as a source: its marks, its place for a reader, and the quoted
// bytes. The line is not wrapped, so that the path can be copied. With links, a terminal opens the
// file on a click (OSC 8).
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

// quotesIn returns the quotes from a passage.
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

// placeOf says where a quote stands: the place in the document for a reader, if it is known, and
// the file.
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

// Place says where a person finds bytes of a source: in the original file, if the text was extracted
// from one, else in the file itself, at a line and its bytes.
func Place(path, original string, start, end int) string {
	if original != "" {
		return original
	}
	if data, err := os.ReadFile(path); err == nil && start <= len(data) {
		return fmt.Sprintf("%s, line %d, bytes %d–%d", path, 1+bytes.Count(data[:start], []byte("\n")), start, end)
	}
	return fmt.Sprintf("%s, bytes %d–%d", path, start, end)
}

// fileURL is the address of a file. A path with a drive's letter gets a slash before it.
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

// withLines restores the source's line breaks in each quotation of an answer: those between lines of
// code, items and paragraphs. Lines that the source only wrapped stay joined. A quote that begins
// or ends inside a sentence gets an ellipsis there.
func withLines(text string, p proof.Proof) string {
	for _, f := range p.Findings {
		for _, q := range f.Quotes {
			before, after := cutOf(q, p.Passages)
			lines := sourceLines(q.Text)
			for i, l := range lines { // an item inside a quote must not begin a list of the answer
				if rest, ok := strings.CutPrefix(l, "- "); ok {
					lines[i] = "• " + rest
				}
			}
			shown := "“" + before + strings.Join(lines, "\\\n  ") + after + "”"
			text = strings.ReplaceAll(text, "“"+OneLine(q.Text)+"”", shown)
		}
	}
	return text
}

// cutOf returns the ellipses of a quote.
func cutOf(q proof.Quote, passages []proof.Passage) (before, after string) {
	for _, p := range passages {
		if p.Doc == q.Doc && p.Start <= q.Start && q.End <= p.Start+len(p.Text) {
			return ellipses(p.Text, q.Start-p.Start, q.End-p.Start)
		}
	}
	return "", ""
}

// ellipses returns "…" for each end of the bytes from..to at which they leave out words of their
// sentence on the same line. A number or sign before a clause or an item does not count as a word.
func ellipses(s string, from, to int) (before, after string) {
	const ellipsis = "…"
	lineStart := strings.LastIndexByte(s[:from], '\n') + 1
	lineEnd := len(s)
	if at := strings.IndexByte(s[to:], '\n'); at >= 0 {
		lineEnd = to + at
	}
	line := s[lineStart:lineEnd]
	for _, sentence := range text.Sentences(line) {
		start, end := lineStart+sentence.Start, lineStart+sentence.End
		if start < from && from < end && hasWord(s[start:from]) {
			before = ellipsis
		}
		if start < to && to < end && hasWord(s[to:end]) {
			after = ellipsis
		}
	}
	return before, after
}

// hasWord reports whether a text has two letters that follow each other.
func hasWord(s string) bool {
	letters := 0
	for _, r := range s {
		if !unicode.IsLetter(r) {
			letters = 0
		} else if letters++; letters == 2 {
			return true
		}
	}
	return false
}

// wrapped is the length, in characters, of the shortest line that may have been wrapped at the width
// of a page.
const wrapped = 60

// sourceLines returns the lines of a text with their indentation. It joins wrapped lines.
func sourceLines(text string) []string {
	var out []string
	long := false // the last line may have been wrapped
	for _, line := range strings.Split(strings.ReplaceAll(text, "\t", "    "), "\n") {
		words := strings.Join(strings.Fields(line), " ")
		switch last := len(out) - 1; {
		case words == "":
		case long:
			out[last] = unwrapped(out[last], words)
		default:
			out = append(out, line[:len(line)-len(strings.TrimLeft(line, " "))]+words)
		}
		long = utf8.RuneCountInString(words) >= wrapped && !strings.HasSuffix(words, ":")
	}
	return out
}

// unwrapped joins two lines. It drops a hyphen at the end of the first line if the joined word is a
// known word.
func unwrapped(first, second string) string {
	start, parted := strings.CutSuffix(first, "-")
	if !parted {
		return first + " " + second
	}
	head := start[strings.LastIndexAny(start, " (\"“")+1:]
	tail := second
	if end := strings.IndexAny(second, " .,;:)\"”"); end >= 0 {
		tail = second[:end]
	}
	if len(wordnet.Bases(strings.ToLower(head+tail))) > 0 {
		return start + second
	}
	return first + second
}
