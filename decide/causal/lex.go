package causal

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/assay/memory/text"
)

// A Token is a word, a number or a mark of a sentence.
type Token struct {
	Start, End int    // byte range in the sentence
	Low        string // lower case; any number is "0"
	Stem       string // Porter2 stem; Low for marks and numbers
	Word       bool   // a word, not a number or mark
}

// tokens splits a sentence. A hyphen or apostrophe between letters is part of a word, a full stop
// or comma between digits part of a number.
func tokens(s string) []Token {
	out := make([]Token, 0, len(s)/5)
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		start := i
		switch {
		case unicode.IsLetter(r):
			i = text.Run(s, i, isLetter, "'’-")
			low := strings.ReplaceAll(strings.ToLower(s[start:i]), "’", "'")
			out = append(out, Token{start, i, low, text.Stem(strings.TrimSuffix(low, "'s")), true})
		case unicode.IsNumber(r):
			i = text.Run(s, i, unicode.IsNumber, ".,")
			out = append(out, Token{start, i, "0", "0", false})
		case strings.ContainsRune(`,;:()"%?`, r):
			i += size
			out = append(out, Token{start, i, s[start:i], s[start:i], false})
		default:
			i += size
		}
	}
	return out
}

func isLetter(r rune) bool { return unicode.IsLetter(r) || unicode.IsMark(r) }

// A lexicon finds cues in tokens. A cue is a list of words; a word that ends in a star matches all
// words with that beginning, and "+" matches any one or two words.
type lexicon struct {
	exact  map[string][]cue // by the first word
	prefix map[string][]cue // by its first three letters
}

type cue struct {
	class class
	words []string
}

// class is a class of cues.
type class uint8

func newLexicon(lists map[class]string) *lexicon {
	l := &lexicon{map[string][]cue{}, map[string][]cue{}}
	for c := range classes {
		for _, line := range strings.Split(lists[c], ",") {
			words := strings.Fields(line)
			if len(words) == 0 {
				continue
			}
			if head, ok := strings.CutSuffix(words[0], "*"); ok {
				l.prefix[head[:3]] = append(l.prefix[head[:3]], cue{c, words})
			} else {
				l.exact[words[0]] = append(l.exact[words[0]], cue{c, words})
			}
		}
	}
	return l
}

// A found is a cue at tokens from..to.
type found struct {
	class    class
	from, to int
}

// in returns the cues in tokens, in the order of their first tokens. Cues may
// overlap.
func (l *lexicon) in(ts []Token) []found {
	var out []found
	for i, t := range ts {
		if !t.Word {
			continue
		}
		for _, c := range l.exact[t.Low] {
			if to := matches(c.words, ts[i:]); to > 0 {
				out = append(out, found{c.class, i, i + to})
			}
		}
		if len(t.Low) >= 3 {
			for _, c := range l.prefix[t.Low[:3]] {
				if to := matches(c.words, ts[i:]); to > 0 {
					out = append(out, found{c.class, i, i + to})
				}
			}
		}
	}
	return out
}

// matches returns how many tokens a cue takes at the beginning of ts; 0 for none.
func matches(words []string, ts []Token) int {
	at := 0
	for i, w := range words {
		if w == "+" {
			for skip := 1; skip <= 2 && at+skip < len(ts) && ts[at+skip-1].Word; skip++ {
				if n := matches(words[i+1:], ts[at+skip:]); n > 0 {
					return at + skip + n
				}
			}
			return 0
		}
		if at >= len(ts) || !is(w, ts[at].Low) {
			return 0
		}
		at++
	}
	return at
}

func is(pattern, word string) bool {
	if head, ok := strings.CutSuffix(pattern, "*"); ok {
		return strings.HasPrefix(word, head)
	}
	return pattern == word
}
