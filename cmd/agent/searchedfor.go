package main

import (
	"strings"

	"example.com/assay/cmd/agent/internal/render"
	"example.com/assay/state"
)

// searchedFor says which words were searched for in place of which, or as well; it is
// empty when there are none.
func searchedFor(list []state.Respelling) string {
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
	return "searched for: " + render.Visible(strings.Join(words, ", ")) + "\n"
}
