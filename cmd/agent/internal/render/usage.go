package render

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.com/assay/state"
)

// Usage says what calls of models amount to, those of models without a
// provider included. Its cost is in the currency of the prices, and does not
// hold that of unpriced calls. What a replay's calls had cost is told beside
// the nothing that they cost now.
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

// Cost is what calls cost as the end of a line, "" when nobody counted money.
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

// NodeUsage is a line for each node that asked a model, by name.
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
