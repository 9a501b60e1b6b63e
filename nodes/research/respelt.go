package research

import (
	"slices"

	"example.com/assay/memory/text"
	"example.com/assay/state"
)

// respelt returns a question in the words that steps searched for. Code that compares passages with
// a question needs these words; the objective keeps the person's own words. Words that were
// searched for in both forms stay unchanged.
func respelt(question string, steps ...state.Step) string {
	as := map[string]string{}
	for _, r := range respellings(steps...) {
		if !r.Also {
			as[r.Word] = r.As
		}
	}
	return text.Respelt(question, as)
}

// respellings lists the words that steps searched for instead of, or in addition to, the typed
// ones, each once, in order.
func respellings(steps ...state.Step) []state.Respelling {
	var out []state.Respelling
	for _, step := range steps {
		for _, r := range step.Respelt {
			if !slices.Contains(out, r) {
				out = append(out, r)
			}
		}
	}
	return out
}
