package document

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/ledongthuc/pdf"
	"golang.org/x/text/unicode/norm"

	"example.com/assay/memory/text"
)

// A PDFPage is a page of a PDF as a viewer shows it, with the places of parts of its text.
type PDFPage struct {
	Number        int     // from 1
	Width, Height float64 // in points
	Places        []Place
}

// A Place is where the bytes Start to End of a document's text are drawn: a rectangle in points from
// the upper left corner of the page.
type Place struct {
	Start, End     int
	X0, Y0, X1, Y1 float64
}

// ErrOtherPages says that a PDF does not have the pages of the text.
var ErrOtherPages = errors.New("the PDF has other pages than the text")

// mostPlaced bounds the pages whose letters PlacesInPDF looks for.
const mostPlaced = 40

// PlacesInPDF returns the pages of a PDF that hold the spans of its text, and the pages next to them.
// The text is the one that Load extracts from raw; the spans do not overlap. A span has a place for
// each of its lines, and together they hold exactly its letters. A span has no place where its
// letters are not found on the page, as in the text that another program has read.
func PlacesInPDF(ctx context.Context, raw []byte, whole string, spans []text.Span) ([]PDFPage, error) {
	return fromPDF(ctx, raw, func(list []pdf.Page) ([]PDFPage, error) {
		texts := strings.Split(whole, pageBreak)
		if len(texts) != len(list) {
			return nil, ErrOtherPages
		}
		var out []PDFPage
		start, placed := 0, 0
		add := func(n int) *PDFPage {
			if last := len(out); last > 0 && out[last-1].Number >= n+1 {
				return &out[last-1]
			}
			out = append(out, PDFPage{Number: n + 1})
			view := viewOf(list[n])
			out[len(out)-1].Width, out[len(out)-1].Height = view.size()
			return &out[len(out)-1]
		}
		for n, t := range texts {
			var these []text.Span
			for _, s := range spans {
				if s.Start < start+len(t) && s.End > start {
					these = append(these, text.Span{Start: max(s.Start-start, 0), End: min(s.End-start, len(t))})
				}
			}
			if len(these) > 0 && placed < mostPlaced {
				placed++
				if n > 0 {
					add(n - 1)
				}
				p := add(n)
				page, err := readPDFPage(ctx, list[n], true)
				if err != nil && ctx.Err() != nil {
					return nil, ctx.Err()
				}
				p.Places = page.places(t, these, viewOf(list[n]))
				for i := range p.Places {
					p.Places[i].Start, p.Places[i].End = p.Places[i].Start+start, p.Places[i].End+start
				}
				if n+1 < len(list) {
					add(n + 1)
				}
			}
			start += len(t) + len(pageBreak)
		}
		return out, nil
	})
}

// A pdfLetter is a letter with its rectangle in the coordinates of the page.
type pdfLetter struct {
	letter  rune
	box     [4]float64 // left, bottom, right, top
	upwards bool       // its line goes up or down
}

// Heights of a letter's rectangle, in its size.
const (
	ascent  = .8
	descent = -.2
)

// lettersOf returns the letters of a glyph that is width em wide. A ligature is divided.
func lettersOf(s string, trm matrix, width float64) []pdfLetter {
	var out []pdfLetter
	runes := []rune(norm.NFKC.String(s))
	for i, r := range runes {
		l := pdfLetter{r, [4]float64{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}, math.Abs(trm[1]) > math.Abs(trm[0])}
		for _, along := range []float64{width * float64(i) / float64(len(runes)), width * float64(i+1) / float64(len(runes))} {
			for _, up := range []float64{ascent, descent} {
				x, y := trm[0]*along+trm[2]*up+trm[4], trm[1]*along+trm[3]*up+trm[5]
				l.box = [4]float64{min(l.box[0], x), min(l.box[1], y), max(l.box[2], x), max(l.box[3], y)}
			}
		}
		out = append(out, l)
	}
	return out
}

// lettersToRead puts the letters of a line with words from right to left into reading order.
func lettersToRead(all []pdfLetter) []pdfLetter {
	var line []rune
	for _, l := range all {
		line = append(line, l.letter)
	}
	base := mostlyRightToLeft(string(line))
	slices.SortStableFunc(all, func(a, b pdfLetter) int {
		if base {
			return cmp.Compare(b.box[0], a.box[0])
		}
		return cmp.Compare(a.box[0], b.box[0])
	})
	digit := func(i int) bool { return i >= 0 && i < len(all) && unicode.IsDigit(all[i].letter) }
	against := func(i int) bool { // the letter is read in the other direction
		r := all[i].letter
		if !base {
			return isRightToLeft(string(r))
		}
		return digit(i) || unicode.IsLetter(r) && !isRightToLeft(string(r)) || strings.ContainsRune(".,:/-", r) && digit(i-1) && digit(i+1)
	}
	for i := 0; i < len(all); i++ {
		j := i
		for j < len(all) && against(j) {
			j++
		}
		slices.Reverse(all[i:j])
		i = max(i, j-1)
	}
	return all
}

// compared returns the form in which letters of a page and of its text are compared; 0 for those
// that only one of them need have.
func compared(r rune) rune {
	if m, ok := mirrored[r]; ok {
		return min(r, m)
	}
	switch {
	case r == '\u00ad' || unicode.IsSpace(r):
		return 0
	case strings.ContainsRune("‐‑−–", r):
		return '-'
	}
	return r
}

// places returns where spans of the page's text are drawn, with offsets in it.
func (p pdfPage) places(page string, spans []text.Span, view pdfView) []Place {
	var drawn, read []rune
	var letters []pdfLetter
	var at []text.Span
	for _, l := range p.rows {
		for _, x := range l.letters {
			if c := compared(x.letter); c != 0 {
				drawn, letters = append(drawn, c), append(letters, x)
			}
		}
	}
	for i, r := range page {
		size := len(string(r))
		for _, r := range norm.NFKC.String(string(r)) {
			if c := compared(r); c != 0 {
				read, at = append(read, c), append(at, text.Span{Start: i, End: i + size})
			}
		}
	}
	found, end := aligned(drawn, read)
	var out []Place
	for _, s := range spans {
		var these []Place
		whole := true
		for i := range read {
			if at[i].End <= s.Start || at[i].Start >= s.End {
				continue
			}
			if found[i] < 0 {
				whole = whole && (i >= end || read[i] == '-') // the next page has the rest of a word that it breaks
				continue
			}
			l := letters[found[i]]
			b := view.shown(l.box)
			b.Start, b.End = at[i].Start, at[i].End
			if n := len(these); n > 0 && these[n-1].goesOn(b, l.upwards != (view.turn%2 == 1)) {
				last := these[n-1]
				b = Place{last.Start, b.End, min(last.X0, b.X0), min(last.Y0, b.Y0), max(last.X1, b.X1), max(last.Y1, b.Y1)}
				these = these[:n-1]
			}
			these = append(these, b)
		}
		if whole {
			out = append(out, these...)
		}
	}
	return out
}

// goesOn reports whether a letter is on the line of a place and near it.
func (p Place) goesOn(b Place, upwards bool) bool {
	if upwards {
		p.X0, p.Y0, p.X1, p.Y1, b.X0, b.Y0, b.X1, b.Y1 = p.Y0, p.X0, p.Y1, p.X1, b.Y0, b.X0, b.Y1, b.X1
	}
	high := min(p.Y1-p.Y0, b.Y1-b.Y0)
	return min(p.Y1, b.Y1)-max(p.Y0, b.Y0) > .5*high && max(p.X0, b.X0)-min(p.X1, b.X1) < 1.5*high
}

// Rules for going on after letters that only one side has.
const (
	furthest = 200 // letters that are passed over
	agreeing = 6   // letters after them that are the same
)

// aligned returns for each letter that is read the index of the drawn one, or -1; both are in the
// same order. After end, nothing that was drawn is left.
func aligned(drawn, read []rune) (found []int, end int) {
	found = make([]int, len(read))
	for i := range found {
		found[i] = -1
	}
	d, r := 0, 0
	for d < len(drawn) && r < len(read) {
		if drawn[d] == read[r] {
			found[r] = d
			d, r = d+1, r+1
			continue
		}
		over, under, ok := again(drawn[d:], read[r:])
		if !ok {
			return found, len(read)
		}
		d, r = d+over, r+under
	}
	return found, r
}

// again returns how many letters to pass over on both sides, the fewest after which they agree.
func again(drawn, read []rune) (over, under int, ok bool) {
	for n := 1; n <= furthest; n++ {
		for over := max(0, n-len(read)); over <= min(n, len(drawn)); over++ {
			a, b := drawn[over:], read[n-over:]
			same := min(agreeing, len(a), len(b))
			if n <= 2 {
				same = min(same, 3)
			}
			if slices.Equal(a[:same], b[:same]) {
				return over, n - over, true
			}
		}
	}
	return 0, 0, false
}

// A pdfView is the part of a page that a viewer shows, and how it is turned.
type pdfView struct {
	box  [4]float64
	turn int // quarters, clockwise
}

func viewOf(p pdf.Page) pdfView {
	v := pdfView{box: [4]float64{0, 0, 612, 792}}
	get := func(key string) pdf.Value {
		at := p.V
		for range 64 {
			if found := at.Key(key); found.Kind() != pdf.Null {
				return found
			}
			at = at.Key("Parent")
		}
		return pdf.Value{}
	}
	read := func(key string) (b [4]float64, ok bool) {
		list := get(key)
		for i := range b {
			b[i] = list.Index(i).Float64()
		}
		b = [4]float64{min(b[0], b[2]), min(b[1], b[3]), max(b[0], b[2]), max(b[1], b[3])}
		return b, list.Len() == 4 && b[2] > b[0] && b[3] > b[1]
	}
	if media, ok := read("MediaBox"); ok {
		v.box = media
	}
	if crop, ok := read("CropBox"); ok {
		crop = [4]float64{max(crop[0], v.box[0]), max(crop[1], v.box[1]), min(crop[2], v.box[2]), min(crop[3], v.box[3])}
		if crop[2] > crop[0] && crop[3] > crop[1] {
			v.box = crop
		}
	}
	v.turn = int((get("Rotate").Int64()/90%4 + 4) % 4)
	return v
}

func (v pdfView) size() (width, height float64) {
	width, height = v.box[2]-v.box[0], v.box[3]-v.box[1]
	if v.turn%2 == 1 {
		return height, width
	}
	return width, height
}

// shown returns a rectangle of the page as the viewer shows it.
func (v pdfView) shown(b [4]float64) Place {
	left, right, up, down := b[0]-v.box[0], b[2]-v.box[0], v.box[3]-b[3], v.box[3]-b[1]
	width, height := v.box[2]-v.box[0], v.box[3]-v.box[1]
	switch v.turn {
	case 1:
		return Place{X0: height - down, X1: height - up, Y0: left, Y1: right}
	case 2:
		return Place{X0: width - right, X1: width - left, Y0: height - down, Y1: height - up}
	case 3:
		return Place{X0: up, X1: down, Y0: width - right, Y1: width - left}
	}
	return Place{X0: left, X1: right, Y0: up, Y1: down}
}
