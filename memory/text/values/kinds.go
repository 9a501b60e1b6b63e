package values

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/assay/memory/text"
)

// The functions of this file find the values of a text in a language, in digits or in words. Of
// overlapping values the longer one counts.

// Numerals returns the numbers of a text. Values are those of Number. Articles that also mean one
// are ignored.
func Numerals(s string, l text.Language) []Found {
	var out []Found
	for _, p := range pieces(s, l) {
		if p.number != "" && !p.article {
			out = append(out, Found{Start: p.start, End: p.end, Value: p.number})
		}
	}
	return out
}

// Money returns amounts of money: numbers next to a currency. Values are the number and the
// currency, "966.16 EUR", with "cent" for any hundredth.
func Money(s string, l text.Language) []Found {
	list := pieces(s, l)
	var out []Found
	for i, p := range list {
		if p.number == "" || p.article {
			continue
		}
		f := Found{Start: p.start, End: p.end}
		unit := ""
		if i+1 < len(list) && adjacent(s, p.end, list[i+1].start) {
			if unit = currencyWords[list[i+1].low]; unit == "" {
				unit = signIn(list[i+1].low)
			}
			if unit != "" {
				f.End = list[i+1].end
			}
		}
		if unit == "" && i > 0 && adjacent(s, list[i-1].end, p.start) && list[i-1].low != "cent" && list[i-1].low != "p" {
			if unit = currencyWords[list[i-1].low]; unit != "" {
				f.Start = list[i-1].start
				if i > 1 && list[i-1].low == "$" && list[i-2].low == "us" {
					f.Start = list[i-2].start
				}
			}
		}
		if unit != "" {
			f.Value = p.number + " " + unit
			out = append(out, f)
		}
	}
	return out
}

// Bare returns the numbers of a text that may be amounts without a currency: not measures, parts of
// names ("Hall 2", "LP-93"), telephone numbers or counts of items. Values are those of Number.
func Bare(s string, l text.Language) []Found {
	list, phones := pieces(s, l), Phones(s)
	var out []Found
	for i, p := range list {
		f := Found{Start: p.start, End: p.end, Value: p.number}
		if p.number == "" || p.article || f.In(phones) || i > 0 && names(s, l, list[i-1], p.start) {
			continue
		}
		if i+1 < len(list) && (measures(s, p.end, list[i+1]) || lineStart(s, p.start) && (list[i+1].low == "." || list[i+1].low == ")")) {
			continue
		}
		out = append(out, f)
	}
	return out
}

// names reports whether a piece and the number after it are a name. German nouns have capitals,
// too.
func names(s string, l text.Language, p piece, at int) bool {
	before, _ := utf8.DecodeRuneInString(s[p.start:])
	switch {
	case before == '§':
		return true
	case !adjacent(s, p.end, at) || lineStart(s, p.start):
		return false
	case before == '-':
		r, _ := utf8.DecodeLastRuneInString(s[:p.start])
		return unicode.IsLetter(r)
	}
	return l != "de" && unicode.IsUpper(before) && currencyWords[p.low] == ""
}

// measures reports whether a piece is the unit of the number before it, of anything but money.
func measures(s string, end int, p piece) bool {
	_, sign := UnitSigns[s[p.start:p.end]]
	units := UnitWords[p.low]
	return adjacent(s, end, p.start) && (strings.HasPrefix(p.low, "°") || sign || len(units) > 0 && units[0].Family() != "money" && currencyWords[p.low] == "")
}

func lineStart(s string, at int) bool {
	before := strings.TrimRight(s[:at], " \t*|")
	return before == "" || strings.HasSuffix(before, "\n")
}

// signIn returns the currency at the start of a run of Asian letters.
func signIn(word string) string {
	r, size := utf8.DecodeRuneInString(word)
	if r < 0x2e80 {
		return ""
	}
	return currencyWords[word[:size]]
}

// adjacent reports whether there is only a space or hyphen between two offsets.
func adjacent(s string, from, to int) bool {
	return to >= from && to-from <= 4 && strings.Trim(s[from:to], " \u00a0\u202f-") == ""
}

// Periods returns spans of time, of milliseconds to years. Values are the number and the unit,
// "10 days"; a quarter is three months and a fortnight two weeks.
func Periods(s string, l text.Language) []Found {
	list := pieces(s, l)
	var out []Found
	for i, p := range list {
		if p.number == "" || len(out) > 0 && p.start < out[len(out)-1].End {
			continue
		}
		if n, unit, end := period(s, list, i); unit != "" && !(unit == "year" && n > 1000) {
			out = append(out, Found{Start: p.start, End: end, Value: duration(n, unit)})
		}
	}
	return out
}

// period reads the span of time whose number is piece i: "two (2) full months".
func period(s string, list []piece, i int) (n int, unit string, end int) {
	n, err := strconv.Atoi(list[i].number)
	if err != nil || n <= 0 {
		return 0, "", 0
	}
	for j := i + 1; j < len(list) && j <= i+5; j++ {
		w := list[j].low
		if unit = timeUnits[w]; unit != "" {
			n, unit = whole(n, unit)
			return n, unit, list[j].end
		}
		if j == i+1 && list[j].start == list[i].end {
			if unit, end := asianUnit(s, list, i); unit != "" {
				return n, unit, end
			}
		}
		bracketed := w == "(" || w == ")" || list[j].number == list[i].number || w == "-"
		if !bracketed && !adjectives[w] {
			break
		}
	}
	return 0, "", 0
}

var adjectives = text.Set(`full calendar business working consecutive additional further more volle vollen ganze ganzen weitere weiteren ausgewachsene
	pleins ouvrables ouvrés hábiles naturales lavorativi úteis hele volledige kalender`)

// whole turns quarters and fortnights into months and weeks.
func whole(n int, unit string) (int, string) {
	switch unit {
	case "quarter":
		return 3 * n, "month"
	case "fortnight":
		return 2 * n, "week"
	}
	return n, unit
}

// asianUnit reads the unit right after a number. A day or year without "during" is a date if a
// month or a number of four digits indicates it.
func asianUnit(s string, list []piece, i int) (unit string, end int) {
	rest := s[list[i].end:]
	for _, u := range asianUnits {
		if !strings.HasPrefix(rest, u.suffix) {
			continue
		}
		if (u.suffix == "日" || u.suffix == "일") && i > 0 && (strings.HasSuffix(s[:list[i].start], "月") || strings.HasSuffix(strings.TrimRight(s[:list[i].start], " "), "월")) {
			return "", 0
		}
		if u.suffix == "分" && strings.HasSuffix(s[:list[i].start], "時") {
			return "", 0
		}
		return u.unit, list[i].end + len(u.suffix)
	}
	return "", 0
}

// Frequencies returns how often something is done: "quarterly", "every two months", "per
// week". Values are the span between two times, "3 months".
func Frequencies(s string, l text.Language) []Found {
	list := pieces(s, l)
	var out []Found
	for i, p := range list {
		if v := frequencyWords[p.low]; v != "" {
			out = append(out, Found{Start: p.start, End: p.end, Value: v})
			continue
		}
		if v, end := frequentIn(p.low); v != "" {
			out = append(out, Found{Start: p.start, End: p.start + end, Value: v})
			continue
		}
		if !each[p.low] {
			continue
		}
		for j := i + 1; j < len(list) && j <= i+3; j++ {
			if list[j].number != "" {
				if n, unit, end := period(s, list, j); unit != "" {
					out = append(out, Found{Start: p.start, End: end, Value: duration(n, unit)})
				}
				break
			}
			if unit := timeUnits[list[j].low]; unit != "" {
				out = append(out, Found{Start: p.start, End: list[j].end, Value: duration(whole(1, unit))})
				break
			}
			if v := dayWords[list[j].low]; v != "" {
				out = append(out, Found{Start: p.start, End: list[j].end, Value: "1 week"})
				break
			}
		}
	}
	return out
}

// frequentIn returns the frequency at the start of a run of Asian letters, and its length.
func frequentIn(word string) (string, int) {
	at := 0
	for range 2 {
		_, size := utf8.DecodeRuneInString(word[at:])
		at += size
	}
	if at < 6 {
		return "", 0
	}
	return frequencyWords[word[:at]], at
}

// Decimal returns the decimal sign of a text, "." or ",": as in most of its numbers that are
// unambiguous, or else as is usual in its language.
func Decimal(s string, l text.Language) byte {
	points := 0
	for i := 0; i < len(s); i++ {
		if !isDigit(s[i]) {
			continue
		}
		end := i
		for end < len(s) && (isDigit(s[end]) || (s[end] == '.' || s[end] == ',') && end+1 < len(s) && isDigit(s[end+1])) {
			end++
		}
		number := s[i:end]
		i = end
		point, comma := strings.LastIndexByte(number, '.'), strings.LastIndexByte(number, ',')
		switch {
		case point >= 0 && comma >= 0 && point > comma, comma < 0 && strings.Count(number, ".") == 1 && len(number)-point-1 == 2 && !isDay(s[end:], number), strings.Count(number, ",") > 1:
			points++
		case point >= 0 && comma > point, point < 0 && comma >= 0 && len(number)-comma-1 < 3, strings.Count(number, ".") == 2 && len(number)-point-1 == 3:
			points--
		}
	}
	switch {
	case points > 0:
		return '.'
	case points < 0:
		return ','
	case l == "" || l == text.English || l == "ja" || l == "zh" || l == "ko":
		return '.'
	}
	return ','
}

// isDay reports whether a number with a full stop inside is a day and a month, "31.12.", or
// a time, "8.30 Uhr".
func isDay(after, number string) bool {
	after = strings.TrimLeft(after, " ")
	return strings.HasPrefix(after, ".") && len(number) <= 5 || strings.HasPrefix(after, "Uhr") || strings.HasPrefix(after, "uur")
}

// NumberIn is [Number] for a text with a known decimal sign. The other sign separates thousands,
// and is a decimal sign itself where it cannot.
func NumberIn(s string, decimal byte) (string, bool) {
	other := byte(',')
	if decimal == ',' {
		other = '.'
	}
	s = strings.NewReplacer(" ", "", "\u00a0", "", "\u202f", "", "'", "", "’", "").Replace(s)
	if strings.Count(s, string(decimal)) == 1 && !strings.Contains(s, string(other)) {
		return Number(strings.Replace(s, string(decimal), ".", 1))
	}
	for _, sign := range []string{".", ","} { // a date, or the number of a section
		if whole, _, _ := strings.Cut(s, map[string]string{".": ",", ",": "."}[sign]); strings.Count(whole, sign) > 1 && !grouped(whole, sign) {
			return "", false
		}
	}
	if grouped(s, string(other)) && strings.Contains(s, string(other)) {
		s = strings.ReplaceAll(s, string(other), "")
	}
	return Number(s)
}

// clock returns a time of day in 24 hours, "" for an invalid one.
func clock(hour, minute int, half string) string {
	switch {
	case half == "pm" && hour < 12:
		hour += 12
	case half == "am" && hour == 12:
		hour = 0
	}
	if hour > 24 || minute > 59 || half != "" && hour > 23 {
		return ""
	}
	return fmt.Sprintf("%02d:%02d", hour, minute)
}
