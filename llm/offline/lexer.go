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

// A lexer splits text into words and remembers stems for one request. Not
// for concurrent use.
type lexer struct{ stems map[string]string }

func newLexer() *lexer { return &lexer{stems: map[string]string{}} }

func (l *lexer) stem(w string) string {
	s, ok := l.stems[w]
	if !ok {
		s = text.Stem(w)
		l.stems[w] = s
	}
	return s
}

// words returns all words of s.
func (l *lexer) words(s string) []word {
	tokens := text.Tokens(s)
	words := make([]word, len(tokens))
	for i, t := range tokens {
		words[i] = word{Token: t, Raw: s[t.Start:t.End], Stem: l.stem(t.Text)}
	}
	return words
}

// content returns the words of s that are not on stop.
func (l *lexer) content(s string, stop text.StopList) []word {
	return slices.DeleteFunc(l.words(s), func(w word) bool { return stop.Has(w.Text) })
}

// terms returns the stems of s in order, without the words of stop.
func (l *lexer) terms(s string, stop text.StopList) []string {
	words := l.content(s, stop)
	terms := make([]string, len(words))
	for i, w := range words {
		terms[i] = w.Stem
	}
	return terms
}

// distinct returns the stems of s without repeats, in order of appearance.
func (l *lexer) distinct(s string, stop text.StopList) []string {
	return text.Distinct(l.terms(s, stop))
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

// hasDigit reports whether a word holds a digit.
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
