package offline

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/assay/memory/text"
)

// A word is a token with its stem and its spelling in the original.
type word struct {
	text.Token
	Raw  string
	Stem string
}

// wordsOf returns all words of s.
func wordsOf(s string) []word {
	tokens := text.Tokens(s)
	words := make([]word, len(tokens))
	for i, t := range tokens {
		words[i] = word{Token: t, Raw: s[t.Start:t.End], Stem: text.Stem(t.Text)}
	}
	return words
}

// contentOf returns the words of s that are not on stop.
func contentOf(s string, stop text.StopList) []word {
	return slices.DeleteFunc(wordsOf(s), func(w word) bool { return stop.Has(w.Text) })
}

// setOf returns the members of terms.
func setOf(terms []string) map[string]bool {
	set := make(map[string]bool, len(terms))
	for _, t := range terms {
		set[t] = true
	}
	return set
}

// capitalised reports whether a word begins with a capital letter.
func capitalised(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsUpper(r)
}

// hasDigit reports whether a word contains a digit.
func hasDigit(s string) bool { return strings.ContainsFunc(s, unicode.IsDigit) }

// upperFirst capitalises the first letter.
func upperFirst(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	if n == 0 {
		return s
	}
	return string(unicode.ToUpper(r)) + s[n:]
}

// asQuestion trims s and ends it with one question mark.
func asQuestion(s string) string {
	return upperFirst(strings.TrimRight(text.OneLine(s), " ?.,;:!")) + "?"
}
