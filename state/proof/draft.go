package proof

import (
	"regexp"
	"slices"
	"strings"
)

// A Draft is a text that was given to be checked.
type Draft struct {
	Text  string
	Parts []Part // those that findings are about, in order; they do not overlap
}

// A Part is a part of a draft.
type Part struct {
	Finding string  // ID of the finding about it
	Span    Span    // of the draft's bytes
	Repair  *Repair // the correction that is proposed; nil for none
}

// A Repair replaces bytes of a draft.
type Repair struct {
	Span Span   // of the draft's bytes: its part, and what goes with it if that is left out
	With string // in their place; empty to leave them out
}

// emptyItem matches an item of a list without a text.
var emptyItem = regexp.MustCompile(`(?m)^[ \t]*(?:[-*•>]|\d{1,3}[.)])[ \t]*(?:\n|\z)`)

// Corrected returns the text with the repairs of the findings in accepted.
func (d Draft) Corrected(accepted []string) string {
	var b strings.Builder
	at, left := 0, false
	for _, p := range d.Parts {
		if p.Repair == nil || !slices.Contains(accepted, p.Finding) {
			continue
		}
		b.WriteString(d.Text[at:max(at, p.Repair.Span.Start)] + p.Repair.With)
		at, left = max(at, p.Repair.Span.End), left || p.Repair.With == ""
	}
	b.WriteString(d.Text[at:])
	if !left {
		return b.String()
	}
	return emptyItem.ReplaceAllString(b.String(), "")
}
