package causal

import (
	"strings"

	"example.com/assay/memory/retrieval"
	"example.com/assay/memory/text"
)

// supportQuery searches for evidence for an edge: its two variables and, as another wording, its
// mechanism. A refinement replaces the primary wording.
func supportQuery(e Edge, refinement string, k int, read []string) retrieval.Query {
	pair := e.FromVar + " " + e.ToVar
	q := retrieval.Query{Primary: pair, K: k, Exclude: read}
	if refinement != "" {
		q.Primary = refinement
		return q
	}
	q.Alternatives = []string{e.FromVar + " causes " + e.ToVar}
	if e.Mechanism != "" {
		q.Alternatives = append(q.Alternatives, strings.TrimSpace(pair+" "+e.Mechanism))
	}
	return q
}

// refuteQuery searches for evidence against an edge: findings of no effect, and other explanations.
func refuteQuery(e Edge, refinement string, k int, read []string) retrieval.Query {
	q := retrieval.Query{Primary: "no effect of " + e.FromVar + " on " + e.ToVar, K: k, Exclude: read}
	if refinement != "" {
		q.Primary = "no effect " + refinement
		return q
	}
	q.Alternatives = []string{
		e.FromVar + " not associated with " + e.ToVar,
		e.FromVar + " " + e.ToVar + " confounding reverse causation",
	}
	return q
}

// A term is a word of a variable, as the fallback searches for it.
type term struct {
	word string
	of   int // 0 the cause, 1 the effect
}

// singleTerms returns the content words of both variables, each once, the cause's first.
func singleTerms(e Edge) []term {
	var out []term
	seen := map[string]bool{}
	for of, variable := range []string{e.FromVar, e.ToVar} {
		for _, t := range text.Tokens(variable) {
			stem := text.Stem(t.Text)
			if text.DocStops.Has(t.Text) || seen[stem] {
				continue
			}
			seen[stem] = true
			out = append(out, term{t.Text, of})
		}
	}
	return out
}
