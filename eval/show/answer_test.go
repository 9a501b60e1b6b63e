package show

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestBlocks(t *testing.T) {
	anchors := map[string]string{"[Query 1][Source 2]": "s2", "[Source 2]": "other", "[Query 1]": "q1"}
	got := blocksOf("### Rule\nFirst\nline.\n\n- one [Query 1][Source 2].\n- **two**\n\n---\n**open [x] [Source 2]", anchors)
	want := []block{
		{"head", [][]inline{{{Text: "Rule"}}}},
		{"text", [][]inline{{{Text: "First"}}, {{Text: "line."}}}},
		{"list", [][]inline{{{Text: "one "}, {Text: "[Query 1][Source 2]", ID: "s2"}, {Text: "."}}, {{Text: "two", Strong: true}}}},
		{Kind: "rule"},
		{"text", [][]inline{{{Text: "**open [x] "}, {Text: "[Source 2]", ID: "other"}}}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Nothing that an answer says is lost but its signs of layout.
func FuzzBlocks(f *testing.F) {
	f.Add("# a\n- b **c**\n\n---\n[Source 1] d")
	f.Add("[[[]]][")
	f.Add("**")
	f.Fuzz(func(t *testing.T, answer string) {
		var shown strings.Builder
		for _, b := range blocksOf(answer, map[string]string{"[Source 1]": "s"}) {
			for _, line := range b.Lines {
				for _, in := range line {
					shown.WriteString(in.Text)
				}
			}
		}
		signs := func(s string) string {
			return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune("#*- \t\n\r\v\f\u0085\u00a0", r) }), "")
		}
		spaces := func(s string) string { return strings.Join(strings.Fields(s), "") }
		if got, want := spaces(signs(shown.String())), spaces(signs(answer)); got != want {
			t.Errorf("%q is shown as %q", want, got)
		}
	})
}
