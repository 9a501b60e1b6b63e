package research

import (
	"slices"

	"example.com/assay/memory/text"
	"example.com/assay/state"
)

// respelt is a question in the words that steps searched for. What reads passages for
// a question must know it in those; the person's own words stay the objective. Words
// that were searched for in another form as well stay as they are.
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
