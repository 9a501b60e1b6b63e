package values

import (
	"math"
	"strconv"
	"strings"

	"example.com/assay/memory/text/pattern"
)

const currency = `(?:RM|MYR|USD|US\$|EUR|GBP|CHF|SGD|AUD|CAD|JPY|CNY|INR|[$€£¥₹])`

var (
	amountPattern  = pattern.New(`-?(?:` + currency + `\s?)?-?(?:\d{1,3}(?:,\d{3})+|\d+)\.\d{2}`)
	numberPattern  = pattern.New(`-?(?:` + currency + `\s?)?-?\d(?:[\d.,']*\d)?`)
	currencyBefore = pattern.New(`^(-?)` + currency + `\s?`)
	currencyAfter  = pattern.New(`\s?` + currency + `$`)
	percentPattern = pattern.New(`-?\d+(?:[.,]\d+)?\s?(?:%|percent\b|per cent\b)`)
	mailPattern    = pattern.New(`[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}`)
	phonePattern   = pattern.New(`\+?\(?\d[\d ()./-]{5,}\d`)
)

// numberReach is the greatest extent of a number around its digits: signs, and a currency.
const numberReach = 16 // bytes

// Amounts returns the amounts of money with two decimals, as printed on receipts. Values are
// decimal numbers. Percentages and parts of longer numbers are ignored.
func Amounts(text string) []Found {
	var out []Found
	for _, m := range allNear(nearDigits(text, numberReach), amountPattern, text) {
		start, end := m[0], m[1]
		if start > 0 && (isDigit(text[start-1]) || text[start-1] == '.' || text[start-1] == ',') {
			continue
		}
		if rest := text[end:]; rest != "" && (isDigit(rest[0]) || rest[0] == '%' || len(rest) > 1 && rest[0] == '.' && isDigit(rest[1])) {
			continue
		}
		if v, ok := Number(text[start:end]); ok {
			out = append(out, Found{Start: start, End: end, Value: v})
		}
	}
	return out
}

// Numbers returns all numbers, with a preceding currency sign, except those joined to a word by a
// hyphen, as in LW-204. Values are those of Number.
func Numbers(text string) []Found {
	var out []Found
	for _, m := range allNear(nearDigits(text, numberReach), numberPattern, text) {
		if before := text[max(0, m[0]-1):m[0]]; before != "" && text[m[0]] == '-' && (before[0] >= 0x80 || isDigit(before[0]) || before[0]|0x20 >= 'a' && before[0]|0x20 <= 'z') {
			continue // the hyphen joins it to a word
		}
		if v, ok := Number(text[m[0]:m[1]]); ok {
			out = append(out, Found{Start: m[0], End: m[1], Value: v})
		}
	}
	return out
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// fractions are the fractions allowed after a whole number.
var fractions = []struct{ sign, decimals string }{{" 1/2", ".5"}, {" 1/4", ".25"}, {" 3/4", ".75"}, {"½", ".5"}, {"¼", ".25"}, {"¾", ".75"}}

// Number parses a text that is one number, with or without a sign of currency or percent, to a
// decimal with a point and without thousands separators: "RM 1,234.50" and "1.234,50" are
// "1234.50", and "22 1/2" is "22.5". A comma or point before three digits separates thousands
// unless something indicates otherwise; decimals keep their zeros.
func Number(text string) (string, bool) {
	s := strings.TrimSpace(text)
	for _, f := range fractions {
		if whole, ok := strings.CutSuffix(s, f.sign); ok && !strings.ContainsAny(whole, ".,") {
			s = strings.TrimSpace(whole) + f.decimals
			break
		}
	}
	s = currencyBefore.ReplaceAllString(s, "$1")
	s = currencyAfter.ReplaceAllString(s, "")
	s = strings.TrimSpace(strings.TrimSuffix(s, "%"))
	negative := strings.HasPrefix(s, "-")
	if strings.HasPrefix(s, "(") && strings.HasSuffix(s, ")") {
		negative, s = true, s[1:len(s)-1]
	}
	s = strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(s, "-"), "+"), "-")
	s = currencyBefore.ReplaceAllString(s, "$1")
	s = strings.ReplaceAll(strings.ReplaceAll(s, " ", ""), "'", "")
	point, comma := strings.LastIndex(s, "."), strings.LastIndex(s, ",")
	switch {
	case point >= 0 && comma > point: // 1.234,50
		s = strings.Replace(strings.ReplaceAll(s, ".", ""), ",", ".", 1)
	case comma >= 0 && point < 0 && len(s)-comma-1 != 3 && strings.Count(s, ",") == 1: // 12,50
		s = strings.Replace(s, ",", ".", 1)
	case comma >= 0:
		s = strings.ReplaceAll(s, ",", "")
	case strings.Count(s, ".") > 1: // 1.234.567
		s = strings.ReplaceAll(s, ".", "")
	}
	for i, c := range s {
		if (c < '0' || c > '9') && (c != '.' || i == 0) {
			return "", false
		}
	}
	if _, err := strconv.ParseFloat(s, 64); err != nil || len(s) > 30 {
		return "", false
	}
	whole, decimals, _ := strings.Cut(s, ".")
	if whole = strings.TrimLeft(whole, "0"); whole == "" {
		whole = "0"
	}
	if s = whole; decimals != "" {
		s += "." + decimals
	}
	if negative && strings.Trim(s, "0.") != "" {
		s = "-" + s
	}
	return s, true
}

// finite reads a number that is not infinite.
func finite(s string) (float64, bool) {
	v, err := strconv.ParseFloat(s, 64)
	return v, err == nil && !math.IsInf(v, 0)
}

// Digits parses a number of running text as written in English ("2,500.5"), with repeated groups of
// three digits after full stops as thousands ("2.500.000"). Another form ("8.7.1") is not a number:
// in a text it is a section's, while on a form, which Number reads, any digits and separators are
// an amount.
func Digits(s string) (float64, bool) {
	if strings.Count(s, ".") > 1 {
		if !grouped(s, ".") {
			return 0, false
		}
		return finite(strings.ReplaceAll(s, ".", ""))
	}
	if strings.Contains(s, ",") {
		whole, _, _ := strings.Cut(s, ".")
		switch {
		case grouped(whole, ","):
			s = strings.ReplaceAll(s, ",", "")
		case strings.Count(s, ",") == 1 && !strings.Contains(s, "."):
			s = strings.Replace(s, ",", ".", 1) // a decimal comma
		default:
			return 0, false
		}
	}
	return finite(s)
}

// grouped reports whether a number is written in groups of three (or, as in
// India, two) digits before the last three.
func grouped(s, separator string) bool {
	groups := strings.Split(s, separator)
	for i, g := range groups {
		last := i == len(groups)-1
		if i > 0 && last && len(g) != 3 || i > 0 && !last && len(g) != 3 && len(g) != 2 || len(g) > 3 || g == "" {
			return false
		}
	}
	return true
}

// Percents returns percentages. Values are decimal numbers: 5 of "5 %".
func Percents(text string) []Found {
	var out []Found
	for _, m := range percentPattern.FindAllStringIndex(text, -1) {
		digits := strings.TrimRight(text[m[0]:m[1]], "%percnt ")
		if v, ok := Number(digits); ok {
			out = append(out, Found{Start: m[0], End: m[1], Value: v})
		}
	}
	return out
}

// Mails returns addresses of electronic mail, in lower case.
func Mails(text string) []Found {
	var out []Found
	for _, m := range mailPattern.FindAllStringIndex(text, -1) {
		out = append(out, Found{Start: m[0], End: m[1], Value: strings.ToLower(text[m[0]:m[1]])})
	}
	return out
}

// Phones returns possible telephone numbers: 7 to 15 digits, grouped. Values are the digits, after
// a "+" if there is one.
func Phones(text string) []Found {
	var out []Found
	for _, m := range phonePattern.FindAllStringIndex(text, -1) {
		if v, ok := Phone(text[m[0]:m[1]]); ok {
			out = append(out, Found{Start: m[0], End: m[1], Value: v})
		}
	}
	return out
}

// Phone reads a text that is one telephone number.
func Phone(text string) (string, bool) {
	var b strings.Builder
	for i, c := range strings.TrimSpace(text) {
		switch {
		case c >= '0' && c <= '9' || c == '+' && i == 0:
			b.WriteRune(c)
		case strings.ContainsRune(" ()./-", c):
		default:
			return "", false
		}
	}
	n := len(strings.TrimPrefix(b.String(), "+"))
	return b.String(), n >= 7 && n <= 15
}
