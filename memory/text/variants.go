package text

import (
	"slices"
	"strings"
)

// spellings are endings and parts of words that British and American English write
// differently. Applied to any word they make many that no language has: only the
// corpus knows which of them are words.
var spellings = [][2]string{
	{"is", "iz"}, {"ys", "yz"}, {"our", "or"}, {"ogue", "og"}, {"ence", "ense"}, {"ll", "l"}, {"tre", "ter"}, {"bre", "ber"},
	{"tred", "tered"}, {"mme", "m"}, {"ae", "e"}, {"oe", "e"}, {"grey", "gray"}, {"efact", "ifact"}, {"que", "ck"}, {"dgement", "dgment"},
}

// Variants lists how a lower-case word may be spelt on the other side of the
// Atlantic, sorted. Most of them are no words.
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

// Respelt is s with other words in place of some, which are tokens.
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
