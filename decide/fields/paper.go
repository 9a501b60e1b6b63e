package fields

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/assay/memory/text/pattern"
	"example.com/assay/memory/text/values"
	"example.com/assay/skills"
)

// A region is a part of a text that holds a value or several, with what names them.
type region struct {
	start, end int
	name       string // the label, as it is written
	label      []term // of a field, a cell, a question; none for running text
	around     []term // headings, and what else stands by
	running    bool
	first      bool // below its heading
	heading    string
	sure       float64 // of the label
}

// A paper is a text as regions, with the values in it that have a shape.
type paper struct {
	text    string
	blocks  []skills.TextBlock
	regions []region
	lines   []span // those that are not blank, without marks of emphasis
	decimal byte
	found   map[kind][]values.Found
	cast    []role
	under   string         // the heading above
	taken   []values.Found // dates, numbers, codes and addresses, in their order
}

type span struct{ start, end int }

func newPaper(text string, blocks []skills.TextBlock) *paper {
	p := &paper{text: text, decimal: Decimal(text), found: map[kind][]values.Found{}}
	p.values()
	at := 0
	under, before := "", "" // the headings of a block, and of the rest in front of it
	for _, b := range blocks {
		if b.Start < at || b.End > len(text) || b.Start >= b.End || slices.ContainsFunc(b.Cells, func(c skills.TextCell) bool { return c.Start < b.Start || c.End > b.End || c.Start > c.End }) {
			continue
		}
		p.blocks = append(p.blocks, b)
		if b.Under != "" {
			under = b.Under
		}
		switch {
		case b.Kind == "row":
			p.rest(at, b.Start, before)
			before = under
			p.row(b)
			at = b.End
		case b.Kind == "field" && len(b.Cells) == 1 && !wideGap.MatchString(b.Label):
			p.rest(at, b.Start, before)
			before = under
			if len(p.lines) < 3 && !strings.ContainsAny(text[b.Start:b.Cells[0].Start], ":：") {
				p.lines = append(p.lines, span{b.Start, b.Start + len(b.Label)}) // a letterhead with something beside it
			}
			end := b.Cells[0].End
			if n := strings.IndexByte(text[b.Cells[0].Start:end], '\n'); n > 0 && strings.Contains(text[b.Cells[0].Start+n:end], ":") {
				end = b.Cells[0].Start + n
			}
			if gap := wideGap.FindStringIndex(text[b.Cells[0].Start:end]); gap != nil && !anyBox.MatchString(text[b.Cells[0].Start:end]) {
				end = b.Cells[0].Start + gap[0]
			}
			p.labelled(b.Label, b.Cells[0].Start, end, b.Under, .98)
			at = end
		case b.Kind == "answer" || b.Kind == "item" || b.Kind == "step" || b.Kind == "paragraph":
			if b.Label != "" && !strings.Contains(b.Label, "....") {
				p.regions = append(p.regions, region{start: b.Start, end: b.End, label: termsOf(b.Label), around: termsOf(b.Under), heading: b.Under, sure: .9})
			}
		}
	}
	p.rest(at, len(text), under)
	return p
}

// values finds what has a shape.
func (p *paper) values() {
	dates := values.Dates(p.text, nil)
	p.found[aDate] = dates
	p.found[aMail], p.found[anIBAN] = values.Mails(p.text), matches(ibanShape, p.text)
	outside := func(list []values.Found, others ...[]values.Found) []values.Found {
		return slices.DeleteFunc(list, func(v values.Found) bool {
			return slices.ContainsFunc(others, func(o []values.Found) bool { return v.In(o) })
		})
	}
	p.found[aCode] = outside(codes(p.text), dates, p.found[aMail])
	p.found[aPhone] = outside(values.Phones(p.text), dates, p.found[anIBAN])
	p.found[aNumber] = outside(numbers(p.text, p.decimal), dates, p.found[aMail], p.found[anIBAN], matches(monthShape, p.text))
	p.found[aPercent] = values.Percents(p.text)
	p.found[aPeriod] = periods(p.text, dates)
	p.found[aCurrency] = matches(moneySign, p.text)
	p.taken = slices.Concat(dates, p.found[aMail], p.found[aNumber], p.found[aCode])
	slices.SortStableFunc(p.taken, func(a, b values.Found) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End)) })
}

// in are the values of a kind that lie in a span.
func (p *paper) in(k kind, start, end int) []values.Found { return within(p.found[k], start, end) }

func within(list []values.Found, start, end int) []values.Found {
	from, _ := slices.BinarySearchFunc(list, start, func(v values.Found, at int) int { return cmp.Compare(v.Start, at) })
	to := from
	for to < len(list) && list[to].End <= end {
		to++
	}
	return list[from:to]
}

var (
	wideGap     = pattern.New(`\s{3,}|\t`)
	segmentOf   = pattern.New(`\t+\s*|[ \x{a0}]{2,}|\s+[|·•]\s+|\s*\.{4,}\s*`)
	loneHeading = pattern.New(`^[\p{Lu}][\p{Lu} &]{3,30}$`)
	listNumber  = pattern.New(`^(?:\d{1,3}[.)]|\(?[a-z]\)|[-•–])\s`)
	asked       = pattern.New(`^([^?]{3,90}\?)[*_]*\s+(\S.*)$`)
	named       = pattern.New(`^([^:]{1,70}?)[*_]*\s?:[*_]*\s+(\S.*)$`)
	sentences   = pattern.New(`(?:[\pL’']{4,}|[\d)%€°]|\b[Kk]m)[.!?][*_]*\s+|;\s+`)
)

// labelled adds a field.
func (p *paper) labelled(label string, start, end int, under string, sure float64) {
	start, end = p.trim(start, end)
	if start < end {
		p.regions = append(p.regions, region{start: start, end: end, name: label, label: termsOf(label), around: termsOf(under), heading: under, sure: sure})
	}
}

// trim takes white space and marks of emphasis from the ends of a span.
func (p *paper) trim(start, end int) (int, int) {
	s := p.text[start:end]
	left := strings.TrimLeftFunc(s, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("*_#>|", r) })
	left2 := strings.TrimRightFunc(left, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("*_|", r) })
	start += len(s) - len(left)
	return start, start + len(left2)
}

// row adds the cells of a row: named by their column, by the cell to their left, and by
// what begins the row.
func (p *paper) row(b skills.TextBlock) {
	first := ""
	for i, c := range b.Cells {
		s := strings.TrimSpace(p.text[c.Start:c.End])
		if s == "" {
			continue
		}
		inner, _ := p.trim(c.Start, c.End)
		if m := named.FindStringSubmatchIndex(p.text[inner:c.End]); m != nil && c.Header == "" { // a label and its value in one cell
			p.labelled(p.text[inner:inner+m[3]], inner+m[4], c.End, b.Under, .95)
			continue
		}
		left := ""
		for k := i - 1; k >= 0 && left == ""; k-- {
			left = strings.TrimSpace(p.text[b.Cells[k].Start:b.Cells[k].End])
		}
		if first != "" && i > 0 {
			sure := .95
			if slices.ContainsFunc(termsOf(c.Header), func(t term) bool { return !t.general() }) { // hours and not pay
				sure = .9
			}
			p.labelled(first, c.Start, c.End, b.Under+" "+c.Header, sure)
		}
		if left != "" && left != first && c.Header == "" {
			p.labelled(left, c.Start, c.End, b.Under, .95)
		}
		if c.Header != "" {
			p.labelled(c.Header, c.Start, c.End, first+" "+b.Under, .8)
		}
		if first == "" && strings.ContainsFunc(s, unicode.IsLetter) {
			first = s
		}
	}
}

// rest adds the lines of a text that is in no field and no row.
func (p *paper) rest(start, end int, under string) {
	if under != "" {
		p.under = under
	}
	under = p.under
	pending, open := "", span{-1, -1} // a label that ends its line; prose that goes on
	flush := func() {
		if open.start >= 0 {
			p.prose(open.start, open.end, under)
		}
		open = span{-1, -1}
	}
	for at := start; at < end; {
		next := end
		if n := strings.IndexByte(p.text[at:end], '\n'); n >= 0 {
			next = at + n
		}
		from, to := p.trim(at, next)
		line := p.text[from:to]
		heading := strings.HasPrefix(strings.TrimSpace(p.text[at:next]), "#")
		at = next + 1
		switch {
		case line == "":
			flush()
			pending = ""
			continue
		case heading || len(p.lines) > 0 && loneHeading.MatchString(line):
			flush()
			under, p.under = line, line
			p.lines = append(p.lines, span{from, to})
			p.prose(from, to, "")
			continue
		}
		if listNumber.MatchString(line) {
			flush()
		}
		p.lines = append(p.lines, span{from, to})
		if pending != "" {
			p.labelled(pending, from, to, under, .95)
			pending = ""
		}
		if strings.HasSuffix(strings.TrimRight(line, "*_ "), ":") && len(line) < 70 {
			flush()
			pending = line
			continue
		}
		segments := p.segments(from, to)
		if anyBox.MatchString(line) {
			segments = []span{{from, to}}
		}
		if len(segments) == 1 && !p.pair(from, to, under) {
			if open.start < 0 {
				open.start = from
			}
			open.end = to
			if len(line) < 50 {
				flush()
			}
			continue
		}
		if len(segments) > 1 {
			flush()
			p.side(segments, under)
		}
	}
	flush()
}

// segments are the parts of a line that gaps set apart.
func (p *paper) segments(from, to int) []span {
	var out []span
	at := from
	for _, gap := range segmentOf.FindAllStringIndex(p.text[from:to], -1) {
		if from+gap[0] > at {
			out = append(out, span{at, from + gap[0]})
		}
		at = from + gap[1]
	}
	if at < to {
		out = append(out, span{at, to})
	}
	return out
}

// pair adds a line that is a label with its value, or a question with its answer.
func (p *paper) pair(from, to int, under string) bool {
	s := p.text[from:to]
	for _, form := range []*pattern.Pattern{asked, named} {
		m := form.FindStringSubmatchIndex(s)
		if m == nil || len(strings.Fields(s[:m[3]])) > 14 || form == named && strings.Contains(s[:m[3]], ". ") {
			continue
		}
		p.labelled(s[:m[3]], from+m[4], to, under, .95)
		return true
	}
	return false
}

// side adds the segments of a line: one may name the next.
func (p *paper) side(segments []span, under string) {
	for i, s := range segments {
		if p.pair(s.start, s.end, under) {
			continue
		}
		p.prose(s.start, s.end, under)
		if i > 0 && (len(within(p.taken, segments[i-1].start, segments[i-1].end)) == 0 || entryTime.MatchString(p.text[segments[i-1].start:segments[i-1].end])) && !strings.HasSuffix(p.text[segments[i-1].start:segments[i-1].end], ":") {
			if before := p.text[segments[i-1].start:segments[i-1].end]; len(strings.Fields(before)) <= 7 {
				p.labelled(before, s.start, s.end, under, .9)
			}
		}
	}
}

// prose adds running text, sentence by sentence.
func (p *paper) prose(start, end int, under string) {
	at := start
	add := func(to int) {
		if from, to := p.trim(at, to); from < to {
			first := under != "" && (len(p.regions) == 0 || p.regions[len(p.regions)-1].heading != under)
			p.regions = append(p.regions, region{start: from, end: to, around: termsOf(under), heading: under, running: true, first: first, sure: .88})
		}
	}
	for _, m := range sentences.FindAllStringIndex(p.text[start:end], -1) {
		if c, _ := utf8.DecodeRuneInString(p.text[start+m[1]:]); p.text[start+m[0]] != ';' && (!unicode.IsUpper(c) || (values.Found{Start: start + m[0], End: start + m[1]}).In(p.found[aDate])) {
			continue
		}
		add(start + m[1])
		at = start + m[1]
	}
	add(end)
}
