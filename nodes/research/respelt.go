package research

import (
	"slices"

	"example.com/assay/memory/text"
	"example.com/assay/state"
)

// respelt is a question in the words that steps searched for. Code that compares passages
// with a question needs these words; the person's own words stay the objective. Words that
// were also searched for in another form stay unchanged.
func respelt(question string, steps ...state.Step) string {
	as := map[string]string{}
	for _, r := range respellings(steps...) {
		if !r.Also {
			as[r.Word] = r.As
		}
	}
	return text.Respelt(question, as)
}

// respellings lists what steps searched for in place of words or as well, each once, in
// order.
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
