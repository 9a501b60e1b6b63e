package verify

import (
	"fmt"

	"example.com/assay/state"
)

// Labelled numbers the sources of passages in the order in which they stand: those
// of the first source are "Source 1".
func Labelled(passages []state.Passage) []state.Evidence {
	out := make([]state.Evidence, len(passages))
	number := map[string]int{}
	for i, p := range passages {
		if number[p.Source] == 0 {
			number[p.Source] = len(number) + 1
		}
		out[i] = state.Evidence{Label: fmt.Sprintf("Source %d", number[p.Source]), Passage: p}
	}
	return out
}
