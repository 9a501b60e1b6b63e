package show

import (
	"cmp"
	"slices"
	"strings"

	"example.com/assay/eval"
)

// A lane is a node's part of a timeline.
type lane struct {
	Node   string
	Inner  bool // a node inside another
	Runs   int
	MS     float64 // of all its runs
	Calls  int
	Tokens int // read and written
	Bars   []bar

	first float64
}

// A bar is a run of a node, in thousandths of the timeline.
type bar struct{ X, W float64 }

// narrowest is the width below which a bar would not be seen.
const narrowest = 4

// lanesOf arranges a timeline by node, in the order in which they first began, and
// returns how long it is in milliseconds.
func lanesOf(stays []eval.Stay, usage map[string]eval.Spent) ([]*lane, float64) {
	length := 0.0
	for _, s := range stays {
		length = max(length, s.StartMS+s.MS)
	}
	byNode := map[string]*lane{}
	var out []*lane
	for _, s := range stays {
		l := byNode[s.Node]
		if l == nil {
			u := usage[s.Node]
			l = &lane{Node: s.Node, Inner: strings.Contains(s.Node, "/"), Calls: u.Calls, Tokens: u.InputTokens + u.OutputTokens, first: s.StartMS}
			byNode[s.Node] = l
			out = append(out, l)
		}
		l.first, l.Runs, l.MS = min(l.first, s.StartMS), l.Runs+1, l.MS+s.MS
		if length > 0 {
			w := max(s.MS/length*1000, narrowest)
			l.Bars = append(l.Bars, bar{min(s.StartMS/length*1000, 1000-w), w})
		}
	}
	slices.SortStableFunc(out, func(a, b *lane) int {
		return cmp.Or(cmp.Compare(a.first, b.first), cmp.Compare(a.Node, b.Node))
	})
	return out, length
}
