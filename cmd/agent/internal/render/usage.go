package render

import (
	"maps"
	"slices"
	"strings"

	"example.com/assay/state"
)

// NodeUsage is a line for each node that called a model, sorted by name.
func NodeUsage(nodes map[string]state.ModelUsage) []string {
	names := slices.Sorted(maps.Keys(nodes))
	width := 0
	for _, name := range names {
		width = max(width, len(name))
	}
	var lines []string
	for _, name := range names {
		lines = append(lines, name+strings.Repeat(" ", width-len(name))+"  "+nodes[name].Words())
	}
	return lines
}
