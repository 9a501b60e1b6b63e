package document

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/assay/memory/text/pattern"
	"example.com/assay/memory/text/values"
)

// A textLine is a span of the text without surrounding white space, with the properties of its
// form.
type textLine struct {
	start, end int
	indent     int
	mark       mark
	label      label
	gaps       bool // wide gaps or dotted lines set parts of it apart
}

func (l textLine) in(s string) string { return s[l.start:l.end] }

type mark struct {
	style  string // alike for the lines of one list; "" for no mark
	number string // as it is cited; "" for a bullet
	size   int    // bytes before the text
}

const bulletStyle = "•"

// A label is the text before a colon.
type label struct {
	from, to, value int // bytes in the line; value is its length where nothing follows
	words           int // 0 for no label
}

// sentenceEnd are the signs after which a line is complete.
const sentenceEnd = ".!?。！？;"

// markOf reads the mark of a line. words are the words that number the parts of this document.
func markOf(s string, words map[string]int) mark {
	c, size := utf8.DecodeRuneInString(s)
	switch {
	case strings.ContainsRune("-*+•–‣▪◦·●", c):
		rest := strings.TrimLeft(s[size:], " \t")
		if len(rest) == len(s)-size || rest == "" {
			return mark{}
		}
		if len(rest) > 4 && rest[0] == '[' && rest[2] == ']' && rest[3] == ' ' {
			rest = strings.TrimLeft(rest[3:], " ")
		}
		return mark{style: bulletStyle, size: len(s) - len(rest)}
	case c == '§', c == '第', strings.ContainsRune(chineseDigits, c):
		return signMark(s)
	}
	m := numberMark(s)
	if m.style == "" && unicode.IsLetter(c) && len(words) > 0 {
		m = wordMark(s, words)
	}
	return m
}

// numberForm finds marks such as "(a)", "1.", "7.2.1", "IV." and "1、". A space, or nothing, follows all but the last.
var numberForm = pattern.New(`^(?:(?:\((\d{1,3}|[A-Za-z]|[IVXLCivxlc]{2,6})\)|(\d{1,3})([.)])|((?:0|[1-9]\d{0,2})(?:\.(?:0|[1-9]\d{0,2}))+)([.)]?)|([A-Za-z]|[IVXLCivxlc]{2,7})([.)]))(?:[ \t\x{a0}]+|$)|(\d{1,3})、)`)

// numberMark reads a mark with a number. Dates such as "3. März" and amounts such as "3.5 kg" are
// none.
func numberMark(s string) mark {
	if !strings.ContainsAny(s[:min(len(s), 8)], ".)、") {
		return mark{}
	}
	g := numberForm.FindStringSubmatch(s)
	if g == nil || strings.HasPrefix(s[len(g[0]):], "=") {
		return mark{}
	}
	m, rest := mark{number: g[1] + g[2] + g[4] + g[6] + g[8], size: len(g[0])}, s[len(g[0]):]
	kind := "i"
	if c := m.number[0]; c <= '9' {
		kind = "1"
	} else if len(m.number) == 1 {
		kind = "a"
	}
	switch word, _, _ := strings.Cut(rest, " "); {
	case g[1] != "":
		m.style = "(" + kind + ")"
	case g[2] != "" && (g[3] == ")" || values.MonthOf(strings.Trim(word, ".,")) == 0):
		m.style = "1" + g[3]
	case g[4] != "":
		if c, _ := utf8.DecodeRuneInString(rest); g[5] == "" && rest != "" && !unicode.IsUpper(c) && !unicode.Is(unicode.Lo, c) && !strings.ContainsRune(`"“„«([`, c) {
			return mark{}
		}
		m.style = "1" + strings.Repeat(".1", strings.Count(m.number, "."))
	case g[6] != "" && m.number[0] >= 'a' && g[7] == ")":
		m.style = kind + ")"
	case g[6] != "" && m.number[0] < 'a' && (kind == "i" || g[7] == ")" || strings.Contains("IVX", m.number)):
		m.style = strings.ToUpper(kind + g[7])
	case g[8] != "":
		m.style = "1、"
	default:
		return mark{}
	}
	return m
}

var signed = pattern.New(`^(?:§+ ?(\d+[a-z]?)|第 ?([0-9一二三四五六七八九十百]+) ?[条條章項项節节回]|([一二三四五六七八九十]+)、)`)

// signMark reads "§ 5", "第三条" and "三、".
func signMark(s string) mark {
	m := signed.FindStringSubmatch(s)
	if m == nil {
		return mark{}
	}
	style := strings.TrimRight(m[0], " ")
	style = strings.Trim(style, "0123456789"+chineseDigits)
	for _, number := range m[1:] {
		if number != "" {
			rest := strings.TrimLeft(s[len(m[0]):], ".): \t　")
			return mark{style: style, number: arabic(number), size: len(s) - len(rest)}
		}
	}
	return mark{}
}

const chineseDigits = "一二三四五六七八九十百"

func arabic(s string) string {
	total, digit := 0, 0
	for _, c := range s {
		switch i := strings.IndexRune(chineseDigits, c) / 3; {
		case c < utf8.RuneSelf:
			return s
		case i < 9:
			digit = i + 1
		case i == 9:
			total, digit = total+10*max(digit, 1), 0
		default:
			total, digit = total+100*max(digit, 1), 0
		}
	}
	return strconv.Itoa(total + digit)
}

// wordMark reads a word with a number, "Article 5" and "Step 2:".
func wordMark(s string, words map[string]int) mark {
	word, number, size := wordNumber(s)
	if words[word] == 0 {
		return mark{}
	}
	rest := strings.TrimLeft(s[size:], ".:)–—- \t")
	return mark{style: word, number: number, size: len(s) - len(rest)}
}

// longestLabel bounds a label, in bytes and words.
const (
	longestLabel = 60
	mostWords    = 6
)

// labelOf reads the text before a colon at the beginning of a line. A sentence with a colon, a time
// and a web address have no label.
func labelOf(s string) label {
	if near := s[:min(len(s), longestLabel+8)]; strings.IndexByte(near, ':') < 1 && !strings.Contains(near, "：") {
		return label{}
	}
	from := 0
	for from < len(s) && (s[from] == '*' || s[from] == '_') {
		from++
	}
	if c, _ := utf8.DecodeRuneInString(s[from:]); !unicode.IsLetter(c) && !unicode.IsDigit(c) {
		return label{}
	}
	words, letters := 1, false
	for i := from; i < len(s) && i-from <= longestLabel; i++ {
		c := s[i]
		colon := 0
		switch {
		case c == ':':
			colon = 1
		case c == 0xef && strings.HasPrefix(s[i:], "："):
			colon = 3
		case c == ' ':
			if i > from && s[i-1] == ' ' {
				return label{}
			}
			words++
			continue
		case c >= utf8.RuneSelf || c|0x20 >= 'a' && c|0x20 <= 'z':
			letters = true
			continue
		case c == '.' && i+1 < len(s) && (s[i+1] == ':' || s[i+1] == ' ' && i-1-strings.LastIndexByte(s[:i], ' ') <= 4):
			continue
		case strings.IndexByte("\t.,!?;|\"<>{}=[]@\\", c) >= 0:
			return label{}
		default:
			continue
		}
		to := len(strings.TrimRight(s[:i], " *_"))
		value := i + colon
		for value < len(s) && (s[value] == '*' || s[value] == '_') {
			value++
		}
		before, _ := utf8.DecodeLastRuneInString(s[:i])
		if value < len(s) && colon == 1 && value == i+1 && s[value] != ' ' && s[value] != '\t' && !unicode.Is(unicode.Lo, before) && !(inCapitals(s[from:i]) && strings.IndexByte(":/\\", s[value]) < 0 && !hasDigit(s[i-1:i])) || !letters || words > mostWords+1 || strings.Count(s[from:i], "(") != strings.Count(s[from:i], ")") {
			return label{}
		}
		if s[i-1] == ' ' {
			words--
		}
		value = len(s) - len(strings.TrimLeft(s[value:], " \t*_"))
		if words > mostWords || to <= from {
			return label{}
		}
		return label{from: from, to: to, value: value, words: words}
	}
	return label{}
}

var setting = pattern.New(`^([\pL_][\pL\pN_.\-]*)[ \t]*=[ \t]*(\S.*)$`)

// settingOf reads "key = value".
func settingOf(s string) label {
	if n := strings.IndexByte(s, '='); n < 1 || n > longestLabel || strings.HasPrefix(s[n:], "==") {
		return label{}
	}
	m := setting.FindStringSubmatchIndex(s)
	if m == nil {
		return label{}
	}
	return label{from: m[2], to: m[3], value: m[4], words: 1}
}

// shortHeading reports whether a text can be a heading: a few words without an end.
func shortHeading(s string) bool {
	if n := len(s); n == 0 || n > 80 || strings.ContainsRune(sentenceEnd+":,-", lastRune(s)) || strings.ContainsAny(s, "=<>{}|\\;") || strings.Contains(s, ". ") && len(s) > 30 {
		return false
	}
	c, _ := utf8.DecodeRuneInString(strings.TrimLeft(s, "(\"“„*_¿¡"))
	return len(strings.Fields(s)) <= 8 && unicode.IsLetter(c) && !unicode.IsLower(c)
}

// inCapitals reports whether a text has letters and all of them are capitals.
func inCapitals(s string) bool {
	n := 0
	for _, c := range s {
		if unicode.IsLower(c) {
			return false
		}
		if unicode.IsUpper(c) {
			n++
		}
	}
	return n > 2
}

func lastRune(s string) rune {
	c, _ := utf8.DecodeLastRuneInString(strings.TrimRight(s, "*_ "))
	return c
}

// lastSentence returns the text after the last full stop within a text.
func lastSentence(s string) string {
	if at := strings.LastIndexAny(s[:max(0, len(s)-1)], ".!?"); at >= 0 && at+2 < len(s) {
		return strings.TrimSpace(s[at+1:])
	}
	return s
}

// isRule reports a line of nothing but the signs that lines are drawn with.
func isRule(s string) bool {
	return len(s) > 2 && strings.IndexByte("+|=-_*~:.\xe2", s[0]) >= 0 && strings.Trim(s, "+|=-_*~:.─━═┼├┤│ \t") == ""
}
