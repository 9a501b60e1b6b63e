package values

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/assay/memory/text/pattern"
)

// DateOptions say how to read dates. Nil and the zero value work.
type DateOptions struct {
	// MonthFirst reads 3/4/2020 as the fourth of March. Default: the third of
	// April. A number above 12 is the day either way.
	MonthFirst bool
}

const monthPattern = `(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)`

const year = `((?:1[89]|20) ?\d ?\d)`

// dateReach is the greatest extent of a date around its month: "the twenty-first day of September,
// 2014".
const dateReach = 60 // bytes

var dateMarks = [4]func(s string, at int) bool{partedDigits, monthAt, yearAt, func(s string, at int) bool { return strings.HasPrefix(s[at:], "年") }}

// dateLayouts are tried in this order, near the bytes that a date of the layout has; groups are the
// indexes of the day, the month and the year.
var dateLayouts = []struct {
	pattern          *pattern.Pattern
	mark             int // of dateMarks
	day, month, year int
	numeric          bool // day and month may be the other way round
}{
	{pattern.New(`\b(\d{4})([-/.])(\d{1,2})([-/.])(\d{1,2})\b`), 0, 5, 3, 1, false},
	{pattern.New(`\b(\d{1,2}) ?([-/.]) ?(\d{1,2}) ?([-/.]) ?(\d{4})\b`), 0, 1, 3, 5, true},
	{pattern.New(`\b(\d{1,2})([-/.])(\d{1,2})([-/.])(\d{2})\b`), 0, 1, 3, 5, true},
	{pattern.New(`(?i)\b` + monthPattern + `\.?\s+(\d{1,2})\s?(?:st|nd|rd|th)?\s?,?\s+` + year + `\b`), 1, 2, 1, 3, false},
	{pattern.New(`(?i)\b(\d{1,2})\s?(?:st|nd|rd|th)?(?:[ -/.,']*|\s+day\s+of\s+)` + monthPattern + `[ -/.,']*` + year + `\b`), 1, 1, 2, 3, false},
	{pattern.New(`(?i)\b(\d{1,2})(?:st|nd|rd|th)?[ -/.,']*` + monthPattern + `[ -/.,']*(\d{2})\b`), 1, 1, 2, 3, false},
	{pattern.New(`(?i)\b` + monthPattern + `[ .]*(\d{1,2}),?[ ']+(\d{2})\b`), 1, 2, 1, 3, false},
	{pattern.New(`(?i)\b([a-z]+(?:-[a-z]+)?)\s+day\s+of\s+` + monthPattern + `,?\s+` + year + `\b`), 1, 1, 2, 3, false},
	{pattern.New(`(?i)\b` + monthPattern + `(\d{1,2}),?\s*` + year + `\b`), 1, 2, 1, 3, false},
	{pattern.New(`(?i)\b(\d{1,2})(?:\.|er|º|°)?\s+(?:de\s+)?([a-zäéûç]{3,10})\s+(?:del?\s+)?` + year + `\b`), 2, 1, 2, 3, false},
	{pattern.New(`(\d{4}) ?年 ?(\d{1,2}) ?月 ?(\d{1,2}) ?日`), 3, 3, 2, 1, false},
}

// partedDigits reports whether a separator of a date's numbers is between digits.
func partedDigits(s string, at int) bool {
	if at == 0 || s[at] < '-' || s[at] > '/' {
		return false
	}
	before, after := at-1, at+1
	if before > 0 && s[before] == ' ' {
		before--
	}
	if after+1 < len(s) && s[after] == ' ' {
		after++
	}
	return after < len(s) && isDigit(s[before]) && isDigit(s[after])
}

// monthAt reports whether an English month begins at an offset, and digits follow it.
func monthAt(s string, at int) bool {
	if s[at] < 'A' || at+3 >= len(s) {
		return false
	}
	switch string([]byte{s[at] | 0x20, s[at+1] | 0x20, s[at+2] | 0x20}) {
	case "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec":
	default:
		return false
	}
	at += 3
	for at < len(s) && s[at] >= 'A' {
		at++
	}
	for at < len(s) && s[at] < '0' {
		at++
	}
	return at < len(s) && isDigit(s[at])
}

// yearAt reports whether the first digits of a year are at an offset.
func yearAt(s string, at int) bool {
	return s[at] <= '2' && at+3 < len(s) && (s[at] == '1' && s[at+1] > '7' && s[at+1] <= '9' || s[at] == '2' && s[at+1] == '0') && (isDigit(s[at+2]) || s[at+2] == ' ')
}

// Dates returns the dates of a text in order, none within another: earlier layouts take precedence.
// Values are YYYY-MM-DD; years of two digits are 1970 to 2069. Impossible dates are left out.
func Dates(text string, opts *DateOptions) []Found {
	monthFirst := opts != nil && opts.MonthFirst
	var out []Found
	var parts [len(dateMarks)][][2]int
	for i, mark := range dateMarks {
		parts[i] = near(text, dateReach, mark)
	}
	for kind, layout := range dateLayouts {
		var more []Found
		for _, m := range allNear(parts[layout.mark], layout.pattern, text) {
			group := func(i int) string { return text[m[2*i]:m[2*i+1]] }
			if kind <= 2 && (group(2) != group(4) || besideDigits(text, m[0], m[1], group(2))) {
				continue
			}
			day, ok := dayOf(group(layout.day))
			month, known := monthOf(group(layout.month))
			if !ok || !known {
				continue
			}
			if layout.numeric && (monthFirst && day <= 12 || month > 12) {
				day, month = month, day
			}
			found := Found{Start: m[0], End: m[1], Kind: kind}
			if found.Value, ok = calendar(group(layout.year), month, day); ok && !found.within(out) {
				more = append(more, found)
			}
		}
		if len(more) > 0 {
			out = append(out, more...)
			slices.SortFunc(out, func(a, b Found) int { return cmp.Compare(a.Start, b.Start) })
		}
	}
	return out
}

// within reports whether it overlaps one of others, which are in order and do not
// overlap one another.
func (f Found) within(others []Found) bool {
	i, _ := slices.BinarySearchFunc(others, f.Start, func(o Found, at int) int { return cmp.Compare(o.End, at+1) })
	return i < len(others) && others[i].Start < f.End
}

// besideDigits reports whether a numeric date is a part of something longer, such
// as a number of parts by the same separator.
func besideDigits(text string, start, end int, separator string) bool {
	before, after := text[:start], text[end:]
	digit := func(c byte) bool { return c >= '0' && c <= '9' }
	if n := len(before); n > 1 && strings.HasSuffix(before, separator) && digit(before[n-2]) {
		return true
	}
	return len(after) > 1 && strings.HasPrefix(after, separator) && digit(after[1])
}

func dayOf(s string) (int, bool) {
	if n, err := strconv.Atoi(s); err == nil {
		return n, true
	}
	n := ordinal(strings.ToLower(s))
	return n, n > 0
}

func monthOf(s string) (int, bool) {
	if n, err := strconv.Atoi(s); err == nil {
		return n, true
	}
	n := MonthOf(s)
	return n, n > 0
}

func calendar(y string, month, day int) (string, bool) {
	n, err := strconv.Atoi(strings.ReplaceAll(y, " ", ""))
	if err != nil {
		return "", false
	}
	switch {
	case n < 70:
		n += 2000
	case n < 100:
		n += 1900
	}
	if month < 1 || month > 12 || day < 1 || n < 1000 {
		return "", false
	}
	if t := time.Date(n, time.Month(month), day, 0, 0, 0, 0, time.UTC); t.Day() != day {
		return "", false
	}
	return fmt.Sprintf("%04d-%02d-%02d", n, month, day), true
}

// Date reads a text that is one date and nothing else.
func Date(text string, opts *DateOptions) (string, bool) {
	text = strings.TrimSpace(text)
	found := Dates(text, opts)
	if len(found) != 1 || found[0].Start != 0 || found[0].End != len(text) {
		return "", false
	}
	return found[0].Value, true
}
