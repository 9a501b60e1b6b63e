package metrics

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// TokenF1 is the F1 of a text's words against those of a gold text, each counted as often as it
// occurs, in lower case, without punctuation and articles (Rajpurkar et al., "SQuAD: 100,000+
// questions for machine comprehension of text", EMNLP 2016). Two texts without words are equal.
func TokenF1(gold, text string) float64 {
	want, got := words(gold), words(text)
	if len(want) == 0 || len(got) == 0 {
		if len(want) == len(got) {
			return 1
		}
		return 0
	}
	left := map[string]int{}
	for _, w := range want {
		left[w]++
	}
	common := 0
	for _, w := range got {
		if left[w] > 0 {
			left[w]--
			common++
		}
	}
	return 2 * float64(common) / float64(len(want)+len(got))
}

func words(text string) []string {
	fields := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
	out := fields[:0]
	for _, w := range fields {
		if w != "a" && w != "an" && w != "the" {
			out = append(out, w)
		}
	}
	return out
}

// typed replaces characters that are written in several ways, and drops soft hyphens.
var typed = strings.NewReplacer("\u00ad", "", "“", `"`, "”", `"`, "’", "'", "‘", "'", "`", "", "—", "-", `\`, "")

// Plain is a text in lower case, with single spaces and typewriter's quotation marks.
func Plain(s string) string {
	return strings.ToLower(strings.Join(strings.Fields(typed.Replace(s)), " "))
}

// Holds reports whether a text contains one of some strings as whole words, both as [Plain] has
// them. Only Latin letters and digits border on a word: Chinese and Japanese have no spaces between
// words.
func Holds(text string, list []string) bool {
	text = Plain(text)
	return slices.ContainsFunc(list, func(s string) bool { return stands(text, Plain(s)) })
}

func stands(text, s string) bool {
	if s == "" {
		return false
	}
	first, _ := utf8.DecodeRuneInString(s)
	begins := unicode.IsLetter(first) || unicode.IsNumber(first)
	ends := s[len(s)-1] < utf8.RuneSelf
	for from := 0; ; {
		i := strings.Index(text[from:], s)
		if i < 0 {
			return false
		}
		start, end := from+i, from+i+len(s)
		if !(begins && start > 0 && latin(text[start-1])) && !(ends && end < len(text) && latin(text[end])) {
			return true
		}
		from = start + 1
	}
}

func latin(c byte) bool { return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' }
