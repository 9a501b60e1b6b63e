package fields

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/assay/memory/text"
	"example.com/assay/memory/text/pattern"
	"example.com/assay/memory/text/values"
)

// An option is a possible value of a field.
type option struct {
	want       *want
	start, end int
	value      string // "" for what stands there
	p          float64
	list       []span // elements of a list that are separate lines
}

var surnameFirst = pattern.New(`(?i)^\W*(?:surname|last name|family name|nachname|name|nom|apellidos?|cognome|achternaam)\s*[,/]`)

var listNumber = pattern.New(`^(?:\d{1,3}[.)]|\(?[a-z]\)|[-•–])\s+`)

var wholeCode = pattern.New(`^\p{Lu}[\p{Lu}\d./-]{1,12}(?: [\p{Lu}\d./-]{1,12}){0,3}$`)

var wordRest = pattern.New(`^[^\s]{1,40}`)

var percentSign = pattern.New(`^ ?%`)

// leastLikeness is the minimum likeness of a label to a field.
const leastLikeness = .5

// options returns the possible values of a field, with scores from their surroundings.
func (p *paper) options(w *want) []option {
	var out []option
	add := func(start, end int, value string, score float64) {
		least := leastLikeness
		if w.kind == aBoolean { // its values are rare
			least = .3
		}
		if start < end && score >= least {
			if w.pattern != nil && !w.pattern.MatchString(cmp.Or(value, p.text[start:end])) {
				score *= .6
			}
			if w.kind == aNumber {
				if n, err := strconv.ParseFloat(value, 64); err == nil && (w.spec.Minimum != nil && n < *w.spec.Minimum || w.spec.Maximum != nil && n > *w.spec.Maximum) {
					return
				}
				if v := (values.Found{Start: start, End: end}); strings.Contains(value, ".") { // among equally near ones, prefer the one in cents
					score += .004
				} else if w.money && !p.priced(v) {
					score *= .95
				}
				if w.money && w.meanings[0].has("discount", "deduction", "deposit", "paid") { // deductions have no sign
					value = strings.TrimPrefix(value, "-")
					start += len(p.text[start:end]) - len(strings.TrimLeft(p.text[start:end], "-−"))
				}
			}
			most := .98
			if score > almostDefined {
				most = .99
			}
			out = append(out, option{want: w, start: start, end: end, value: value, p: min(score, most)})
		}
	}
	for _, r := range p.regions {
		if r.running && (w.listed || w.kind == aText) && r.first {
			if under := r.heading[strings.LastIndexByte(r.heading, '>')+1:]; len(under) < 60 && w.likeness(termsOf(under), false, nil) > .7 {
				add(r.start, r.end, "", .75)
			}
		}
		if r.running && (w.kind == aText || w.kind == aParty) {
			p.runs(w, r, add)
			continue
		}
		found := p.find(w, r)
		if len(found) == 0 && w.kind == aCode && w.pattern == nil && !r.running && w.anchored(r.label) { // the schema names this label
			found = []values.Found{{Start: r.start, End: r.end}}
		}
		if w.kind == aPercent && !r.running { // in the label: "VAT 20 %: 4.00"
			for _, v := range p.in(aPercent, r.start-len(p.lineUpTo(r.start)), r.start) {
				add(v.Start, v.End, "", .9*w.likeness(r.label, false, typeTerms[aPercent]))
			}
		}
		for i, v := range found {
			add(v.Start, v.End, v.Value, p.fits(w, r, v)-float64(min(i, 20))/200+w.literal(r.name))
		}
	}
	p.placed(w, add)
	if w.listed {
		out = append(out, p.listed(w)...)
	}
	return out
}

// listed returns the lists whose heading or lead-in names a field.
func (p *paper) listed(w *want) []option {
	var out []option
	for i := 0; i < len(p.blocks); {
		b := p.blocks[i]
		o := option{want: w, start: b.Start}
		for ; i < len(p.blocks) && (p.blocks[i].Kind == "item" || p.blocks[i].Kind == "step") && p.blocks[i].Under == b.Under && p.blocks[i].Label == b.Label; i++ {
			start, end := p.trim(p.blocks[i].Start, p.blocks[i].End)
			start += len(listNumber.FindString(p.text[start:end]))
			if from, to, ok := p.nameIn(start, end); ok && from == start && (w.kind == aParty || w.meanings[0].has("name")) {
				end = to
			}
			o.list, o.end = append(o.list, span{start, end}), end
		}
		if o.list == nil {
			i++
			continue
		}
		o.p = .92 * max(w.likeness(termsOf(b.Label), false, nil), w.likeness(termsOf(b.Under[strings.LastIndexByte(b.Under, '>')+1:]), false, nil))
		if o.p > leastLikeness {
			out = append(out, o)
		}
	}
	return out
}

// find returns the possible values of a field in a region.
func (p *paper) find(w *want, r region) []values.Found {
	s := p.text[r.start:r.end]
	one := func(start, end int, value string) []values.Found {
		if start, end = p.trim(start, end); start >= end {
			return nil
		}
		return []values.Found{{Start: start, End: end, Value: value}}
	}
	var out []values.Found
	switch w.kind {
	case aBoolean:
		if m := yesNo.FindString(s); m != "" && !r.running {
			return one(r.start, r.start+len(m), truthOf(m))
		}
	case anEnum:
		return p.chosen(w, r)
	case aNumber:
		for _, v := range p.in(aNumber, r.start, r.end) {
			if percentSign.MatchString(p.text[v.End:min(len(p.text), v.End+2)]) || w.whole && strings.Contains(v.Value, ".") || p.unticked(v.Start) {
				continue
			}
			out = append(out, v)
		}
	case aText, anAddress, aCity:
		if r.running {
			return nil
		}
		end := r.end
		if at := sentences.FindStringIndex(s); at != nil && w.kind != aText {
			end = r.start + at[0] + len(strings.TrimRight(s[at[0]:at[1]], " \n.;"))
		}
		if dates := p.in(aDate, r.start, r.end); len(dates) == 1 && dates[0].End == r.end && strings.Contains(r.name, ", ") { // "Place, date"
			end = r.start + len(strings.TrimRight(p.text[r.start:dates[0].Start], " ,"))
		}
		if last, first, ok := strings.Cut(strings.Trim(s, "*_ \n"), ", "); ok && surnameFirst.MatchString(r.name) && !strings.Contains(first, ",") {
			return one(r.start, end, first+" "+last)
		}
		return one(r.start, end, "")
	case aParty:
		if start, end, ok := p.nameIn(r.start, r.end); ok && !r.running {
			if at := strings.Index(p.text[start:end], ", "); at > 0 && w.meanings[0].has("contact", "signatory") { // drop the person's role
				end = start + at
			}
			return one(start, end, "")
		}
	case aCurrency:
		for _, v := range p.in(aCurrency, r.start, r.end) {
			out = append(out, values.Found{Start: v.Start, End: v.End, Value: Currency(v.Value)})
		}
	case aCode:
		for _, v := range p.in(aCode, r.start, r.end) {
			out = append(out, values.Found{Start: v.Start, End: v.End})
		}
		if m := wholeCode.FindString(s); m == s && !r.running && (strings.ContainsAny(s, "0123456789") || !strings.Contains(s, " ")) {
			return one(r.start, r.end, "")
		}
		if len(out) > 0 && !r.running { // "=1+1", "b-00417": the word that it stands in
			v := &out[0]
			if before := s[:v.Start-r.start]; before == "" || !unicode.IsSpace(rune(before[len(before)-1])) {
				v.Start = r.start + strings.LastIndexAny(before, " \t\n\"'(#:") + 1
			}
			v.End += len(strings.TrimRight(wordRest.FindString(p.text[v.End:r.end]), ".,;:)\"'"))
		}
	default:
		list := p.in(w.kind, r.start, r.end)
		if w.kind == aPercent && len(list) == 0 && w.spec.Format != "percent" && !w.meanings[0].has("vat") { // a rate in money
			list = p.in(aNumber, r.start, r.end)
		}
		for _, v := range list {
			out = append(out, values.Found{Start: v.Start, End: v.End})
		}
	}
	return out
}

func truthOf(s string) string {
	if c := unicode.ToLower([]rune(s)[0]); c == 'n' || c == 'f' {
		return "false"
	}
	return "true"
}

// nearby is the maximum distance from a value to the words that name it.
const nearby = 240 // bytes

// back returns where the words before a byte begin, at or after start.
func (p *paper) back(start, at int) int {
	start = max(start, at-nearby)
	for start < at && !utf8.RuneStart(p.text[start]) {
		start++
	}
	return start
}

// lineUpTo returns the nearby part of a line before a byte.
func (p *paper) lineUpTo(at int) string {
	s := p.text[p.back(0, at):at]
	return s[strings.LastIndexByte(s, '\n')+1:]
}

// typeTerms are the terms that the shape of a value implies.
var typeTerms = map[kind][]term{aDate: {{{"date", '#'}}}, aNumber: {{{"amount", '#'}}, {{"number", '#'}}}, aPercent: {{{"percent", '#'}}}, aCode: {{{"number", '#'}}}, aTime: {{{"time", '#'}}}}

// fits returns how well the surroundings of a value name a field.
func (p *paper) fits(w *want, r region, v values.Found) float64 {
	first := p.back(r.start, v.Start)
	from := first
	for _, t := range within(p.taken, first, v.Start) {
		if !percentSign.MatchString(p.text[t.End:min(len(p.text), t.End+2)]) {
			from = max(from, t.End)
		}
	}
	before := termsOf(p.text[from:v.Start])
	to := min(r.end, v.End+40)
	if next := within(p.taken, v.End, to); len(next) > 0 {
		to = next[0].Start
	}
	for to < r.end && !utf8.RuneStart(p.text[to]) {
		to++
	}
	behind := termsOf(p.text[v.End:to])
	if len(behind) > 4 {
		behind = behind[:4]
	}
	if words := strings.Fields(p.text[from:v.Start]); from > first && len(words) > 1 && p.text[from] == ' ' && len(before) > 0 && w.kind == aNumber {
		before = before[1:] // the unit of the number before
	}
	if w.kind == aDate {
		before = append(before, p.ofRange(v)...)
	}
	around := slices.Concat(typeTerms[w.kind], r.around, termsOf(p.text[first:from]), behind)
	bare := !slices.ContainsFunc(before, func(t term) bool { return t.weight() > 0 && (w.kind != aNumber || !t.general()) })
	if !r.running {
		own := r.sure * w.likeness(r.label, false, slices.Concat(around, before))
		if n := len(behind); n > 0 && w.kind == aNumber && unitAfter.MatchString(p.text[v.End:to]) { // its unit
			own = max(own, .9*w.likeness(behind[:1], true, slices.Concat(around, r.label)))
		}
		if bare {
			return own
		}
		inner := .88 * w.likeness(before, true, slices.Concat(around, r.label))
		if w.kind == aNumber && w.likeness(r.label, false, nil) == 0 && !strings.Contains(v.Value, ".") && !p.priced(v) {
			inner *= .5 // "Terms: Net 30"
		}
		return max(.85*own, inner)
	}
	slices.Reverse(behind)
	if w.kind == aNumber && w.likeness(before, true, nil) == 0 && w.likeness(behind, true, nil) == 0 {
		return 0
	}
	after := .8
	if n := len(behind); n > 0 && w.kind == aNumber && w.likeness(behind[n-1:], true, nil) > 0 { // its unit
		after = .9
	}
	score := max(r.sure*w.likeness(before, true, around), after*w.likeness(behind, true, slices.Concat(around, before)))
	if w.kind == aNumber && !strings.Contains(v.Value, ".") && w.meanings[0].has("net", "total", "vat", "gross", "net pay") && !p.priced(v) {
		score *= .5
	}
	return score
}

var (
	startTerm = term{{"start", '='}}
	endTerm   = term{{"end", '='}}
)

// ofRange returns the terms of a date that begins or ends a period.
func (p *paper) ofRange(v values.Found) []term {
	joins := func(from, to int) bool { return from <= to && to-from < 14 && rangeJoin.MatchString(p.text[from:to]) }
	dates := p.found[aDate]
	i := slices.IndexFunc(dates, func(d values.Found) bool { return d.Start == v.Start })
	switch {
	case i > 0 && joins(dates[i-1].End, v.Start):
		return []term{endTerm}
	case i >= 0 && i+1 < len(dates) && joins(v.End, dates[i+1].Start):
		return []term{startTerm}
	}
	return nil
}

// priced reports whether a currency sign is next to a number.
func (p *paper) priced(v values.Found) bool {
	return len(p.in(aCurrency, max(0, v.Start-5), v.Start))+len(p.in(aCurrency, v.End, min(len(p.text), v.End+6))) > 0
}

// placed adds values without a label: values of the letterhead, and shapes that occur once in a
// text.
func (p *paper) placed(w *want, add func(start, end int, value string, score float64)) {
	if w.pattern != nil && w.kind <= aCode {
		if inner, err := regexp.Compile(strings.TrimSuffix(strings.TrimPrefix(w.spec.Pattern, "^"), "$")); err == nil {
			for _, m := range inner.FindAllStringIndex(p.text, 20) {
				add(m[0], m[1], "", .62)
			}
		}
	}
	p.fill(w, add)
	p.career(w, add)
	switch w.kind {
	case aCity:
		p.town(add)
	case anEnum:
		for i, v := range p.chosen(w, region{end: len(p.text)}) {
			if anyBox.MatchString(p.text[v.Start-len(p.lineUpTo(v.Start)) : p.lineEnd(v.Start)]) { // it is a box with a mark
				add(v.Start, v.End, v.Value, .7)
			} else if i == 0 {
				add(v.Start, v.End, v.Value, .5)
			}
		}
	case aMail, aPhone, anIBAN:
		for i, v := range p.found[w.kind] {
			if p.ownLabel(w, v) && (!w.meanings[0].has("customer", "recipient") || i == 0) {
				add(v.Start, v.End, "", .6-.02*float64(min(i, 4)))
			}
		}
	case aTime:
		if list := p.found[aTime]; len(list) > 0 && !w.meanings[0].special {
			add(list[0].Start, list[0].End, "", .55)
		}
	case anAddress:
		p.addressOf(w, add)
	case aCurrency:
		for _, v := range p.found[aCurrency] {
			add(v.Start, v.End, Currency(v.Value), .7)
		}
	case aDate:
		switch list := p.found[aDate]; {
		case !w.meanings[0].special || w.meanings[0].has("signed"):
			p.dated(w, add)
		case len(list) == 1 && !w.meanings[0].has("birth", "due", "end", "valid", "previous"):
			add(list[0].Start, list[0].End, "", .51)
		}
	}
}

// ownLabel reports whether no label assigns a value to another kind of field.
func (p *paper) ownLabel(w *want, v values.Found) bool {
	return w.kind != aPhone || !slices.ContainsFunc(p.regions, func(r region) bool {
		return !r.running && r.start <= v.Start && v.End <= r.end && slices.ContainsFunc(r.label, func(t term) bool { return t.weight() > 0 && t[0].class != 0 && t[0].class != '&' }) && w.likeness(r.label, false, nil) == 0
	})
}

var unitAfter = pattern.New(`^[ \x{a0}-]?[\pL%]`)

var clock = pattern.New(`\b\d{1,2}:\d{2}\b`)

var loneDate = pattern.New(`^(?:[\p{Lu}][\pL .-]{1,30},? )?(?:(?:the|den|le|el|il|on|am) )?$`)

// dated adds the dates that may be the paper's own: a date alone on its line or after a place, as
// in a letter; a date with a time, as on a receipt; and the only date.
func (p *paper) dated(w *want, add func(start, end int, value string, score float64)) {
	list := p.found[aDate]
	for i, v := range list {
		start, end := v.Start-len(p.lineUpTo(v.Start)), min(p.lineEnd(v.End), v.End+nearby)
		score := .4
		for _, s := range p.segments(p.trim(start, end)) {
			if s.start <= v.Start && v.End <= s.end && v.End >= s.end-1 && loneDate.MatchString(p.text[s.start:v.Start]) {
				score = .62
			}
		}
		switch {
		case clock.MatchString(p.text[start:end]) || end < len(p.text) && clock.MatchString(p.text[end:p.lineEnd(end+1)]):
			score += .17
		case list[0].Value == list[len(list)-1].Value && !w.meanings[0].has("signed"):
			score += .11
		}
		add(v.Start, v.End, "", score-float64(min(i, 20))/200)
	}
}

// choices returns the choices next to the boxes of a span, and which are marked. Boxes follow their
// choices if nothing follows the last box, or if the first word is an answer.
func (p *paper) choices(start, end int) (out []span, marked []bool) {
	boxes := anyBox.FindAllStringIndex(p.text[start:end], -1)
	if boxes == nil {
		return nil, nil
	}
	first, last := strings.TrimSpace(p.text[start:start+boxes[0][0]]), boxes[len(boxes)-1]
	behind := first != "" && (strings.TrimSpace(p.text[start+last[1]:end]) == "" || yesNo.FindString(first) == first)
	for i, b := range boxes {
		s := span{start + b[1], end}
		if behind {
			if s = (span{start, start + b[0]}); i > 0 {
				s.start = start + boxes[i-1][1]
			}
		} else if i+1 < len(boxes) {
			s.end = start + boxes[i+1][0]
		}
		if s.start, s.end = p.trim(s.start, s.end); s.start < s.end {
			out, marked = append(out, s), append(marked, tickedBox.MatchString(p.text[start+b[0]:start+b[1]]))
		}
	}
	return out, marked
}

// unticked reports whether a byte is in an unmarked choice of its line.
func (p *paper) unticked(at int) bool {
	list, marked := p.choices(at-len(p.lineUpTo(at)), p.lineEnd(at))
	i := slices.IndexFunc(list, func(s span) bool { return s.start <= at && at < s.end })
	return i >= 0 && !marked[i]
}

// chosen returns the values of an enum in a region; with boxes, only the ticked ones.
func (p *paper) chosen(w *want, r region) []values.Found {
	s := p.text[r.start:r.end]
	var out []values.Found
	for _, e := range w.spec.Enum {
		for _, form := range enumForms(e) {
			for at, lower := 0, strings.ToLower(s); len(lower) == len(s); {
				n := strings.Index(lower[at:], form)
				if n < 0 {
					break
				}
				start := at + n
				at = start + len(form)
				if (start == 0 || !wordRune(s[:start], true)) && (at == len(s) || !wordRune(s[at:], false)) && !p.unticked(r.start+start) {
					out = append(out, values.Found{Start: r.start + start, End: r.start + at, Value: e})
				}
			}
		}
	}
	slices.SortStableFunc(out, func(a, b values.Found) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End)) })
	var last values.Found
	return slices.DeleteFunc(out, func(v values.Found) bool { // "passed" of "passed after repair"
		if v.End <= last.End && (v.Start > last.Start || v.End < last.End) {
			return true
		}
		last = v
		return false
	})
}

// enumForms returns the spellings of an enum value, in lower case.
func enumForms(e string) []string {
	forms := []string{strings.ToLower(strings.NewReplacer("_", " ").Replace(e))}
	for sign, code := range currencyCodes {
		if code == e && utf8.RuneCountInString(sign) == 1 {
			forms = append(forms, sign)
		}
	}
	return slices.DeleteFunc(forms, func(f string) bool { return f == "" })
}

func wordRune(s string, last bool) bool {
	c, _ := utf8.DecodeRuneInString(s)
	if last {
		c, _ = utf8.DecodeLastRuneInString(s)
	}
	return unicode.IsLetter(c) || unicode.IsDigit(c)
}

// choose assigns each field its best option, the surest first, without giving one value to two
// fields.
func choose(all []option) map[*want]option {
	slices.SortStableFunc(all, func(a, b option) int { return cmp.Compare(b.p, a.p) })
	out := map[*want]option{}
	for _, o := range all {
		if _, has := out[o.want]; has {
			continue
		}
		clash := false
		for _, c := range out {
			clash = clash || o.start < c.end && c.start < o.end && (o.want.kind == c.want.kind || o.start == c.start && o.end == c.end)
		}
		if !clash {
			out[o.want] = o
		}
	}
	return out
}

// parts returns the elements of a list in a value: separated by commas outside brackets, without
// the text in brackets.
func (p *paper) parts(start, end int) (out []span) {
	depth, at := 0, start
	add := func(to int) {
		s := p.text[at:to]
		if cut := strings.IndexAny(s, "(["); cut > 0 {
			to = at + cut
		}
		if from, to := p.trim(at, to); from < to {
			out = append(out, span{from, from + len(strings.TrimRight(p.text[from:to], ".;, "))})
		}
	}
	for i := start; i < end; i++ {
		switch c := p.text[i]; {
		case c == '(' || c == '[':
			depth++
		case c == ')' || c == ']':
			depth--
		case depth <= 0 && (c == ',' || c == ';' || c == '\n'):
			add(i)
			at = i + 1
		}
	}
	add(end)
	return out
}

func (p *paper) oneLine(o option) string { return cmp.Or(o.value, text.OneLine(p.text[o.start:o.end])) }
