package render

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.com/assay/state"
)

// Usage sums up model calls, including those of models without a provider. The cost is in
// the currency of the prices and excludes unpriced calls. For a replay, which costs
// nothing, it also gives the recorded cost.
func Usage(u state.ModelUsage) string {
	calls, tokens := "calls", "tokens"
	if u.Calls == 1 {
		calls = "call"
	}
	if u.InputTokens == 1 {
		tokens = "token"
	}
	return fmt.Sprintf("%d %s, %d %s read and %d written", u.Calls, calls, u.InputTokens, tokens, u.OutputTokens) + Cost(u)
}

// Cost is the cost of calls as the end of a line, "" when no cost was counted.
func Cost(u state.ModelUsage) string {
	text := ""
	switch {
	case u.Cost > 0:
		text += ", cost " + u.Cost.String()
	case u.RecordedCost > 0 || u.RecordedUnpriced > 0:
		text += ", cost 0"
	}
	if u.Unpriced > 0 {
		text += fmt.Sprintf(", unpriced calls: %d", u.Unpriced)
	}
	if u.RecordedCost > 0 {
		text += ", recorded cost " + u.RecordedCost.String()
	}
	if u.RecordedUnpriced > 0 {
		text += fmt.Sprintf(", recorded unpriced calls: %d", u.RecordedUnpriced)
	}
	return text
}

// NodeUsage is a line for each node that called a model, sorted by name.
func NodeUsage(nodes map[string]state.ModelUsage) []string {
	names := slices.Sorted(maps.Keys(nodes))
	width := 0
	for _, name := range names {
		width = max(width, len(name))
	}
	var lines []string
	for _, name := range names {
		lines = append(lines, name+strings.Repeat(" ", width-len(name))+"  "+Usage(nodes[name]))
	}
	return lines
}
