package proof_test

import (
	"strings"
	"testing"

	"example.com/assay/state/proof"
)

// Accepted repairs are made, the others not, in the order of the text; an item that is left out
// leaves no mark of its list.
func TestDraftCorrected(t *testing.T) {
	text := "One is wrong. Two is wrong.\n- Three is gone.\n- Four stays.\n"
	part := func(id, old, with string, left bool) proof.Part {
		at := strings.Index(text, old)
		p := proof.Part{Finding: id, Span: proof.Span{Start: at, End: at + len(old)}}
		if with != "" || left {
			p.Repair = &proof.Repair{Span: p.Span, With: with}
		}
		return p
	}
	d := proof.Draft{Text: text, Parts: []proof.Part{
		part("a", "One is wrong.", "One is right.", false), part("b", "Two is wrong.", "Two is right.", false), part("c", "Three is gone.", "", true), part("d", "Four stays.", "", false),
	}}
	for _, c := range []struct {
		accepted string
		want     string
	}{
		{"", text},
		{"b", "One is wrong. Two is right.\n- Three is gone.\n- Four stays.\n"},
		{"b a", "One is right. Two is right.\n- Three is gone.\n- Four stays.\n"},
		{"c d nothing", "One is wrong. Two is wrong.\n- Four stays.\n"},
	} {
		if got := d.Corrected(strings.Fields(c.accepted)); got != c.want {
			t.Errorf("with %q accepted:\n%s\nwanted\n%s", c.accepted, got, c.want)
		}
	}
	crossing := proof.Draft{Text: "- A. B.", Parts: []proof.Part{
		{Finding: "a", Repair: &proof.Repair{Span: proof.Span{Start: 2, End: 5}}}, {Finding: "b", Repair: &proof.Repair{Span: proof.Span{Start: 4, End: 7}}},
	}}
	if got := crossing.Corrected([]string{"a", "b"}); got != "" {
		t.Errorf("two repairs that share a space leave %q", got)
	}
}
