package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Words that open a question: question words, and the verbs that precede a subject.
var (
	Interrogatives = Set(`what when where who whom whose which why how`)
	Auxiliaries    = Set(`is are was were do does did can could may might must shall should will would has have had`)
)

// Set makes a set of the words of lists, which white space parts.
func Set(lists ...string) map[string]bool {
	set := map[string]bool{}
	for _, list := range lists {
		for w := range strings.FieldsSeq(list) {
			set[w] = true
		}
	}
	return set
}

// StemSet makes a set of the stems of a list's words.
func StemSet(list string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		set[Stem(w)] = true
	}
	return set
}

// Letters are the letters and digits of a text, in lower case: two texts that have the
// same say the same.
func Letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

// OneLine folds all white space to single spaces.
func OneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// Clip shortens s to at most n bytes, between words where its second half has white
// space, and appends dots.
func Clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	if i := strings.LastIndexFunc(s[:n], unicode.IsSpace); i > n/2 {
		n = i
	}
	return strings.TrimRightFunc(s[:n], unicode.IsSpace) + "…"
}

// CutLast slices s around the last sep, as strings.Cut does around the first.
func CutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// IsASCII reports whether s has no other characters.
func IsASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// Distinct returns a new, non-nil list without repeats, in the same order.
func Distinct[T comparable](list []T) []T {
	seen := make(map[T]bool, len(list))
	out := make([]T, 0, len(list))
	for _, v := range list {
		if !seen[v] {
			seen[v] = true
			out = append(out, v)
		}
	}
	return out
}
