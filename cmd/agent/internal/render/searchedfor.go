package render

import (
	"strings"

	"example.com/assay/state"
)

// SearchedFor lists the words that were searched for instead of, or as well as, words of
// the query. It is empty without any.
func SearchedFor(list []state.Respelling) string {
	if len(list) == 0 {
		return ""
	}
	words := make([]string, len(list))
	for i, r := range list {
		words[i] = r.As + " (not " + r.Word + ")"
		if r.Also {
			words[i] = r.As + " (as well as " + r.Word + ")"
		}
	}
	return "searched for: " + Visible(strings.Join(words, ", ")) + "\n"
}
