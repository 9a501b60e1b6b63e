// Package text is the lexical substrate that the index and the offline
// algorithms share: tokens, stems, stop lists and sentences, each with byte
// offsets into the text it came from.
//
// It knows English. It does not detect languages, and text in scripts that do
// not separate words by space or punctuation comes out as one token a run.
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

// Tokens splits s into runs of letters and digits; an apostrophe between
// letters stays inside its token.
func Tokens(s string) []Token {
	tokens := make([]Token, 0, len(s)/6)
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if !IsWord(r) {
			i += size
			continue
		}
		start := i
		i = Run(s, i, IsWord, "'’")
		word := strings.ToLower(strings.ReplaceAll(s[start:i], "’", "'"))
		word = strings.TrimSuffix(word, "'s")
		tokens = append(tokens, Token{Text: word, Start: start, End: i})
	}
	return tokens
}

// Run is the end of the run of characters that begins at i and that in holds of. One
// of joints may stand between two of them. All tokenizers of words are made of it; what
// a token is for differs: search looks words up, a judge compares numbers as they
// are written ("1,000", "U.S."), and a reader of causes keeps hyphens.
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

// IsWord reports whether a character is a part of a word: a letter, a number or a mark.
func IsWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) }

// longestWord is the length in bytes up to which a word is stemmed. Nothing
// longer is English, and the stemmer's time grows with the square of the
// length of some runs of letters.
const longestWord = 64

// Stem returns the Porter2 (Snowball English) stem of a lower-case word. A
// word of more than 64 bytes is its own stem.
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
