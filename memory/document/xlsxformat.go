package document

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"example.com/assay/memory/text"
)

// builtinFormats are the number formats that files name without writing them out.
var builtinFormats = map[string]string{"1": "0", "2": "0.00", "3": "#,##0", "4": "#,##0.00", "9": "0%", "10": "0.00%", "11": "0.00E+00",
	"14": "yyyy-mm-dd", "15": "d-mmm-yy", "16": "d-mmm", "17": "mmm-yy", "18": "h:mm", "19": "h:mm:ss", "20": "h:mm", "21": "h:mm:ss", "22": "yyyy-mm-dd h:mm",
	"37": "#,##0", "38": "#,##0", "39": "#,##0.00", "40": "#,##0.00", "45": "mm:ss", "46": "[h]:mm:ss", "47": "mm:ss", "49": "@"}

// A numberFormat is a sheet's format for a number: one section for numbers, and others for negative
// ones and zero.
type numberFormat []formatSection

type formatSection struct {
	date, clock, seconds bool
	day, weekday         bool   // a date has its day, or its day of the week alone
	year                 bool   // a date has its year
	elapsed              byte   // h, m or s that count on: 30:00 are thirty hours
	before, after        string // the text before and after the digits
	digits               bool
	decimals, least      int // decimals, and least digits before the point
	commas, exponent     bool
	percent              int
	thousands            int // by which the number is divided
}

// readFormat reads a format such as "#,##0.00 [$€-407];[Red]-0.00".
func readFormat(code string) numberFormat {
	if code == "" || strings.EqualFold(code, "general") || code == "@" || len(code) > 1000 {
		return nil
	}
	var out numberFormat
	s := formatSection{}
	point := false
	lit := func(l string) {
		if s.digits {
			s.after += l
		} else {
			s.before += l
		}
	}
	r := []rune(code)
	for i := 0; i < len(r); i++ {
		switch c := r[i]; {
		case c == ';':
			out = append(out, s)
			s, point = formatSection{}, false
		case c == '"':
			for i++; i < len(r) && r[i] != '"'; i++ {
				lit(string(r[i]))
			}
		case c == '\\' && i+1 < len(r):
			i++
			lit(string(r[i]))
		case (c == '_' || c == '*') && i+1 < len(r):
			i++
		case c == '[':
			j := i + 1
			for j < len(r) && r[j] != ']' {
				j++
			}
			switch inner := string(r[min(i+1, len(r)):j]); {
			case strings.HasPrefix(inner, "$"):
				sign, _, _ := strings.Cut(inner[1:], "-")
				lit(sign)
			case strings.Trim(strings.ToLower(inner), "h") == "", strings.Trim(strings.ToLower(inner), "m") == "", strings.Trim(strings.ToLower(inner), "s") == "":
				if inner != "" {
					s.elapsed, s.clock = strings.ToLower(inner)[0], true
				}
			}
			i = j
		case c == '0' || c == '#' || c == '?':
			s.digits = true
			switch {
			case point:
				if c == '0' || s.decimals > 0 || c == '#' {
					s.decimals++
				}
			case c == '0':
				s.least++
			}
		case c == '.' && s.digits && i+1 < len(r) && strings.ContainsRune("0#?", r[i+1]):
			point = true
		case c == ',' && s.digits:
			if i+1 < len(r) && strings.ContainsRune("0#?", r[i+1]) {
				s.commas = true
			} else {
				s.thousands++
			}
		case c == '%':
			s.percent++
			lit("%")
		case (c == 'E' || c == 'e') && s.digits && i+1 < len(r) && (r[i+1] == '+' || r[i+1] == '-'):
			s.exponent = true
			for i += 2; i < len(r) && (r[i] == '0' || r[i] == '#'); i++ {
			}
			i--
		case strings.ContainsRune("yYdDhHsSmM", c):
			n := 1
			for i+1 < len(r) && r[i+1]|0x20 == c|0x20 {
				i++
				n++
			}
			s.dateToken(byte(c|0x20), n, r[i+1:])
		case strings.ContainsRune("$€£¥ -+()/:", c) || c > 0x7f:
			lit(string(c))
		}
	}
	return append(out, s)
}

// dateToken adds a letter of a date format. An m next to hours or seconds is minutes.
func (s *formatSection) dateToken(c byte, n int, rest []rune) {
	switch c {
	case 'y':
		s.date, s.year = true, true
	case 'd':
		s.date, s.day, s.weekday = true, s.day || n < 3, s.weekday || n > 2
	case 'h':
		s.clock = true
	case 's':
		s.clock, s.seconds = true, true
	case 'm':
		next := strings.TrimLeft(string(rest[:min(3, len(rest))]), ":. ]")
		if !s.clock && (next == "" || next[0]|0x20 != 's') {
			s.date = true
		}
	}
}

func (f numberFormat) show(v float64, from1904 bool) string {
	if len(f) == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		return decimal(v)
	}
	s := f[0]
	switch {
	case v < 0 && len(f) > 1:
		s, v = f[1], -v
		if !strings.ContainsAny(s.before+s.after, "-(") && (s.digits || s.clock) {
			s.before = "-" + s.before
		}
	case v == 0 && len(f) > 2:
		s = f[2]
	}
	switch {
	case s.elapsed != 0:
		return s.passed(v)
	case (s.date || s.clock) && v >= 0 && v < 2_958_466: // the year 10000
		return s.when(v, from1904)
	case s.date || s.clock:
		return decimal(v)
	case !s.digits && s.before != "":
		return strings.TrimSpace(s.before)
	case !s.digits:
		return decimal(v)
	}
	for range min(s.percent, 3) {
		v *= 100
	}
	for range min(s.thousands, 5) {
		v /= 1000
	}
	number := strconv.FormatFloat(math.Abs(v), 'f', min(s.decimals, 30), 64)
	if s.exponent {
		number = strconv.FormatFloat(math.Abs(v), 'E', min(s.decimals, 30), 64)
	} else if s.decimals == 0 || !s.exponent {
		whole, part, _ := strings.Cut(number, ".")
		for len(whole) < min(s.least, 30) {
			whole = "0" + whole
		}
		if s.commas {
			for i := len(whole) - 3; i > 0; i -= 3 {
				whole = whole[:i] + "," + whole[i:]
			}
		}
		if number = whole; part != "" {
			number += "." + part
		}
	}
	if v < 0 {
		number = "-" + number
	}
	return text.OneLine(s.before + number + s.after)
}

func (s formatSection) passed(days float64) string {
	seconds := int64(math.Round(math.Min(math.Abs(days), 1e7) * 86_400))
	sign, minutes := "", seconds/60
	if days < 0 {
		sign = "-"
	}
	switch {
	case s.elapsed == 's':
		return fmt.Sprintf("%s%d", sign, seconds)
	case s.elapsed == 'm':
		return fmt.Sprintf("%s%d:%02d", sign, minutes, seconds%60)
	case s.seconds:
		return fmt.Sprintf("%s%d:%02d:%02d", sign, minutes/60, minutes%60, seconds%60)
	}
	return fmt.Sprintf("%s%d:%02d", sign, minutes/60, minutes%60)
}

// when writes a count of days as far as the format shows it. Before March 1900 Excel is a day
// off, because it takes 1900 for a leap year.
func (s formatSection) when(days float64, from1904 bool) string {
	seconds := math.Round(days * 86_400)
	from := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	if from1904 {
		from = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	at := from.Add(time.Duration(math.Mod(seconds, 86_400))*time.Second).AddDate(0, 0, int(seconds/86_400))
	clock := "15:04"
	if s.seconds {
		clock = "15:04:05"
	}
	layout := "2006-01-02"
	switch {
	case !s.date:
		return at.Format(clock)
	case s.weekday && !s.day && !s.year:
		layout = "Monday"
	case !s.day && s.year:
		layout = "2006-01"
	}
	if s.clock {
		layout += " " + clock
	}
	return at.Format(layout)
}

// decimal writes a number with the 15 digits of a sheet's precision.
func decimal(v float64) string {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 15, 64), 64)
	if err != nil {
		rounded = v
	}
	if math.Abs(rounded) >= 1e21 || rounded != 0 && math.Abs(rounded) < 1e-9 {
		return strconv.FormatFloat(rounded, 'g', -1, 64)
	}
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}
