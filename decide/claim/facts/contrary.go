package facts

import (
	"slices"
	"strings"

	"example.com/assay/memory/text/wordnet"
)

// mostContraries is how many contraries of a claim are worth a search.
const mostContraries = 2

// Contraries are a claim with one word turned into its direct opposite. What
// refutes a claim is often written with that word, and is not found by the
// claim's own.
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

// oppositeForm is the first of a word's opposites, empty when it has none.
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
