package evidence

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"example.com/assay/state/proof"
)

// laid lays out an answer with findings, and gives each the places of a finding in the page.
func laid(answer string, anchors map[string]string, findings ...proof.Finding) []block {
	e := section{Proof: proof.Proof{Answer: answer, Findings: findings}, ids: map[string]*card{}, said: map[string]bool{}}
	for _, f := range findings {
		e.ids[f.ID] = &card{Finding: f, ID: f.ID}
	}
	return e.blocksOf(anchors)
}

func TestBlocks(t *testing.T) {
	anchors := map[string]string{"[Query 1][Source 2]": "s2", "[Source 2]": "other", "[Query 1]": "q1", "[R-1]": "r1", "[R-2]": "r2"}
	got := laid("### Rule\nFirst\nline.\n\n- one [Query 1][Source 2].\n- **two** [R-1, R-2] [R-1, R-3]\n\n---\n**open [x] [Source 2]", anchors)
	want := []block{
		{"head", [][]inline{{{Text: "Rule"}}}},
		{"text", [][]inline{{{Text: "First"}}, {{Text: "line."}}}},
		{"list", [][]inline{{{Text: "one "}, {Text: "1", Href: "s2", Tone: proof.Plain, Ref: "source 1"}, {Text: "."}},
			{{Text: "two", Strong: true}, {Text: " "}, {Text: "["}, {Text: "R-1", Href: "r1"}, {Text: ", "}, {Text: "R-2", Href: "r2"}, {Text: "]"}, {Text: " [R-1, R-3]"}}}},
		{Kind: "rule"},
		{"text", [][]inline{{{Text: "**open [x] "}, {Text: "2", Href: "other", Tone: proof.Plain, Ref: "source 2"}}}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// What a finding is about leads to it, over the ends of lines, and its number stands behind
// the mark that ends a quotation. A part inside another one leads
// nowhere by itself, and so does one that nothing was found about.
func TestPartsLead(t *testing.T) {
	about := func(id, verdict string, start, end int) proof.Finding {
		return proof.Finding{ID: id, Kind: proof.Claim, Label: id, Verdict: verdict, Tone: proof.Good, Span: &proof.Span{Start: start, End: end}}
	}
	answer := "- “Salt is\nwhite.” And [S] so.\nRain **is wet**"
	got := laid(answer, map[string]string{"[S]": "s"}, about("a", "supported", 5, 19), about("b", "supported", 8, 12), about("x", "supported", 15, 26), about("c", "", 23, 33), about("d", "supported", 34, len(answer)))
	want := []block{
		{"list", [][]inline{{{Text: "“"}, {Text: "Salt is", Href: "a", ID: "a-said", Tone: proof.Good}}}},
		{"text", [][]inline{
			{{Text: "white.", Href: "a", Tone: proof.Good}, {Text: "”"}, {Text: "a", Href: "a", Tone: proof.Good, Ref: "claim a, supported"}, {Text: " "}, {Text: "And ", ID: "c-said", Tone: proof.Good}, {Text: "6", Href: "s", Tone: proof.Plain, Ref: "source 6"}, {Text: " so", Tone: proof.Good}, {Text: "."}},
			{{Text: "Rain ", Href: "d", ID: "d-said", Tone: proof.Good}, {Text: "is wet", Strong: true, Href: "d", Tone: proof.Good}, {Text: "d", Href: "d", Tone: proof.Good, Ref: "claim d, supported"}},
		}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Nothing that an answer says is lost but its signs of layout, wherever findings are.
func FuzzBlocks(f *testing.F) {
	f.Add("# a\n- b **c**\n\n---\n[Source 1] d", 2, 9, 3, 12)
	f.Add("[[[]]][", 0, 1, 1, 2)
	f.Add("**“é”", 0, 3, 5, 6)
	f.Add("\u2000- 0\u2000", 0, 3, 5, 6)
	f.Fuzz(func(t *testing.T, answer string, a, b, c, d int) {
		var findings []proof.Finding
		for i, at := range [][2]int{{a, b}, {c, d}} {
			if at[0] >= 0 && at[0] < at[1] && at[1] <= len(answer) && utf8.ValidString(answer) && utf8.ValidString(answer[at[0]:at[1]]) {
				findings = append(findings, proof.Finding{ID: string(rune('a' + i)), Verdict: "v", Span: &proof.Span{Start: at[0], End: at[1]}})
			}
		}
		var shown strings.Builder
		for _, b := range laid(answer, map[string]string{"[Source 1]": "s"}, findings...) {
			for _, line := range b.Lines {
				for _, in := range line {
					if in.Ref == "" {
						shown.WriteString(in.Text)
					}
				}
			}
		}
		signs := func(s string) string {
			return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune("#*- \t\n\r\v\f\u0085\u00a0", r) }), "")
		}
		numbered := strings.NewReplacer("[Source 1]", "") // a number stands for it
		spaces := func(s string) string { return strings.Join(strings.Fields(s), "") }
		if got, want := spaces(signs(numbered.Replace(shown.String()))), spaces(signs(numbered.Replace(answer))); got != want {
			t.Errorf("%q is shown as %q", want, got)
		}
	})
}
