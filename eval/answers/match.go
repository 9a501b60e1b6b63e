package answers

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/assay/memory/text/pattern"
	"example.com/assay/state"
)

// plain replaces characters that differ between a page and its transcript.
var plain = strings.NewReplacer("“", `"`, "”", `"`, "’", "'", "‘", "'", "`", "", "\u00a0", " ", "—", "-", `\`, "")

// normal is a text in lower case, with single spaces.
func normal(s string) string {
	return strings.ToLower(strings.Join(strings.Fields(plain.Replace(s)), " "))
}

// holds reports whether a text contains one of the gold strings. It ignores case, white
// space and typographic quotes. A string that begins or ends with a letter or digit must
// begin or end at the border of a word.
func holds(text string, gold []string) bool {
	text = normal(text)
	for _, g := range gold {
		if stands(text, normal(g)) {
			return true
		}
	}
	return false
}

func stands(text, gold string) bool {
	if gold == "" {
		return false
	}
	first, _ := utf8.DecodeRuneInString(gold)
	last, _ := utf8.DecodeLastRuneInString(gold)
	for from := 0; ; {
		i := strings.Index(text[from:], gold)
		if i < 0 {
			return false
		}
		i += from
		before, _ := utf8.DecodeLastRuneInString(text[:i])
		after, _ := utf8.DecodeRuneInString(text[i+len(gold):])
		if !(word(first) && word(before)) && !(word(last) && word(after)) {
			return true
		}
		_, size := utf8.DecodeRuneInString(text[i:])
		from = i + size
	}
}

// word reports whether a rune is of a word; what is not there is not.
func word(r rune) bool { return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r)) }

var sourcesHeading = pattern.New(`(?m)^(?:#+\s*)?Sources\s*$`)

// Body is an answer without its list of sources.
func Body(answer string) string {
	if i := sourcesHeading.FindStringIndex(answer); i != nil {
		answer = answer[:i[0]]
	}
	return strings.TrimSpace(answer)
}

// firstQuote is the first quote of an answer, empty when there is none. A quote may
// hold quotation marks of its own: the spans of the sources say where it ends.
func firstQuote(a state.Answer) string {
	_, rest, found := strings.Cut(Body(a.Answer), "“")
	if !found {
		return ""
	}
	best, shown := "", normal(rest)
	for _, s := range a.Sources {
		for _, q := range s.Quotes {
			if len(q.Text) > len(best) && strings.HasPrefix(shown, normal(q.Text)) {
				best = q.Text
			}
		}
	}
	if best != "" {
		return best
	}
	quote, _, _ := strings.Cut(rest, "”")
	return quote
}
