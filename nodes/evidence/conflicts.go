package evidence

import (
	"context"
	"slices"
	"strings"

	"example.com/assay/memory/text"
	"example.com/assay/nodes/verify/facts"
	"example.com/assay/state"
)

const (
	// sameSubject is the Jaccard index of the content stems, numbers aside, from
	// which two requirements are on the same subject, and leastShared how many stems
	// they share at least.
	sameSubject = .4
	leastShared = 3
)

// conflictKinds are the differences that keep two requirements from being
// followed both.
var conflictKinds = []state.ConflictKind{state.ConflictNumber, state.ConflictUnit, state.ConflictDate, state.ConflictNegation, state.ConflictModality}

// conflicts compares each two requirements on the same subject, word by word.
func conflicts(ctx context.Context, list []state.Requirement) ([]state.RequirementConflict, error) {
	stems := make([][]string, len(list))
	ready := make([]*facts.Evidence, len(list))
	for i, r := range list {
		stems[i] = topical(content(r.Spoken()))
		ready[i] = facts.Prepare([]string{r.Spoken()})
	}
	var out []state.RequirementConflict
	for i, a := range list {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		for j := i + 1; j < len(list); j++ {
			b := list[j]
			if slices.Contains(a.SameAs, b.ID) || !alike(stems[i], stems[j]) {
				continue
			}
			if c, ok := opposed(ready[j].Check(a.Spoken())); ok {
				out = append(out, state.RequirementConflict{A: a.ID, B: b.ID, Kind: c.Kind, WordsA: c.Claim, WordsB: c.Evidence})
			} else if c, ok := opposed(ready[i].Check(b.Spoken())); ok {
				out = append(out, state.RequirementConflict{A: a.ID, B: b.ID, Kind: c.Kind, WordsA: c.Evidence, WordsB: c.Claim})
			}
		}
	}
	return out, nil
}

func opposed(r facts.Result) (state.Conflict, bool) {
	for _, c := range r.Conflicts {
		if c.Opposed && c.Conflict.Claim != "" && c.Conflict.Evidence != "" && slices.Contains(conflictKinds, c.Kind) {
			return c.Conflict, true
		}
	}
	return state.Conflict{}, false
}

// content are the distinct content stems of a text, sorted.
func content(s string) []string {
	out := text.Terms(s, text.DocStops)
	slices.Sort(out)
	return slices.Compact(out)
}

func shared(a, b []string) int {
	n := 0
	for _, s := range a {
		if _, ok := slices.BinarySearch(b, s); ok {
			n++
		}
	}
	return n
}

// alike reports whether two texts speak of the same subject.
func alike(a, b []string) bool {
	n := shared(a, b)
	return n >= leastShared && float64(n) >= sameSubject*float64(len(a)+len(b)-n)
}

// topical are stems without numbers.
func topical(stems []string) []string {
	return slices.DeleteFunc(stems, func(s string) bool { return strings.ContainsAny(s, "0123456789") })
}
