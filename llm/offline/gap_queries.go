package offline

import (
	"slices"
	"strings"

	"example.com/assay/memory/text"
	"example.com/assay/skills"
)

// gapQueries searches for each claim by its own words, without its numbers, which may be the error;
// then with the words of the question; then by its two halves. It takes the first query that was
// not asked yet, compared by stems in any order; a claim without one left gets no query.
func gapQueries(in skills.GapInput) (skills.GapOutput, error) {
	asked := map[string]bool{}
	for _, q := range in.Asked {
		asked[keyOf(q)] = true
	}
	out := skills.GapOutput{Queries: []skills.GapQuery{}}
	for _, c := range in.Claims {
		words := contentOf(c.Text, text.QueryStops)
		plain := slices.DeleteFunc(slices.Clone(words), func(w word) bool { return hasDigit(w.Raw) })
		half := len(plain) / 2
		for _, q := range []string{
			spelled(plain), spelled(plain) + " " + spelled(contentOf(in.Question, text.QueryStops)), spelled(words), spelled(plain[half:]), spelled(plain[:half]),
		} {
			if key := keyOf(q); key != "" && !asked[key] {
				asked[key] = true
				out.Queries = append(out.Queries, skills.GapQuery{ClaimID: c.ID, Query: q})
				break
			}
		}
	}
	return out, nil
}

func spelled(words []word) string {
	raw := make([]string, len(words))
	for i, w := range words {
		raw[i] = w.Raw
	}
	return strings.Join(raw, " ")
}

// keyOf returns a key that is equal for queries with the same stems.
func keyOf(query string) string {
	stems := text.Distinct(text.Terms(query, text.QueryStops))
	slices.Sort(stems)
	return strings.Join(stems, " ")
}
