package fields

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/assay/memory/text"
	"example.com/assay/memory/text/pattern"
	"example.com/assay/memory/text/values"
	"example.com/assay/skills"
)

// A region is a part of a text with one or more values and their label.
type region struct {
	start, end int
	name       string // the label, as it is written
	label      []term // label of a field, a cell or a question; none for running text
	around     []term // terms of headings and of the surroundings
	running    bool
	first      bool // directly below its heading
	heading    string
	sure       float64 // confidence in the label
}

// A paper is a text as regions, with its values by shape.
type paper struct {
	text    string
	blocks  []skills.TextBlock
	regions []region
	lines   []span // the non-blank lines, without marks of emphasis
	decimal byte
	found   map[kind][]values.Found
	cast    []role
	order   bool           // written by the buyer
	under   string         // the heading above
	taken   []values.Found // dates, numbers, codes and addresses, in order
}

type span struct{ start, end int }

func newPaper(text string, blocks []skills.TextBlock) *paper {
	p := &paper{text: text, decimal: Decimal(text), found: map[kind][]values.Found{}}
	p.values()
	at := 0
	under, before := "", ""     // the heading of a block, and of the text before it
	section, beforeIt := "", "" // the short line above fields, and the label to the left of a field
	for i, b := range named(p, blocks) {
		if b.Start < at {
			continue
		}
		p.blocks = append(p.blocks, b)
		if b.Under != "" {
			under = b.Under
		}
		if gap := strings.TrimSpace(text[at:b.Start]); gap != "" || strings.Contains(text[at:b.Start], "\n\n") {
			last := strings.TrimSpace(gap[strings.LastIndexByte(gap, '\n')+1:])
			if section = ""; last != "" && isLabel(last) && len(strings.Fields(last)) < 4 && !strings.ContainsAny(last, ",.:;") && strings.Count(text[at+strings.LastIndex(text[at:b.Start], last):b.Start], "\n") == 1 {
				section = last
			}
		}
		switch {
		case b.Kind == "row":
			p.rest(at, max(at, p.header(b)), before)
			if len(b.Cells) > 0 && len(p.lines) < 3 && b.Cells[0].Header == "" && (len(p.lines) == 0 || p.lines[len(p.lines)-1].end <= b.Start) {
				p.lines = append(p.lines, span{b.Cells[0].Start, b.Cells[0].End}) // the name in a letterhead; a date may stand to its right
			}
			before = under
			p.row(b)
			at = b.End
		case b.Kind == "field" && len(b.Cells) > 0 && !wideGap.MatchString(b.Label):
			first := b.Cells[0].Start
			colon := strings.ContainsAny(text[b.Start:first], ":：.=")
			if !colon && p.holds(b.Start, first) { // not a label: it contains a value
				continue
			}
			p.rest(at, b.Start, before)
			before = under
			if len(p.lines) < 3 && !colon {
				p.lines = append(p.lines, span{b.Start, b.Start + len(b.Label)}) // the name in a letterhead; a date may stand to its right
			}
			end := b.Cells[len(b.Cells)-1].End
			if n := strings.IndexByte(text[first:end], '\n'); n > 0 && strings.Contains(text[first+n:end], ":") {
				end = first + n
			}
			if gap := wideGap.FindStringIndex(text[first:end]); gap != nil && len(b.Cells) == 1 && !anyBox.MatchString(text[first:end]) {
				end = first + gap[0]
			}
			beside := b.Under
			if i > 0 && at > 0 && !strings.Contains(text[at:b.Start], "\n") {
				beside = beforeIt + "\n" + b.Under
			}
			beforeIt = b.Label
			p.labelled(b.Label, first, end, beside, .98)
			if section != "" {
				p.labelled(section+" "+b.Label, first, end, beside, .97)
			}
			at = end
		case b.Kind == "answer" || b.Kind == "item" || b.Kind == "step" || b.Kind == "paragraph" || b.Kind == "definition":
			if b.Label != "" && !strings.Contains(b.Label, "....") {
				start, _ := p.trim(b.Start, b.End)
				if rest, ok := strings.CutPrefix(text[start:b.End], b.Label); ok {
					start = b.End - len(rest)
				}
				p.labelled(b.Label, start, b.End, b.Under, .9)
			}
		}
	}
	p.rest(at, len(text), under)
	return p
}

// named makes rows from blocks below names: a label and a value that are both names in the table,
// above lines that are not.
func named(p *paper, blocks []skills.TextBlock) []skills.TextBlock {
	out := slices.DeleteFunc(slices.Clone(blocks), func(b skills.TextBlock) bool {
		return b.Start < 0 || b.End > len(p.text) || b.Start >= b.End || slices.ContainsFunc(b.Cells, func(c skills.TextCell) bool { return c.Start < b.Start || c.End > b.End || c.Start > c.End })
	})
	parts := func(b skills.TextBlock) (cells []skills.TextCell) {
		switch {
		case b.Kind == "field" && len(b.Cells) == 1 && !strings.ContainsAny(p.text[b.Start:b.Cells[0].Start], ":："):
			return []skills.TextCell{{Start: b.Start, End: min(b.Start+len(b.Label), b.Cells[0].Start)}, b.Cells[0]}
		case b.Kind == "row" && len(b.Cells) == 2 && b.Cells[0].Header == "" && b.Cells[1].Header == "":
			return b.Cells
		}
		return nil
	}
	said := func(c skills.TextCell) string { return p.text[c.Start:c.End] }
	for i := 0; i < len(out); i++ {
		names := parts(out[i])
		if names == nil || !p.known(said(names[0])) || !p.known(said(names[1])) {
			continue
		}
		n := i + 1
		for ; n < len(out) && n < i+6; n++ {
			cells := parts(out[n])
			if cells == nil || out[n].Start < out[n-1].End || strings.Contains(p.text[out[n-1].End:out[n].Start], "\n\n") && out[i].Kind == "field" || p.known(said(cells[0])) {
				break
			}
			out[n].Kind, out[n].Cells = "row", []skills.TextCell{{Header: said(names[0]), Start: cells[0].Start, End: cells[0].End}, {Header: said(names[1]), Start: cells[1].Start, End: cells[1].End}}
		}
		if n > i+1 {
			out = slices.Delete(out, i, i+1)
			i = n - 2
		}
	}
	return out
}

// known reports whether a text is a short label all of whose words the table has.
func (p *paper) known(s string) bool {
	terms := termsOf(s)
	return len(terms) > 0 && len(terms) < 4 && !slices.ContainsFunc(terms, func(t term) bool { return t[0].class == 0 }) && slices.ContainsFunc(terms, func(t term) bool { return t.weight() > 0 })
}

// values finds the values with a typical shape.
func (p *paper) values() {
	dates := values.Dates(p.text, nil)
	p.found[aDate] = dates
	p.found[aMail], p.found[anIBAN] = values.Mails(p.text), matches(ibanShape, p.text)
	outside := func(list []values.Found, others ...[]values.Found) []values.Found {
		return slices.DeleteFunc(list, func(v values.Found) bool {
			return slices.ContainsFunc(others, func(o []values.Found) bool { return v.In(o) })
		})
	}
	p.found[aCode] = slices.DeleteFunc(outside(codes(p.text), dates, p.found[aMail]), func(v values.Found) bool {
		return percentSign.MatchString(p.text[v.End:min(len(p.text), v.End+2)]) || strings.Contains(v.Value, ".") && cents.MatchString(v.Value)
	})
	p.found[aPhone] = outside(values.Phones(p.text), dates, p.found[anIBAN])
	p.found[aNumber] = outside(numbers(p.text, p.decimal), dates, p.found[aMail], p.found[anIBAN], values.Days(p.text, text.LanguageOf(p.text)))
	p.found[aTime] = outside(matches(timeShape, p.text), dates)
	p.found[aPercent] = values.Percents(p.text)
	p.found[aPeriod] = periods(p.text, dates)
	p.found[aCurrency] = matches(moneySign, p.text)
	p.taken = slices.Concat(dates, p.found[aMail], p.found[aNumber], p.found[aCode])
	slices.SortStableFunc(p.taken, func(a, b values.Found) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End)) })
}

// in returns the values of a kind in a span.
func (p *paper) in(k kind, start, end int) []values.Found { return within(p.found[k], start, end) }

// holds reports whether a span contains a value other than a percentage.
func (p *paper) holds(start, end int) bool {
	return slices.ContainsFunc(within(p.taken, start, end), func(v values.Found) bool { return !percentSign.MatchString(p.text[v.End:min(len(p.text), v.End+2)]) })
}

func within(list []values.Found, start, end int) []values.Found {
	from, _ := slices.BinarySearchFunc(list, start, func(v values.Found, at int) int { return cmp.Compare(v.Start, at) })
	to := from
	for to < len(list) && list[to].End <= end {
		to++
	}
	return list[from:to]
}

var (
	wideGap    = pattern.New(`\s{3,}|\t`)
	segmentOf  = pattern.New(`\t+\s*|[ \x{a0}]{2,}|\s+[|·•]\s+|\s*\.{4,}\s*`)
	labelled   = pattern.New(`^(?:[*_]*)([^:?]{1,70}[*_]*\s?:|[^?]{3,90}\?|[^*]{2,40}\*)[*_]*\s+(\S.*)$`)
	lettered   = pattern.New(`\pL{3}|\pL\.\pL`)
	innerColon = pattern.New(`\s?:\s+`)
	parted     = pattern.New(`(?:[|;·.–—]|&nbsp;|\s-|\s\s)\s*$`)
	numbered   = pattern.New(`\d[\d.,/]*(?:\s?%|\d)`)
	bracketed  = pattern.New(`\([^()]{1,60}\)`)
	sentences  = pattern.New(`(?:[\pL’']{4,}|[\d)%€°]|\b[Kk]m)[.!?][*_]*\s+|;\s+`)
)

// labelled adds a field, and the fields whose labels are inside its value.
func (p *paper) labelled(label string, start, end int, under string, sure float64) {
	whole, inner := end, 0
	defer func(end int) {
		if inner > 0 { // the inner field is next to this one
			p.labelled(p.text[whole:inner], inner, end, label+"\n"+under[strings.LastIndexByte(under, '\n')+1:], sure)
		}
	}(end)
	for at := start; at < end; { // the first label inside
		colon := innerColon.FindStringIndex(p.text[at:end])
		if colon == nil {
			break
		}
		from, ok := p.innerLabel(start, at+colon[0])
		if at += colon[1]; ok {
			whole, inner = from, at
			break
		}
	}
	if list, marked := p.choices(start, whole); list != nil { // the marked choice is the value
		tail := list[len(list)-1]
		if box := anyBox.FindStringIndex(p.text[start:whole]); strings.TrimSpace(p.text[start:start+box[0]]) != "" && list[0].start > start+box[0] {
			p.labelled(label, start, start+box[0], under, sure)
		}
		if colon := strings.LastIndex(p.text[tail.end:whole], ": "); colon >= 0 { // "if yes, which: nuts"
			p.labelled(label, tail.end+colon+2, whole, under, sure)
		}
		for i, s := range list {
			if marked[i] {
				p.labelled(label, s.start, s.end, under, sure)
			}
		}
		return
	}
	if start, end = p.trim(start, whole); start < end {
		if short := bracketed.ReplaceAllString(label, ""); strings.ContainsFunc(short, unicode.IsLetter) {
			label = short
		}
		end = start + len(strings.TrimRight(strings.TrimSuffix(strings.TrimRight(p.text[start:end], " ;"), "&nbsp"), " –—|·;"))
		if !strings.ContainsFunc(p.text[start:end], func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsSymbol(r) }) {
			return // an empty line of a form
		}
		if start == end || personTitles.MatchString(p.text[start:end]+" ") && end-start < 9 && !strings.Contains(p.text[start:end], " ") {
			return
		}
		p.regions = append(p.regions, region{start: start, end: end, name: label, label: termsOf(numbered.ReplaceAllString(label, " ")), around: termsOf(under), heading: under, sure: sure})
	}
}

// innerLabel returns where a label that ends at a byte of a value begins: up to four words of the
// table, the first capitalised, or a capitalised word after a separator.
func (p *paper) innerLabel(start, end int) (int, bool) {
	at, best := end, -1
	for range 4 {
		before := strings.TrimRight(p.text[start:at], " ")
		n := strings.LastIndexAny(before, " \t\n") + 1
		word, _ := utf8.DecodeRuneInString(before[n:])
		if n == 0 || word == utf8.RuneError || strings.ContainsAny(before[n:], ":,;|") {
			break
		}
		at = start + n
		terms := termsOf(p.text[at:end])
		if slices.ContainsFunc(terms, func(t term) bool { return t[0].class == 0 }) {
			if unicode.IsUpper(word) && best < 0 && parted.MatchString(p.text[start:at]) {
				best = at
			}
			break
		}
		if unicode.IsUpper(word) && slices.ContainsFunc(terms, func(t term) bool { return t.weight() > 0 }) {
			best = at
		}
	}
	return best, best > start
}

// trim removes white space and marks of emphasis from the ends of a span.
func (p *paper) trim(start, end int) (int, int) {
	s := p.text[start:end]
	left := strings.TrimLeftFunc(s, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("*_#>|", r) })
	left2 := strings.TrimRightFunc(left, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("*_|", r) })
	start += len(s) - len(left)
	return start, start + len(left2)
}

// header returns where the line with a row's column names begins, if it is directly above; else
// where the row begins.
func (p *paper) header(b skills.TextBlock) int {
	above := strings.TrimRight(p.text[p.back(0, b.Start):b.Start], " \t\n-=_|+:")
	line := above[strings.LastIndexByte(above, '\n')+1:]
	for _, c := range b.Cells {
		if !strings.Contains(line, c.Header) {
			return b.Start
		}
	}
	if len(b.Cells) == 0 || b.Cells[len(b.Cells)-1].Header == "" {
		return b.Start
	}
	return p.back(0, b.Start) + len(above) - len(line)
}

// row adds the cells of a row, named by their column, by the cell to their left, and by the
// beginning of the row.
func (p *paper) row(b skills.TextBlock) {
	first := ""
	if n := len(b.Cells); n > 1 && !anyBox.MatchString(p.text[b.Start:b.Cells[1].Start]) && anyBox.MatchString(p.text[b.Cells[1].Start:b.End]) {
		p.labelled(p.text[b.Cells[0].Start:b.Cells[0].End], b.Cells[1].Start, b.End, b.Under, .95)
		return
	}
	pairs := len(b.Cells) > 2 && len(b.Cells)%2 == 0
	for i, c := range b.Cells {
		s := strings.TrimSpace(p.text[c.Start:c.End])
		pairs = pairs && c.Header == "" && (i%2 > 0 || s != "" && !strings.ContainsAny(s, "0123456789"))
	}
	for i, c := range b.Cells {
		s := strings.TrimSpace(p.text[c.Start:c.End])
		if s == "" {
			continue
		}
		inner, _ := p.trim(c.Start, c.End)
		if c.Header == "" && p.pair(span{inner, c.End}, b.Under) { // a label and its value in one cell
			continue
		}
		if pairs {
			if i%2 > 0 {
				p.labelled(p.text[b.Cells[i-1].Start:b.Cells[i-1].End], c.Start, c.End, b.Under, .95)
			}
			continue
		}
		left := ""
		for k := i - 1; k >= 0 && left == ""; k-- {
			left = strings.TrimSpace(p.text[b.Cells[k].Start:b.Cells[k].End])
		}
		words := left != "" && left != first && isLabel(left)
		beside := left != "" && left != first && (c.Header == "" || words && strings.ContainsAny(s, "0123456789"))
		if isLabel(first) && i > 0 && !(beside && words) {
			sure := .95
			if slices.ContainsFunc(termsOf(c.Header), func(t term) bool { return !t.general() }) { // such as hours, not pay
				sure = .9
			}
			p.labelled(first, c.Start, c.End, b.Under+" "+c.Header, sure)
		}
		if beside {
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

// isLabel reports whether a cell may be the label of the cell to its right: it has words, and
// neither a digit nor a currency.
func isLabel(s string) bool {
	s = numbered.ReplaceAllString(s, " ")
	return !strings.ContainsAny(s, "0123456789") && len(s) < 80 && lettered.MatchString(s) && Currency(s) == ""
}

// rest adds the lines of a text outside all fields and rows.
func (p *paper) rest(start, end int, under string) {
	if under != "" {
		p.under = under
	}
	under = p.under
	open := span{-1, -1} // prose that continues
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
		heading := strings.HasPrefix(strings.TrimSpace(p.text[at:next]), "#")
		if at = next + 1; from == to {
			flush()
			continue
		}
		p.lines = append(p.lines, span{from, to})
		if heading {
			flush()
			under, p.under = p.text[from:to], p.text[from:to]
			p.prose(from, to, "")
			continue
		}
		segments := p.segments(from, to)
		if anyBox.MatchString(p.text[from:to]) {
			segments = []span{{from, to}}
		}
		if len(segments) == 0 { // an empty line of a form
			flush()
			continue
		}
		if len(segments) > 1 {
			flush()
			for i, s := range segments {
				if p.pair(s, under) {
					continue
				}
				p.prose(s.start, s.end, under)
				for k := i - 1; k >= 0; k-- { // the label before it, possibly with a date in between
					if at := segments[k]; p.names(at) && (k == i-1 || isLabel(p.text[at.start:at.end])) {
						p.labelled(p.text[at.start:at.end], s.start, s.end, under, .9)
						break
					}
				}
			}
			continue
		}
		if p.pair(segments[0], under) {
			flush()
			continue
		}
		if open.start < 0 {
			open.start = from
		}
		if open.end = to; to-from < 50 {
			flush()
		}
	}
	flush()
}

// segments returns the parts of a line that are separated by gaps.
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

// pair adds a segment with a label and its value, or a question and its answer.
func (p *paper) pair(at span, under string) bool {
	m := labelled.FindStringSubmatchIndex(p.text[at.start:at.end])
	if m == nil || len(strings.Fields(p.text[at.start:at.start+m[3]])) > 14 {
		return false
	}
	p.labelled(p.text[at.start:at.start+m[3]], at.start+m[4], at.end, under, .95)
	return true
}

// names reports whether a segment may be the label of the next one.
func (p *paper) names(at span) bool {
	s := p.text[at.start:at.end]
	return len(strings.Fields(s)) <= 7 && (!p.holds(at.start, at.end) && !strings.HasSuffix(s, ":") || entryTime.MatchString(s))
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
