package values

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/assay/memory/text"
)

// Kinds of the values of Days.
const (
	DayDate    = iota // "2026-11-05", without a year "--11-05", without a day "2026-11"
	DayWeekday        // "monday"
)

func sortFound(list []Found) {
	slices.SortFunc(list, func(a, b Found) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End)) })
}

// Days returns dates, also those without a year or a day, and days of the week.
func Days(s string, l text.Language) []Found {
	out := Dates(s, nil)
	for i := range out {
		out[i].Kind = DayDate
	}
	list := pieces(s, l)
	add := func(f Found) {
		if f.Value != "" && !f.within(out) {
			out = append(out, f)
			sortFound(out)
		}
	}
	for i, p := range list {
		add(asianDate(s, list, i))
		if m, _ := strconv.Atoi(monthWords[strings.TrimSuffix(p.low, ".")]); m > 0 {
			add(dateAround(s, list, i, m))
		}
		v, end := dayWords[p.low], p.end
		if v == "" {
			v, end = asianDay(s, p)
		}
		if v != "" {
			add(Found{Start: p.start, End: end, Value: v, Kind: DayWeekday})
		}
	}
	return out
}

// asianDay reads the day of the week that a run of Asian letters begins with.
func asianDay(s string, p piece) (string, int) {
	at := 0
	for n := range 3 {
		_, size := utf8.DecodeRuneInString(s[p.start+at:])
		if at += size; size < 3 {
			return "", 0
		}
		if v := dayWords[s[p.start:p.start+at]]; v != "" && n > 0 {
			return v, p.start + at
		}
	}
	return "", 0
}

// between are the signs and words allowed between the parts of a date.
var between = text.Set(`. , of de del del’ d' di den der`)

// dateAround reads the date whose month is piece i: "5. März 2026", "March 5", "May 2026". A word
// with another meaning is a month only next to a day or year.
func dateAround(s string, list []piece, i, month int) Found {
	f := Found{Start: list[i].start, End: list[i].end}
	day, year := 0, 0
	for j := i - 1; j >= 0 && j >= i-2; j-- {
		w := strings.TrimRight(list[j].low, ".º°")
		if n := dayNumber(list[j]); n > 0 {
			day, f.Start = n, list[j].start
			break
		}
		if !between[w] && !ordinalSigns[w] && w != "" {
			break
		}
	}
	for j := i + 1; j < len(list) && j <= i+3; j++ {
		n, err := strconv.Atoi(list[j].number)
		switch {
		case err == nil && list[j].digits && len(list[j].low) == 4 && n >= 1000:
			year, f.End = n, list[j].end
		case err == nil && list[j].digits && day == 0 && n > 0 && n <= 31 && (j == i+1 || list[j-1].low == "."):
			day, f.End = n, list[j].end
			continue
		case between[list[j].low] || ordinalSigns[list[j].low]:
			continue
		}
		break
	}
	first, _ := utf8.DecodeRuneInString(s[list[i].start:])
	switch {
	case day > 0 && year > 0:
		f.Value, _ = calendar(strconv.Itoa(year), month, day)
	case day > 0:
		if _, ok := calendar("2024", month, day); ok {
			f.Value = fmt.Sprintf("--%02d-%02d", month, day)
		}
	case year > 0:
		f.Value = fmt.Sprintf("%d-%02d", year, month)
	case unicode.IsUpper(first) && len(list[i].low) > 3 && !alsoWords[list[i].low]:
		f.Value = fmt.Sprintf("--%02d", month)
	}
	return f
}

var (
	ordinalSigns = text.Set(`st nd rd th er º ° o e`)
	alsoWords    = text.Set(`march mars august mayo marzo`)
)

// dayNumber returns the day that a piece may be, or 0.
func dayNumber(p piece) int {
	if n, err := strconv.Atoi(strings.TrimSuffix(p.number, ".")); err == nil && n >= 1 && n <= 31 && !p.article {
		return n
	}
	return 0
}

// asianDate reads "2026年4月1日" and its parts after piece i.
func asianDate(s string, list []piece, i int) Found {
	parts, f := map[string]int{}, Found{Start: list[i].start}
	for j := i; j < len(list) && j < i+12; j++ {
		n, err := strconv.Atoi(list[j].number)
		if err != nil {
			continue
		}
		rest := strings.TrimLeft(s[list[j].end:], " ")
		unit := ""
		for of, signs := range map[string][]string{"y": {"年", "년"}, "m": {"月", "월"}, "d": {"日", "号", "號", "일"}} {
			for _, sign := range signs {
				if strings.HasPrefix(rest, sign) && parts[of] == 0 {
					unit = of
					f.End = len(s) - len(rest) + len(sign)
				}
			}
		}
		if unit == "" || j == i && unit == "d" || unit == "m" && len(parts) > 0 && parts["y"] == 0 {
			break
		}
		parts[unit] = n
		if unit == "d" {
			break
		}
	}
	y, m, d := parts["y"], parts["m"], parts["d"]
	switch {
	case m == 0:
	case y > 0 && d > 0:
		f.Value, _ = calendar(strconv.Itoa(y), m, d)
	case d > 0 && m <= 12 && d <= 31:
		f.Value = fmt.Sprintf("--%02d-%02d", m, d)
	case y > 1000 && m <= 12:
		f.Value = fmt.Sprintf("%d-%02d", y, m)
	}
	return f
}
