package support

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"example.com/assay/memory/text"
	"example.com/assay/memory/text/values"
)

// A word is a token as claims and evidence compare it.
type word struct {
	start, end int    // bytes of the text
	low        string // lower case, without possessive, thousands separators and full stops of initials
	stem       string // Porter2 stem of low; numbers, months and their short forms are normalised
	stop       bool   // a function word: it counts in order and fragments, not in coverage
	light      bool   // frames a statement rather than makes it
	capital    bool   // begins with a capital, and does not begin the text
	upper      bool   // begins with a capital
	joined     bool   // a hyphen joins it to the previous word
	acronym    bool   // three to eight capitals
	negates    bool   // reverses its neighbours
	hedges     bool   // doubts
	null       bool   // states no difference
	sign       int    // 1 for a word of more, −1 for one of less
	number     bool   // holds a digit, or is a number in words from two to ninety
}

// A lexer caches the words of one text, since most occur more than once. It is not safe for
// concurrent use.
type lexer struct{ known map[string]word }

func newLexer() *lexer { return &lexer{known: map[string]word{}} }

// words splits s into runs of letters and digits. A full stop, comma or
// apostrophe between two of them stays inside, so 1,000 and U.S. are one word;
// a percent sign is the word percent.
func (l *lexer) words(s string) []word {
	out := make([]word, 0, len(s)/5)
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == '%' {
			out = append(out, word{start: i, end: i + 1, low: "percent", stem: "percent"})
		}
		if !text.IsWord(r) {
			i += size
			continue
		}
		start := i
		i = text.Run(s, i, text.IsWord, ".,'’")
		out = append(out, l.word(s, start, i, len(out) == 0))
	}
	return out
}

// word returns s[start:end] with the properties of its position.
func (l *lexer) word(s string, start, end int, first bool) word {
	w, ok := l.known[s[start:end]]
	if !ok {
		w = read(s[start:end])
		l.known[s[start:end]] = w
	}
	w.start, w.end = start, end
	w.capital = w.upper && !first
	w.joined = start > 0 && s[start-1] == '-' && !first
	return w
}

// read returns the properties of a word that do not depend on its position.
func read(raw string) word {
	r, _ := utf8.DecodeRuneInString(raw)
	low := strings.TrimSuffix(strings.ToLower(strings.ReplaceAll(raw, "’", "'")), "'s")
	digits := strings.ContainsFunc(low, unicode.IsDigit)
	low = strings.ReplaceAll(low, ",", "")
	if !digits {
		low = strings.ReplaceAll(low, ".", "")
	}
	low = plain(low)
	w := word{
		low: low, upper: unicode.IsUpper(r), negates: negates(low), hedges: hedges[low], null: nulls[low],
		acronym: !digits && len(raw) >= 3 && len(raw) <= 8 && raw == strings.ToUpper(raw) && text.IsASCII(raw),
	}
	switch {
	case digits:
		w.number, w.stem = true, ordinal(low)
	case values.Cardinals[low]+values.Tens[low] > 1:
		w.number, w.stem = true, strconv.Itoa(values.Cardinals[low]+values.Tens[low])
	case w.upper && low != "may" && values.Month(low) > 0:
		w.stem = text.Stem(values.MonthName(values.Month(low)))
	default:
		w.light = light[low]
		w.stop = text.DocStops.Has(low) || len(low) == 1 && low != "i"
		w.stem = text.Stem(low)
		w.sign = direction(w.stem)
	}
	return w
}

// ordinal drops the ending of 1st, 2nd, 3rd, 4th.
func ordinal(low string) string {
	for _, ending := range []string{"st", "nd", "rd", "th"} {
		if head, ok := strings.CutSuffix(low, ending); ok && head != "" && strings.Trim(head, "0123456789") == "" {
			return head
		}
	}
	return low
}

// plain drops accents, and the elided article of l'état.
func plain(low string) string {
	if !text.IsASCII(low) {
		low = strings.Map(func(r rune) rune {
			if unicode.Is(unicode.Mn, r) {
				return -1
			}
			return r
		}, norm.NFD.String(low))
	}
	if len(low) > 3 && low[1] == '\'' && (low[0] == 'l' || low[0] == 'd') {
		low = low[2:]
	}
	return low
}
