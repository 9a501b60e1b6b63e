package document

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/assay/memory/text/pattern"
)

type pdfLine struct {
	text  string
	size  float64 // of most of its letters, in points
	base  float64 // height of its base line
	fresh bool    // it begins a column, or text in another direction
	row   bool    // it continues the table of the line above
	apart bool    // a blank line precedes it

	letters []pdfLetter // in their order, if they were asked for
}

// A pdfPiece is the text on one line without a wide gap: a line of a column, or a cell.
type pdfPiece struct {
	pdfLine
	x0, x1 float64
	words  int
}

// Rules of layout, in em.
const (
	wideGap    = .95 // between pieces
	spaceGap   = .16 // between words
	sameLine   = .5  // between base lines
	leastLines = 3   // of a column
	mostDepth  = 10  // columns in columns
)

// lines puts a page's words into reading order. Text that is turned follows.
func (g *glyphs) lines() []pdfLine {
	var out []pdfLine
	logical := drawnInOrder(g.words)
	words := g.words
	for turn := 0; len(words) > 0; turn++ {
		dir := words[0].dir
		var same, others []pdfWord
		for _, w := range words {
			if w.dir[0]*dir[0]+w.dir[1]*dir[1] > .99 {
				same = append(same, w)
			} else {
				others = append(others, w)
			}
		}
		if turn == 16 { // nobody turns text in more ways
			same, others = words, nil
		}
		list := readingOrder(pieces(same, logical), 0)
		if len(out) > 0 && len(list) > 0 {
			list[0].fresh, list[0].apart = true, true
		}
		out, words = append(out, list...), others
	}
	spaceOut(out)
	return out
}

// spaceOut marks the lines whose distance from the line above is clearly larger than the page's
// usual one.
func spaceOut(lines []pdfLine) {
	var drops []float64
	for i := 1; i < len(lines); i++ {
		if d := lines[i-1].base - lines[i].base; d > 0 && !lines[i].fresh {
			drops = append(drops, d)
		}
	}
	usual := math.Inf(1)
	if len(drops) > 0 {
		slices.Sort(drops)
		usual = drops[len(drops)/2]
	}
	for i := 1; i < len(lines); i++ {
		l, before := &lines[i], lines[i-1]
		switch {
		case l.apart:
		case l.fresh: // a sentence may continue in the next column
			l.apart = !startsLower(l.text) && !strings.HasSuffix(before.text, "-") || strings.ContainsRune(sentenceEnd, lastRune(before.text))
		case l.row:
		default:
			l.apart = before.base-l.base > 1.3*usual
		}
	}
}

func startsLower(s string) bool {
	c, _ := utf8.DecodeRuneInString(s)
	return unicode.IsLower(c)
}

var listMark = pattern.New(`^(?:[(\[]?[\pL\pN]{1,4}[.)\]]|\d{1,3}(?:\.\d{1,3})+\.?|[•‣▪◦·*–—-])$`)

// shortDate matches a day that looks like a section number: "19.08.25".
var shortDate = pattern.New(`^(?:0?[1-9]|[12]\d|3[01])\.(?:0?[1-9]|1[0-2])\.\d\d$`)

func isListMark(s string) bool { return listMark.MatchString(s) && !shortDate.MatchString(s) }

func pieces(words []pdfWord, logical bool) []pdfPiece {
	slices.SortStableFunc(words, func(a, b pdfWord) int { return cmp.Compare(b.base, a.base) })
	var out []pdfPiece
	for i := 0; i < len(words); {
		anchor, j := words[i], i+1
		for j < len(words) && anchor.base-words[j].base <= sameLine*max(anchor.size, words[j].size) {
			if words[j].size > 1.1*anchor.size {
				anchor = words[j]
			}
			j++
		}
		out = append(out, piecesOfLine(words[i:j], logical)...)
		i = j
	}
	slices.SortStableFunc(out, func(a, b pdfPiece) int { return cmp.Compare(b.base, a.base) })
	return out
}

// piecesOfLine cuts the words of one base line at wide gaps. In justified lines the gaps are equal
// and narrower.
func piecesOfLine(line []pdfWord, logical bool) []pdfPiece {
	slices.SortStableFunc(line, func(a, b pdfWord) int { return cmp.Compare(a.x0, b.x0) })
	kept := line[:1]
	narrowest, gaps, lower := math.Inf(1), 0, 0
	for _, w := range line[1:] {
		last := kept[len(kept)-1]
		if math.Abs(w.x0-last.x0) < .3*w.em && math.Abs(w.base-last.base) < .3*w.size && string(w.text) == string(last.text) {
			continue // drawn twice, to look bold
		}
		if gap := w.x0 - last.x1; gap > spaceGap*w.em {
			narrowest, gaps = min(narrowest, gap), gaps+1
			if startsLower(string(w.text)) {
				lower++
			}
		}
		kept = append(kept, w)
	}
	var out []pdfPiece
	from := 0
	for i := 1; i <= len(kept); i++ {
		if i < len(kept) {
			em := min(kept[i-1].em, kept[i].em)
			gap := kept[i].x0 - kept[i-1].x1
			stretched := gaps >= 4 && gap < 2*em && gap < 1.6*narrowest && 2*lower >= gaps
			if gap <= wideGap*em || stretched || i == 1 && gap < 4*em && isListMark(string(kept[from].text)) {
				continue
			}
		}
		out = append(out, pieceOf(kept[from:i], logical))
		from = i
	}
	return out
}

// readingOrder puts pieces, which are sorted from the top, into lines.
func readingOrder(list []pdfPiece, depth int) []pdfLine {
	if depth < mostDepth {
		if parts, ok := columns(list); ok {
			var out []pdfLine
			for i, part := range parts {
				lines := readingOrder(part, depth+1)
				if i > 0 && len(lines) > 0 && len(out) > 0 {
					lines[0].fresh = true
				}
				out = append(out, lines...)
			}
			return out
		}
	}
	return tableLines(rowsOf(list))
}

// columns finds two columns of text next to each other and returns the pieces above, left, right
// and below. Cells of a table do not count as columns.
func columns(list []pdfPiece) (parts [4][]pdfPiece, ok bool) {
	if len(list) < 2*leastLines {
		return parts, false
	}
	counts := map[int]int{}
	leftmost := math.Inf(1)
	for _, p := range list {
		counts[int(math.Round(p.x0/4))]++
		leftmost = min(leftmost, p.x0)
	}
	var at []int
	for x, n := range counts {
		if n+counts[x+1] >= leastLines && float64(4*x) > leftmost+3*list[0].size {
			at = append(at, x)
		}
	}
	slices.SortFunc(at, func(a, b int) int { return cmp.Or(counts[b]-counts[a], a-b) })
	from, to, edge := 0, 0, 0.0
	for _, x := range at[:min(len(at), 8)] {
		x0 := float64(4*x) - 3
		for i := 0; i < len(list); {
			j := i
			for j < len(list) && (list[j].x0 >= x0 || list[j].x1 <= x0-.5*list[j].size+3) {
				j++
			}
			if a, b := trimmed(list, i, j); b-a > to-from && sideBySide(list[a:b], x0) {
				from, to, edge = a, b, x0
			}
			i = max(j, i+1)
		}
	}
	if to == 0 {
		return parts, false
	}
	parts[0], parts[3] = list[:from], list[to:]
	for _, p := range list[from:to] {
		if p.x0 >= edge {
			parts[2] = append(parts[2], p)
		} else {
			parts[1] = append(parts[1], p)
		}
	}
	return parts, true
}

// trimmed excludes lines at the ends of a run that are far from the rest, such as running heads.
func trimmed(list []pdfPiece, from, to int) (int, int) {
	drops := make([]float64, 0, to-from)
	for i := from + 1; i < to; i++ {
		if d := list[i-1].base - list[i].base; d > .3*list[i].size {
			drops = append(drops, d)
		}
	}
	if len(drops) < leastLines {
		return from, to
	}
	slices.Sort(drops)
	far := 2.4 * max(drops[len(drops)/3], list[(from+to)/2].size)
	a, b := from, to
	for i := from + 1; i < min(to, from+7); i++ {
		if list[i-1].base-list[i].base > far {
			a = i
		}
	}
	for i := to - 1; i > max(a, to-7); i-- {
		if list[i-1].base-list[i].base > far {
			b = i
		}
	}
	return a, b
}

// sideBySide reports whether both sides of a gutter are text to be read one after the other.
func sideBySide(run []pdfPiece, edge float64) bool {
	var left, right []pdfPiece
	for _, p := range run {
		if p.x0 >= edge {
			right = append(right, p)
		} else {
			left = append(left, p)
		}
	}
	if len(left) < leastLines || len(right) < leastLines {
		return false
	}
	// Base lines that one side has and the other has not.
	alone, i := 0, 0
	for _, p := range right {
		for i+1 < len(left) && math.Abs(left[i+1].base-p.base) <= math.Abs(left[i].base-p.base) {
			i++
		}
		if math.Abs(left[i].base-p.base) > .15*p.size {
			alone++
		}
	}
	if labelled(left) != labelled(right) && wordsIn(left) > 1.2 && wordsIn(right) > 1.2 || strings.HasSuffix(left[0].text, ":") && strings.HasSuffix(right[0].text, ":") {
		return true // an address next to the data of an invoice, sender next to receiver
	}
	l, r := running(left), running(right)
	if 3*alone > len(right) {
		return l && wordsIn(right) >= 1.5 || r && wordsIn(left) >= 1.5
	}
	return l && r && !sameRows(left, right)
}

var labelAhead = pattern.New(`^\pL[^:]{0,30}:\s`)

// labelled reports whether most lines have a label and a value.
func labelled(side []pdfPiece) bool {
	n := 0
	for _, p := range side {
		if labelAhead.MatchString(p.text) {
			n++
		}
	}
	return 3*n >= 2*len(side)
}

func wordsIn(side []pdfPiece) float64 {
	n := 0
	for _, p := range side {
		n += p.words
	}
	return float64(n) / float64(len(side))
}

// running reports whether lines are of running text: of several words, most of them as long
// as the column is wide, many beginning inside a sentence.
func running(side []pdfPiece) bool {
	widest := 0.0
	for _, p := range side {
		widest = max(widest, p.x1-p.x0)
	}
	full, cased, uncased, lower := 0, 0, 0, 0
	for _, p := range side {
		if p.x1-p.x0 > .65*widest {
			full++
		}
		c, _ := utf8.DecodeRuneInString(p.text)
		switch {
		case unicode.IsLower(c):
			lower++
			cased++
		case unicode.IsUpper(c):
			cased++
		case !strings.ContainsFunc(p.text, unicode.IsLower):
			uncased++
		}
	}
	if 2*uncased > len(side) { // a script without capitals, or a column of numbers
		return 3*full >= 2*len(side) && widest > 9*side[0].size && wordsIn(side) >= 1
	}
	return wordsIn(side) >= 2.5 && 5*full >= 2*len(side) && 10*lower >= 3*cased
}

// sameRows reports whether the gaps of two sides have the same heights, as in a table with several
// lines per row.
func sameRows(left, right []pdfPiece) bool {
	gaps := func(side []pdfPiece) (out []float64) {
		var drops []float64
		for i := 1; i < len(side); i++ {
			drops = append(drops, side[i-1].base-side[i].base)
		}
		usual := slices.Clone(drops)
		slices.Sort(usual)
		for i, d := range drops {
			if d > 1.25*usual[len(usual)/3] {
				out = append(out, side[i+1].base)
			}
		}
		return out
	}
	l, r := gaps(left), gaps(right)
	same := 0
	for _, y := range l {
		if slices.ContainsFunc(r[:min(len(r), 200)], func(z float64) bool { return math.Abs(y-z) < .3*left[0].size }) {
			same++
		}
	}
	return same >= 2 && 5*same >= 4*max(len(l), len(r))
}

// rowsOf groups pieces by base line, each from left to right.
func rowsOf(list []pdfPiece) [][]pdfPiece {
	var out [][]pdfPiece
	for i := 0; i < len(list); {
		j := i + 1
		for j < len(list) && list[i].base-list[j].base <= sameLine*min(list[i].size, list[j].size) {
			j++
		}
		row := slices.Clone(list[i:j])
		slices.SortStableFunc(row, func(a, b pdfPiece) int { return cmp.Compare(a.x0, b.x0) })
		if len(row) > 1 && row[1].x0-row[0].x1 < 4*row[0].size && isListMark(row[0].text) {
			row[1].text, row[1].x0 = row[0].text+" "+row[1].text, row[0].x0
			row[1].letters = slices.Concat(row[0].letters, row[1].letters)
			row = row[1:]
		}
		out = append(out, row)
		i = j
	}
	return out
}
