package facts

import (
	"strings"

	"example.com/assay/memory/text"
	"example.com/assay/memory/text/values"
)

// month returns the number of a month by its name or short form, except "mar" and "sept".
func month(w string) int {
	if w == "mar" || w == "sept" {
		return 0
	}
	return values.Month(w)
}

// A date is a day, a month, a quarter, a year or a decade. Missing parts are zero.
type date struct {
	year, month, day, quarter, weekday int
	decade                             bool
	bare                               bool // a number that may be a year or a count
	first, end                         int  // tokens
}

// yearBefore are words after which four digits are a year.
var yearBefore = text.Set(`in since from until till by of during before after between and to to early late mid
	around circa about year spring summer autumn fall winter – - — ( , / through`)

// dates finds the dates of a sentence and marks their tokens as taken.
func dates(toks []token, taken []bool) []date {
	var out []date
	for i := 0; i < len(toks) && len(out) < mostValues; i++ {
		d, ok := readDate(toks, i)
		if !ok {
			continue
		}
		for j := d.first; j < d.end; j++ {
			taken[j] = !d.bare
		}
		out = append(out, d)
		i = d.end - 1
	}
	return out
}

func readDate(toks []token, i int) (date, bool) {
	t := toks[i]
	switch {
	case t.kind == number:
		if d, ok := numericDate(toks, i); ok {
			return d, true
		}
		if d, ok := dayMonth(toks, i); ok {
			return d, true
		}
		return yearAlone(toks, i)
	case t.kind != word || t.roles&asDate == 0:
		return date{}, false
	}
	if d, ok := monthDay(toks, i); ok {
		return d, true
	}
	if d, ok := quarterOf(toks, i); ok {
		return d, true
	}
	if n := weekdayOf(t.text); n > 0 && t.capital {
		return date{weekday: n, first: i, end: i + 1}, true
	}
	return date{}, false
}

// weekdayOf is the number of a weekday by its name, its plural or its first three letters.
func weekdayOf(w string) int {
	for name, n := range values.Weekdays {
		if w == name || w == name+"s" || w == name[:3] {
			return n
		}
	}
	return 0
}

// numericDate parses 2024-04-15, 15/04/2024 and 15.04.2024. If day and month could be exchanged,
// only the year counts.
func numericDate(toks []token, i int) (date, bool) {
	var p []int
	end := i + 1
	if f := strings.Split(toks[i].text, "."); len(f) == 3 {
		for _, s := range f {
			p = append(p, small(s))
		}
	} else if i+4 < len(toks) && strings.Contains("-/", toks[i+1].text) && toks[i+1].kind == sign && toks[i+3].text == toks[i+1].text &&
		toks[i+1].joined && toks[i+2].joined && toks[i+4].joined && toks[i+2].kind == number && toks[i+4].kind == number {
		p = []int{small(toks[i].text), small(toks[i+2].text), small(toks[i+4].text)}
		end = i + 5
	} else {
		return date{}, false
	}
	d := date{first: i, end: end}
	switch {
	case isYear(p[0]) && 1 <= p[1] && p[1] <= 12 && 1 <= p[2] && p[2] <= 31:
		d.year, d.month, d.day = p[0], p[1], p[2]
	case isYear(p[2]) && p[0] > 12 && p[0] <= 31 && 1 <= p[1] && p[1] <= 12:
		d.year, d.month, d.day = p[2], p[1], p[0]
	case isYear(p[2]) && p[1] > 12 && p[1] <= 31 && 1 <= p[0] && p[0] <= 12:
		d.year, d.month, d.day = p[2], p[0], p[1]
	case isYear(p[2]) && 1 <= p[0] && p[0] <= 12 && 1 <= p[1] && p[1] <= 12:
		d.year = p[2]
	default:
		return date{}, false
	}
	return d, true
}

// small returns the value of up to four digits, or 0.
func small(s string) int {
	if len(s) == 0 || len(s) > 4 {
		return 0
	}
	n := 0
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return 0
		}
		n = n*10 + int(c-'0')
	}
	return n
}

func isYear(n int) bool { return 1000 <= n && n <= 2199 }

func monthAt(toks []token, i int) int {
	if i < 0 || i >= len(toks) || !toks[i].capital {
		return 0
	}
	return month(toks[i].text)
}

// skip skips "of", "the", commas and the full stop of "Jan.".
func skip(toks []token, i int, what string) int {
	for i < len(toks) && toks[i].text != "" && strings.Contains(what, " "+toks[i].text+" ") {
		i++
	}
	return i
}

// dayMonth reads "12 March 2024", "the 12th of March".
func dayMonth(toks []token, i int) (date, bool) {
	day := small(toks[i].text)
	if day < 1 || day > 99 { // the 45th of May is a wrong date, but a date
		return date{}, false
	}
	at := i + 1
	if first, ok := rangeOfDays(toks, i); ok {
		return first, true
	}
	if at < len(toks) && toks[at].joined && (toks[at].text == "st" || toks[at].text == "nd" || toks[at].text == "rd" || toks[at].text == "th") {
		at++
	}
	at = skip(toks, at, " of ")
	month := monthAt(toks, at)
	if month == 0 {
		return date{}, false
	}
	d := date{day: day, month: month, first: i, end: at + 1}
	at = skip(toks, at+1, " . , of ")
	if at < len(toks) && toks[at].kind == number && isYear(small(toks[at].text)) {
		d.year, d.end = small(toks[at].text), at+1
	}
	return d, true
}

// rangeOfDays reads the first day of "12 to 18 April" and "12–18 April".
func rangeOfDays(toks []token, i int) (date, bool) {
	switch textAt(toks, i+1) {
	case "to", "-", "–", "and", "until", "through":
	default:
		return date{}, false
	}
	last, month := small(textAt(toks, i+2)), monthAt(toks, i+3)
	if month == 0 || last < 1 || last > 31 {
		return date{}, false
	}
	return date{day: small(toks[i].text), month: month, first: i, end: i + 1}, true
}

// monthDay reads "March 12, 2024", "March 2024" and "in March".
func monthDay(toks []token, i int) (date, bool) {
	month := monthAt(toks, i)
	if month == 0 {
		return date{}, false
	}
	d := date{month: month, first: i, end: i + 1}
	at := skip(toks, i+1, " . , the of ")
	if at < len(toks) && toks[at].kind == number {
		n := small(toks[at].text)
		switch {
		case isYear(n):
			d.year, d.end = n, at+1
			return d, true
		case n >= 1 && n <= 31 && !(at+1 < len(toks) && toks[at+1].text == "%"):
			d.day, d.end = n, at+1
			at++
			if at < len(toks) && toks[at].joined && (toks[at].text == "st" || toks[at].text == "nd" || toks[at].text == "rd" || toks[at].text == "th") {
				at++
				d.end = at
			}
			at = skip(toks, at, " . , of ")
			if at < len(toks) && toks[at].kind == number && isYear(small(toks[at].text)) {
				d.year, d.end = small(toks[at].text), at+1
			}
			return d, true
		}
	}
	if i == 0 || len(toks[i].text) == 3 && toks[i].text != "may" && textAt(toks, i+1) != "." {
		return date{}, false // "May I", "Mar"
	}
	if toks[i].text == "may" || toks[i].text == "march" {
		return d, yearBefore[toks[i-1].text] || toks[i-1].text == "each" || toks[i-1].text == "every" || toks[i-1].text == "last" || toks[i-1].text == "next" || toks[i-1].text == "on"
	}
	return d, true
}

// quarterOf reads "Q3 2025" and "the third quarter of 2025".
func quarterOf(toks []token, i int) (date, bool) {
	n, at := 0, i+1
	if t := toks[i].text; len(t) == 2 && t[0] == 'q' && t[1] >= '1' && t[1] <= '4' {
		n = int(t[1] - '0')
	} else if v := values.Ordinals[t]; v >= 1 && v <= 4 && textAt(toks, i+1) == "quarter" {
		n, at = v, i+2
	} else {
		return date{}, false
	}
	d := date{quarter: n, first: i, end: at}
	at = skip(toks, at, " of , in ")
	if at < len(toks) && toks[at].kind == number && isYear(small(toks[at].text)) {
		d.year, d.end = small(toks[at].text), at+1
	}
	return d, true
}

// yearAlone reads "in 1974", "1990s" and the ends of "1972–73".
func yearAlone(toks []token, i int) (date, bool) {
	y := small(toks[i].text)
	before := textAt(toks, i-1)
	if i > 1 && (before == "–" || before == "-") && len(toks[i].text) == 2 {
		if from := small(toks[i-2].text); isYear(from) && y > from%100 {
			return date{year: from - from%100 + y, first: i, end: i + 1}, true
		}
	}
	if !isYear(y) || len(toks[i].text) != 4 || values.CurrencySigns[before].Factor != 0 || partOfName(toks, i) {
		return date{}, false
	}
	d := date{year: y, first: i, end: i + 1}
	if i+1 < len(toks) {
		next := toks[i+1]
		if next.joined && next.text == "s" {
			d.decade, d.end = y%10 == 0, i+2
			return d, true
		}
		if next.joined && (next.text == "'" || next.text == "’") && textAt(toks, i+2) == "s" {
			d.decade, d.end = y%10 == 0, i+3
			return d, true
		}
		if _, isUnit := values.UnitWords[next.text]; isUnit || next.text == "%" {
			return date{}, false
		}
		if next.kind == word && next.content && !next.capital && !(i > 0 && yearBefore[before]) {
			d.bare = true // "1240 adults", "the 2020 election"
		}
	}
	return d, true
}

// agrees reports whether the two dates are compatible, and whether other states all parts of d.
func (d date) agrees(other date) (compatible, whole bool) {
	compatible, whole = true, true
	field := func(a, b int) {
		if a == 0 {
			return
		}
		if b == 0 {
			whole = false
		} else if a != b {
			compatible = false
		}
	}
	if d.decade || other.decade {
		switch {
		case d.year == 0 || other.year == 0:
			whole = d.year == 0
		case d.year/10 != other.year/10:
			compatible = false
		}
	} else {
		field(d.year, other.year)
	}
	field(d.month, other.month)
	field(d.day, other.day)
	if other.month != 0 && d.quarter != 0 {
		field(d.quarter, (other.month-1)/3+1)
	} else {
		field(d.quarter, other.quarter)
	}
	if other.weekday != 0 && d.weekday != 0 && d.weekday != other.weekday {
		compatible = false
	}
	if d.weekday != 0 && d.year+d.month+d.day+d.quarter == 0 {
		field(d.weekday, other.weekday)
	}
	return compatible, whole
}

// precise says which fields a date has.
func (d date) precise() [4]bool {
	return [4]bool{d.year != 0, d.month != 0, d.day != 0, d.quarter != 0}
}

// shares reports whether both dates have a common field.
func (d date) shares(e date) bool {
	return d.year != 0 && e.year != 0 || d.month != 0 && e.month != 0 || d.day != 0 && e.day != 0 ||
		d.quarter != 0 && e.quarter != 0 || d.weekday != 0 && e.weekday != 0
}
