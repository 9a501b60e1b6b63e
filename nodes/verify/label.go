package verify

import (
	"fmt"

	"example.com/assay/memory/retrieval"
	"example.com/assay/state"
)

// Labelled numbers the sources of passages in order: passages of the first source are "Source 1".
// It withholds prompt injection, as a search does; a nil inspect finds none.
func Labelled(passages []state.Passage, inspect retrieval.Inspect) []state.Evidence {
	out := make([]state.Evidence, len(passages))
	number := map[string]int{}
	for i, p := range passages {
		if number[p.Source] == 0 {
			number[p.Source] = len(number) + 1
		}
		if inspect != nil {
			p = p.Withhold(inspect)
		}
		out[i] = state.Evidence{Label: fmt.Sprintf("Source %d", number[p.Source]), Passage: p}
	}
	return out
}
