package index

import (
	"strings"

	"example.com/assay/memory/text"
)

// A spelling maps terms to words that they are the stems of. An embedder that
// was trained elsewhere knows words, not stems.
type spelling map[string]string

// learn notes the words of s, the first of those that share a stem.
func (w spelling) learn(s string, content func(string) []string) {
	for _, token := range text.Tokens(s) {
		list := content(token.Text)
		if len(list) != 1 {
			continue
		}
		if _, known := w[list[0]]; !known {
			w[list[0]] = token.Text
		}
	}
}

// text writes terms as words. Terms that no text has (unknown) become words
// that no language has.
func (w spelling) text(list []string) string {
	out := make([]string, len(list))
	for i, t := range list {
		word, known := w[t]
		if !known {
			word = invented[i%len(invented)]
		}
		out[i] = word
	}
	return strings.Join(out, " ")
}

var invented = [...]string{
	"zorvath", "quillip", "brentoz", "snorvel", "gwimble", "plaxor", "drebnit", "velkum",
	"tolbrek", "frindle", "mizzark", "oplune", "kestrow", "yambrel", "hulgene", "cravit",
}
