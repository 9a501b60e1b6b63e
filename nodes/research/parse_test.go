package research

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/assay/skills"
	"example.com/assay/state"
)

func TestSplitChoices(t *testing.T) {
	ab := []skills.Choice{{Letter: "A", Text: "one thing"}, {Letter: "B", Text: "another"}}
	for _, tc := range []struct {
		name, question, stem string
		choices              []skills.Choice
	}{
		{"no choices", "What is a tort?", "What is a tort?", nil},
		{"header and lines", "Facts. Who wins?\n\nAnswer choices:\nA. one thing\nB. another\n", "Facts. Who wins?", ab},
		{"lines with dots", "Who wins?\nA. one thing\nB. another", "Who wins?", ab},
		{"lines in brackets", "Who wins?\n(A) one thing\n(B) another", "Who wins?", ab},
		{"lines with bracket", "Who wins?\nA) one thing\nB) another", "Who wins?", ab},
		{"lower case", "Who wins?\n(a) one thing\n(b) another", "Who wins?", ab},
		{"list items", "Who wins?\n- A. one thing\n- B. another", "Who wins?", ab},
		{"wrapped option", "Who wins?\nA. one\n   thing\nB. another", "Who wins?", ab},
		{"inline brackets", "Who wins? (A) one thing (B) another", "Who wins?", ab},
		{"inline bracket", "Who wins? A) one thing B) another", "Who wins?", ab},
		{"inline header", "Who wins? Options: A. one thing; B. another", "Who wins?", ab},
		{"inline answer choices", "Who wins? Answer choices: A: one thing, B: another", "Who wins?", ab},
		{"one option is none", "Who wins?\nA. one thing", "Who wins?\nA. one thing", nil},
		{"must begin with A", "Who wins?\nB. one thing\nC. another", "Who wins?\nB. one thing\nC. another", nil},
		{"initials are no options", "Did J. A. Smith beat B. Jones?", "Did J. A. Smith beat B. Jones?", nil},
		{"an empty option is none", "Who wins?\nA. \nB. another", "Who wins?\nA. \nB. another", nil},
		{"section references are no options", "Does § 2(A) or § 2(B) apply?", "Does § 2(A) or § 2(B) apply?", nil},
	} {
		stem, choices := splitChoices(tc.question)
		if stem != tc.stem {
			t.Errorf("%s: stem %q, want %q", tc.name, stem, tc.stem)
		}
		if diff := cmp.Diff(tc.choices, choices); diff != "" {
			t.Errorf("%s: choices (-want +got)\n%s", tc.name, diff)
		}
	}
}

func FuzzSplitChoices(f *testing.F) {
	f.Add("Who wins?\nA. one\nB. two")
	f.Add("Options: (A) \xff (B) x")
	f.Fuzz(func(t *testing.T, q string) {
		stem, choices := splitChoices(q)
		if len(choices) == 1 || !strings.Contains(q, stem) {
			t.Errorf("stem %q, choices %v", stem, choices)
		}
		for i, c := range choices {
			if c.Letter != string(rune('A'+i)) || c.Text == "" {
				t.Errorf("option %d is %+v", i, c)
			}
		}
	})
}

func hitsOf(texts ...string) []state.Hit {
	hits := make([]state.Hit, len(texts))
	for i, text := range texts {
		hits[i].Passage = state.Passage{ID: fmt.Sprintf("p%d", i+1), Source: "a.md", Start: 1000 * i, End: 1000*i + len(text), Text: text}
	}
	return hits
}

func TestCite(t *testing.T) {
	hits := hitsOf("Battery needs intent. It needs contact.", `He said “stop” and left.`, "Über\nzwei Zeilen.", "The <database> is one.")
	for _, tc := range []struct {
		name, answer, text string
		quotes             map[int][]string // by source
		unknown            int
	}{
		{"quote", "“Battery needs intent.” [Source 1]", "“Battery needs intent.” [Source 1]", map[int][]string{1: {"Battery needs intent."}}, 0},
		{"straight quotes", `"It needs contact." [Source 1]`, `"It needs contact." [Source 1]`, map[int][]string{1: {"It needs contact."}}, 0},
		{"punctuation after the quote", "As they say, “It needs contact”. [Source 1]", "As they say, “It needs contact”. [Source 1]", map[int][]string{1: {"It needs contact"}}, 0},
		{"a quote that holds quotes", "“He said “stop” and left.” [Source 2]", "“He said “stop” and left.” [Source 2]", map[int][]string{2: {"He said “stop” and left."}}, 0},
		{"over a line break", "“Über\nzwei Zeilen.” [Source 3]", "“Über\nzwei Zeilen.” [Source 3]", map[int][]string{3: {"Über\nzwei Zeilen."}}, 0},
		{"as the prompt shows it", "“The &lt;database> is one.” [Source 4]", "“The &lt;database> is one.” [Source 4]", map[int][]string{4: {"The <database> is one."}}, 0},
		{"not what the source says", "“Battery needs malice.” [Source 1]", "“Battery needs malice.” [Source 1]", map[int][]string{1: nil}, 0},
		{"of another source", "“It needs contact.” [Source 2]", "“It needs contact.” [Source 2]", map[int][]string{2: nil}, 0},
		{"paraphrase", "Contact is needed [Source 1].", "Contact is needed [Source 1].", map[int][]string{1: nil}, 0},
		{"several in one mark", "Both [Sources 1, 2 and 3].", "Both [Source 1][Source 2][Source 3].", map[int][]string{1: nil, 2: nil, 3: nil}, 0},
		{"no such source", "So [Source 9] and [Source 0].", "So [no source 9] and [no source 0].", map[int][]string{}, 2},
		{"map of sources is dropped", "Yes [Source 1].\n\n## Sources\n- [Source 2] Title", "Yes [Source 1].", map[int][]string{1: nil}, 0},
		{"quoted twice", "“It needs contact.” [Source 1] “It needs contact.” [Source 1]", "“It needs contact.” [Source 1] “It needs contact.” [Source 1]", map[int][]string{1: {"It needs contact."}}, 0},
		{"nothing", "No passage answers this question.", "No passage answers this question.", map[int][]string{}, 0},
	} {
		got := cite(tc.answer, hits)
		if got.text != tc.text || got.unknown != tc.unknown {
			t.Errorf("%s: text %q with %d unknown, want %q with %d", tc.name, got.text, got.unknown, tc.text, tc.unknown)
		}
		quotes := map[int][]string{}
		for _, c := range got.citations {
			quotes[c.N] = nil
			for _, q := range c.Quotes {
				quotes[c.N] = append(quotes[c.N], q.Text)
				p := hits[c.N-1].Passage
				if p.Text[q.Start-p.Start:q.End-p.Start] != q.Text || q.Passage != p.ID {
					t.Errorf("%s: quote %+v is not those bytes of %+v", tc.name, q, p)
				}
			}
		}
		if diff := cmp.Diff(tc.quotes, quotes); diff != "" {
			t.Errorf("%s: quotes by source (-want +got)\n%s", tc.name, diff)
		}
	}
}

func FuzzCite(f *testing.F) {
	f.Add("“Battery needs intent.” [Source 1]", "Battery needs intent.")
	f.Add("[Sources 1, 99 and 2]\n## Sources\n", "x")
	f.Fuzz(func(t *testing.T, answer, passage string) {
		hits := hitsOf(passage)
		for _, c := range cite(answer, hits).citations {
			if c.N != 1 {
				t.Fatalf("citation of source %d of 1", c.N)
			}
			for _, q := range c.Quotes {
				if passage[q.Start:q.End] != q.Text || q.Text == "" {
					t.Fatalf("quote %+v of %q", q, passage)
				}
			}
		}
	})
}

func TestScopeAndRescope(t *testing.T) {
	if got, want := scope("a [Source 1][Source 2]", 3), "a [Query 3][Source 1][Query 3][Source 2]"; got != want {
		t.Errorf("scope: %q, want %q", got, want)
	}
	cited := []CitedSource{{Step: 1, Citation: state.Citation{N: 2}}, {Step: 2, Citation: state.Citation{N: 1}}}
	if got, want := rescope("x [Source 2], y [Source 7]", cited), "x [Query 2][Source 1], y [no source 7]"; got != want {
		t.Errorf("rescope: %q, want %q", got, want)
	}
}

func TestDemote(t *testing.T) {
	if got, want := demote("# A\n## B\n### C\n###### D\n#no heading"), "#### A\n#### B\n#### C\n###### D\n#no heading"; got != want {
		t.Errorf("demote: %q, want %q", got, want)
	}
}
