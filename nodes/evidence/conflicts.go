package evidence

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"example.com/assay/decide/claim/facts"
	"example.com/assay/memory/citation"
	"example.com/assay/memory/text"
	"example.com/assay/memory/text/pattern"
	"example.com/assay/state"
)

const (
	// Two requirements have the same subject if the Jaccard index of their content stems, without
	// numbers, is at least this large and they share at least leastShared stems.
	sameSubject = .5
	leastShared = 3
)

// conflictKinds are the differences in values that make it impossible to follow both requirements.
// opposed finds conflicts of must, may and must not.
var conflictKinds = []state.ConflictKind{state.ConflictNumber, state.ConflictUnit, state.ConflictDate}

// conflicts compares every two requirements with the same subject, word by word.
func conflicts(ctx context.Context, list []Requirement) ([]Conflict, error) {
	stems := make([][]string, len(list))
	ready := make([]*facts.Evidence, len(list))
	for i, r := range list {
		stems[i] = topical(content(r.Spoken()))
		ready[i] = facts.Prepare([]string{r.Spoken()})
	}
	var out []Conflict
	for i, a := range list {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		for j := i + 1; j < len(list); j++ {
			b := list[j]
			if slices.Contains(a.SameAs, b.ID) || listed(a, b) || !alike(stems[i], stems[j]) {
				continue
			}
			if c, ok := opposed(a, b); ok {
				out = append(out, c)
			} else if c, ok := otherValue(ready[j].Check(a.Spoken()), a, b); ok {
				out = append(out, Conflict{A: a.ID, B: b.ID, Kind: c.Kind, WordsA: c.Claim, WordsB: c.Evidence})
			} else if c, ok := otherValue(ready[i].Check(b.Spoken()), a, b); ok {
				out = append(out, Conflict{A: a.ID, B: b.ID, Kind: c.Kind, WordsA: c.Evidence, WordsB: c.Claim})
			}
		}
	}
	return out, nil
}

// listed reports whether two requirements belong to one list: they share a lead-in, or one is the
// other's lead-in.
func listed(a, b Requirement) bool {
	if a.Source != b.Source {
		return false
	}
	for _, pair := range [][2]Requirement{{a, b}, {b, a}} {
		for _, s := range pair[0].Stems {
			of := func(o state.Quote) bool { return o.Start == s.Start }
			if slices.ContainsFunc(pair[1].Stems, of) || pair[1].Start == s.Start {
				return true
			}
		}
	}
	return false
}

// otherValue returns a value of one requirement that differs in the other. The number of a
// rule does not count as a value.
func otherValue(r facts.Result, a, b Requirement) (state.Conflict, bool) {
	for _, c := range r.Conflicts {
		if c.Opposed && c.Conflict.Claim != "" && c.Conflict.Evidence != "" && slices.Contains(conflictKinds, c.Kind) && !numbersRule(c.Conflict, a, b) {
			return c.Conflict, true
		}
	}
	return state.Conflict{}, false
}

// numbersRule reports whether the words of a conflict are the number of a rule, a
// section or another part of a document: "8.3.5", "paragraph 106", "3A".
func numbersRule(c state.Conflict, a, b Requirement) bool {
	for _, words := range []string{c.Claim, c.Evidence} {
		if labelled.MatchString(words) {
			return true
		}
		for _, r := range []Requirement{a, b} {
			spoken := visible(r.Spoken())
			at := strings.Index(spoken, words)
			if at > 0 && inLabel(spoken[at-1]) || slices.ContainsFunc(citation.Parse(spoken), func(c citation.Citation) bool { return strings.Contains(c.Text, words) }) {
				return true
			}
		}
	}
	return false
}

// visible is a text without invisible marks, such as those for the direction of writing that
// word processors leave before numbers.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, s)
}

// inLabel reports whether a number after c is part of a longer one: "A6.6.3".
func inLabel(c byte) bool {
	return c == '.' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// labelled matches numbers that are labels: "3A", "8.3.5".
var labelled = pattern.New(`^(?:\d+[A-Z]|\d+\.\d+\.[\d.]*\d)\b|^[A-Z]\d`)

// content returns the distinct content stems of a text, sorted.
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

// alike reports whether two texts have the same subject.
func alike(a, b []string) bool {
	n := shared(a, b)
	return n >= leastShared && float64(n) >= sameSubject*float64(len(a)+len(b)-n)
}

// topical returns the stems that are not numbers.
func topical(stems []string) []string {
	return slices.DeleteFunc(stems, func(s string) bool { return strings.ContainsAny(s, "0123456789") })
}
