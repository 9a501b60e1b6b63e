package text

import (
	"slices"
	"strings"
)

// spellings are endings and parts of words that British and American English write differently.
// Applied to any word they give many non-words: only the corpus knows which of them are words.
var spellings = [][2]string{
	{"is", "iz"}, {"ys", "yz"}, {"our", "or"}, {"ogue", "og"}, {"ence", "ense"}, {"ll", "l"}, {"tre", "ter"}, {"bre", "ber"},
	{"tred", "tered"}, {"mme", "m"}, {"ae", "e"}, {"oe", "e"}, {"grey", "gray"}, {"efact", "ifact"}, {"que", "ck"}, {"dgement", "dgment"},
}

// Variants returns the British or American spellings that a lower-case word may have, sorted. Most
// of them are not words.
func Variants(word string) []string {
	var out []string
	for _, pair := range spellings {
		for _, p := range [][2]string{pair, {pair[1], pair[0]}} {
			for at := range word {
				if strings.HasPrefix(word[at:], p[0]) {
					out = append(out, word[:at]+p[1]+word[at+len(p[0]):])
				}
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(slices.DeleteFunc(out, func(v string) bool { return v == word }))
}

// Respelt returns s with some tokens replaced.
func Respelt(s string, as map[string]string) string {
	var b strings.Builder
	at := 0
	for _, t := range Tokens(s) {
		if word, ok := as[t.Text]; ok && t.Start >= at {
			b.WriteString(s[at:t.Start] + word)
			at = t.End
		}
	}
	return b.String() + s[at:]
}
