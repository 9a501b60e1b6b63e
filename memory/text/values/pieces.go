package values

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/assay/memory/text"
)

// A piece is a word, a number or a sign of a text.
type piece struct {
	start, end int
	low        string // lower case
	number     string // a decimal number; "" of what is none
	article    bool   // a number that may be an article: "a", "ein", "une"
	digits     bool   // a number in digits
}

// longestNumeral bounds the bytes of a word that is split into number words.
const longestNumeral = 48

// pieces cuts a text up. Numbers in digits, in words of the language and in Chinese
// characters are one piece each.
func pieces(s string, l text.Language) []piece {
	if l == "" {
		l = text.English
	}
	decimal, han := Decimal(s, l), l == "ja" || l == "zh"
	var out []piece
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case unicode.IsSpace(r):
			i += size
		case foldedDigit(r) >= 0:
			end := numberEnd(s, i)
			p := piece{start: i, end: end, low: foldDigits(s[i:end]), digits: true}
			p.number, _ = NumberIn(p.low, decimal)
			out, i = append(out, p), end
		case han && hanDigit(r) != 0:
			end := i
			for end < len(s) {
				c, n := utf8.DecodeRuneInString(s[end:])
				if hanDigit(c) == 0 {
					break
				}
				end += n
			}
			p := piece{start: i, end: end, low: s[i:end]}
			if n, ok := hanNumber(p.low); ok {
				p.number = strconv.Itoa(n)
			}
			out, i = append(out, p), end
		case unicode.IsLetter(r):
			end := text.Run(s, i, func(c rune) bool { return (unicode.IsLetter(c) || unicode.IsMark(c)) && (!han || hanDigit(c) == 0) }, "-.'’")
			p := piece{start: i, end: end, low: strings.ToLower(s[i:end])}
			if before, unit, found := text.CutLast(p.low, "-"); found && timeUnits[unit] != "" && len(p.low) == end-i { // thirty-day
				out = append(out, piece{start: i, end: i + len(before), low: before})
				p = piece{start: end - len(unit), end: end, low: unit}
			}
			out, i = append(out, p), end
		default:
			out, i = append(out, piece{start: i, end: i + size, low: s[i : i+size]}), i+size
		}
	}
	return withNumerals(s, out, l)
}

// numberEnd returns the end of a number in digits with separators between them.
func numberEnd(s string, i int) int {
	for i < len(s) {
		r, size := utf8.DecodeRuneInString(s[i:])
		if foldedDigit(r) < 0 {
			next, _ := utf8.DecodeRuneInString(s[i+size:])
			grouped := (r == ' ' || r == '\u00a0' || r == '\u202f') && threeDigits(s[i+size:])
			if !strings.ContainsRune(".,'’", r) && !grouped || foldedDigit(next) < 0 {
				break
			}
		}
		i += size
	}
	return i
}

// threeDigits reports whether a text begins with three digits and no more: "234" of "1 234".
func threeDigits(s string) bool {
	n := 0
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	return n == 3 && !strings.HasPrefix(s[n:], ":")
}

// foldedDigit returns the value of a Western digit of normal or full width, −1 for other
// characters.
func foldedDigit(r rune) int {
	switch {
	case r >= '0' && r <= '9':
		return int(r - '0')
	case r >= '０' && r <= '９':
		return int(r - '０')
	}
	return -1
}

func foldDigits(s string) string {
	if text.IsASCII(s) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if d := foldedDigit(r); d >= 0 {
			return '0' + rune(d)
		}
		return r
	}, s)
}

// hanDigits maps the Chinese characters of numbers to their values; zero is −1.
var hanDigits = map[rune]int{'〇': -1, '零': -1, '一': 1, '二': 2, '两': 2, '兩': 2, '三': 3, '四': 4, '五': 5, '六': 6, '七': 7, '八': 8, '九': 9, '十': 10, '百': 100, '千': 1000, '万': 10000, '萬': 10000}

// hanDigit returns the value of such a character, −1 for zero, 0 for others.
func hanDigit(r rune) int { return hanDigits[r] }

// hanNumber reads a number in Chinese characters, with units (三百五十) or digit by digit
// (二〇二六).
func hanNumber(s string) (int, bool) {
	total, section, digit, units := 0, 0, 0, false
	for _, r := range s {
		switch v := hanDigit(r); {
		case v >= 10000:
			total, section, digit, units = (total+section+digit)*v, 0, 0, true
		case v >= 10:
			section, digit, units = section+max(1, digit)*v, 0, true
		case units:
			digit = max(0, v)
		default:
			digit = digit*10 + max(0, v)
		}
		if total > 1<<40 || section > 1<<40 || digit > 1<<40 {
			return 0, false
		}
	}
	return total + section + digit, true
}

// withNumerals makes one piece of the words of each number.
func withNumerals(s string, in []piece, l text.Language) []piece {
	table, ok := numeralsOf[l]
	if !ok {
		return in
	}
	out := in[:0]
	for i := 0; i < len(in); {
		n, used := table.read(s, in[i:])
		if used == 0 {
			out = append(out, in[i])
			i++
			continue
		}
		p := piece{start: in[i].start, end: in[i+used-1].end, number: strconv.Itoa(n), article: used == 1 && n == 1 && in[i].low != "one" && in[i].low != "eins"}
		p.low = strings.ToLower(s[p.start:p.end])
		out = append(out, p)
		i += used
	}
	return out
}

// read reads the number at the start of pieces and the count of pieces used; 0 for none.
func (t numeralTable) read(s string, in []piece) (n, used int) {
	var parts []int
	for i := 0; i < len(in) && i < 8; i++ {
		if in[i].digits || i > 0 && strings.Trim(s[in[i-1].end:in[i].start], " \u00a0") != "" {
			break
		}
		if i > 0 && len(parts) > 0 && i+1 < len(in) && slices.Contains(t.and, in[i].low) {
			if more := t.apart(in[i+1].low); more != nil {
				continue
			}
		}
		more := t.apart(in[i].low)
		if more == nil {
			break
		}
		parts, used = append(parts, more...), i+1
	}
	if used == 0 {
		return 0, 0
	}
	return summed(parts), used
}

// apart takes a word to its numerals; nil where it is of anything else.
func (t numeralTable) apart(word string) []int {
	if n, ok := t.words[word]; ok {
		return []int{n}
	}
	word = strings.ReplaceAll(word, "ë", "e") // tweeëntwintig
	if len(word) > longestNumeral || len(word) < 4 {
		return nil
	}
	ways := 0
	var try func(rest string, depth int) []int
	try = func(rest string, depth int) []int {
		if n, ok := t.words[rest]; ok {
			return []int{n}
		}
		if ways++; ways > 200 || depth > 8 {
			return nil
		}
		for end := len(rest) - 1; end >= 2; end-- {
			n, ok := t.words[rest[:end]]
			if !ok {
				continue
			}
			after := strings.TrimPrefix(rest[end:], "-")
			for _, and := range append([]string{""}, t.and...) {
				if cut, found := strings.CutPrefix(after, and); found && cut != "" {
					if more := try(strings.TrimPrefix(cut, "-"), depth+1); more != nil {
						return append([]int{n}, more...)
					}
				}
			}
		}
		return nil
	}
	return try(word, 0)
}

// summed combines the numerals of a number: 300 from 3 and 100, 21 from 1 and 20, 80 from the
// French 4 and 20.
func summed(parts []int) int {
	total, section := 0, 0
	for i, n := range parts {
		switch {
		case n >= 1000:
			total, section = total+max(1, section)*n, 0
		case n >= 100:
			section = max(1, section) * n
		case n == 20 && i > 0 && parts[i-1] == 4 && section%100 == 4:
			section += 76
		default:
			section += n
		}
		if total > 1<<40 || section > 1<<30 {
			return 0
		}
	}
	return total + section
}
