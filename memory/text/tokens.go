// Package text has the lexical basis shared by the index and the offline algorithms: tokens, stems,
// stop lists and sentences, each with byte offsets in the original text.
//
// [LanguageOf] detects the language of a text, and [Language] has its stems and stop words; the
// package's functions are for English. Scripts without spaces between words (Chinese, Japanese,
// Korean with its endings, Thai) become overlapping tokens of two characters, so that a question
// and a text share tokens without a dictionary.
package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
)

// A Token is a word as search sees it: lower case, without a possessive 's.
type Token struct {
	Text       string
	Start, End int // bytes in the original, possessive included
}

// Tokens splits s into runs of letters and digits; an apostrophe between letters stays in its
// token. A run of Chinese, Japanese, Korean or Thai characters gives all overlapping pairs of
// adjacent characters. Composed and decomposed letters, and full and half width, give the same
// text.
func Tokens(s string) []Token {
	tokens := make([]Token, 0, len(s)/6)
	for i := 0; i < len(s); {
		r, size := rune(s[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(s[i:])
		}
		if !IsWord(r) {
			i += size
			continue
		}
		start, unspaced := i, false
		i = Run(s, i, func(r rune) bool {
			unspaced = unspaced || r >= firstUnspaced && scriptOf(r) != 0
			return IsWord(r)
		}, "'’")
		if unspaced {
			tokens = appendPairs(tokens, s, start, i)
			continue
		}
		tokens = append(tokens, Token{Text: folded(s[start:i]), Start: start, End: i})
	}
	return tokens
}

// folded is the form in which a word is compared.
func folded(word string) string {
	if !IsASCII(word) {
		word = plain(strings.ReplaceAll(word, "’", "'"))
	}
	return strings.TrimSuffix(strings.ToLower(word), "'s")
}

// Run returns the end of the run of characters at i for which in returns true. One of joints may be
// between two of them. All word tokenizers use it; tokens differ by purpose: search looks words up,
// a judge compares numbers as written ("1,000", "U.S."), and a reader of causes keeps hyphens.
func Run(s string, i int, in func(rune) bool, joints string) int {
	for i < len(s) {
		r, size := utf8.DecodeRuneInString(s[i:])
		if !in(r) {
			next, _ := utf8.DecodeRuneInString(s[i+size:])
			if !strings.ContainsRune(joints, r) || !in(next) {
				break
			}
		}
		i += size
	}
	return i
}

// IsWord reports whether a character is part of a word: a letter, a number or a mark.
func IsWord(r rune) bool {
	if r < utf8.RuneSelf {
		return r|0x20 >= 'a' && r|0x20 <= 'z' || r >= '0' && r <= '9'
	}
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r)
}

// longestWord is the greatest length in bytes of a word that is stemmed. Nothing longer is English,
// and the stemmer's time grows with the square of the length of some runs of letters.
const longestWord = 64

// Stem returns the Porter2 (Snowball English) stem of a lower-case word. A word of more than 64
// bytes is returned unchanged.
func Stem(word string) string {
	if len(word) > longestWord {
		return word
	}
	env := snowballstem.NewEnv(word)
	english.Stem(env)
	return env.Current()
}

// Terms returns the stems of s in order, without the words of stop. A nil
// stop keeps every word.
func Terms(s string, stop StopList) []string {
	tokens := Tokens(s)
	terms := make([]string, 0, len(tokens))
	for _, t := range tokens {
		if !stop.Has(t.Text) {
			terms = append(terms, Stem(t.Text))
		}
	}
	return terms
}

// Between returns the text between two tokens of s, empty if they overlap.
func Between(s string, a, b Token) string { return s[a.End:max(a.End, b.Start)] }
