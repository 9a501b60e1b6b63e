package facts

import (
	"slices"
	"strings"

	"example.com/assay/memory/text/wordnet"
)

// mostContraries is how many contraries of a claim are searched for.
const mostContraries = 2

// Contraries returns a claim with one word replaced by its direct opposite. A refutation often uses
// that word, and a search with the claim's own words does not find it.
func Contraries(claim string) []string {
	toks := lex(claim, newLexicon(""))
	var out []string
	for i, t := range toks {
		if len(out) == mostContraries {
			break
		}
		if t.kind != word || t.capital && i > 0 || unpolar[t.text] || !t.content {
			continue
		}
		if opposite := oppositeForm(t.text); opposite != "" {
			out = append(out, claim[:t.start]+opposite+claim[t.end:])
		}
	}
	return out
}

// oppositeForm returns the first opposite of a word; "" if it has none.
func oppositeForm(w string) string {
	candidates := slices.Concat(oppositesOf[w], wordnet.Antonyms(w))
	if len(candidates) == 0 && strings.HasSuffix(w, "s") {
		candidates = wordnet.Antonyms(strings.TrimSuffix(w, "s"))
	}
	if len(candidates) == 0 {
		return ""
	}
	return candidates[0]
}
