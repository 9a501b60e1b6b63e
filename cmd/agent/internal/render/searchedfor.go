package render

import (
	"strings"

	"example.com/assay/state"
)

// SearchedFor says which words were searched for in place of which, or as well; it is
// empty when there are none.
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
