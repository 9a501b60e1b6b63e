package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"golang.org/x/text/width"
)

// plain returns a word in composed letters of normal width.
func plain(word string) string {
	if strings.ContainsFunc(word, func(r rune) bool { return r >= 0xff01 && r <= 0xffdc }) {
		word = width.Fold.String(word)
	}
	return norm.NFC.String(word)
}

// firstUnspaced is the first letter of a script that does not separate words.
const firstUnspaced = 0xe00

// scriptOf is a number for each script whose words no space separates, 0 for others.
// Korean has spaces, between words with their endings.
func scriptOf(r rune) int {
	switch {
	case r < firstUnspaced:
		return 0
	case unicode.Is(unicode.Han, r):
		return 1
	case unicode.Is(unicode.Hiragana, r):
		return 2
	case unicode.Is(unicode.Katakana, r) || r == 'ー' || r == 'ｰ':
		return 3
	case unicode.Is(unicode.Hangul, r):
		return 4
	case unicode.In(r, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar):
		return 5
	}
	return 0
}

// appendPairs appends the tokens of a run that contains unspaced scripts: for each part in such a
// script every two adjacent characters, or a single one, and the other parts unchanged.
func appendPairs(tokens []Token, s string, start, end int) []Token {
	script, first := -1, start // of the part
	var at []int               // where its characters begin: marks belong to the one before
	flush := func(to int) {
		switch {
		case first == to:
		case script == 0:
			tokens = appendWord(tokens, s, first, to)
		case len(at) < 2:
			tokens = append(tokens, Token{Text: folded(s[first:to]), Start: first, End: to})
		default:
			for i := range at[:len(at)-1] {
				stop := to
				if i+2 < len(at) {
					stop = at[i+2]
				}
				tokens = append(tokens, Token{Text: folded(s[at[i]:stop]), Start: at[i], End: stop})
			}
		}
		first, at = to, at[:0]
	}
	for i := start; i < end; {
		r, size := utf8.DecodeRuneInString(s[i:])
		if i == start || !joins(r) {
			if of := scriptOf(r); of != script {
				flush(i)
				script = of
			}
			at = append(at, i)
		}
		i += size
	}
	flush(end)
	return tokens
}

// joins reports whether a character belongs to the one before it: a mark, a half-width voicing
// mark, a vowel or final of a decomposed Korean syllable.
func joins(r rune) bool {
	return unicode.IsMark(r) || r == 0xff9e || r == 0xff9f || r >= 0x1160 && r <= 0x11ff
}

// appendWord appends a part of a run without surrounding apostrophes.
func appendWord(tokens []Token, s string, start, end int) []Token {
	word := strings.Trim(s[start:end], "'’")
	start += strings.Index(s[start:end], word)
	if text := folded(word); text != "" {
		tokens = append(tokens, Token{Text: text, Start: start, End: start + len(word)})
	}
	return tokens
}
