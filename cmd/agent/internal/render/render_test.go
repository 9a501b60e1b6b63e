package render

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mattn/go-runewidth"
)

const answer = "### Step 1: Elements\n\n#### Rule\n\n- “Battery is *the* intentional **infliction** of a contact.” [Query 1][Source 1]\n- Second\n  line\n\n## Sources\n\n1. one\n\n---\n\n**Answer: (C)** because\nof this\n"

func TestPlain(t *testing.T) {
	want := `Step 1: Elements
----------------

Rule

• “Battery is *the* intentional **infliction** of a contact.” [Query 1][Source 1]
• Second
  line

Sources
=======

1. one

────────────────────────

Answer: (C) because
of this
`
	if diff := cmp.Diff(want, Markdown(answer, Options{})); diff != "" {
		t.Errorf("plain rendering (-want +got):\n%s", diff)
	}
}

func TestColour(t *testing.T) {
	got := Markdown("**Answer: (C)** is “so said” [Source 2].", Options{Width: 80, Colour: true})
	want := "\x1b[1mAnswer: (C)\x1b[0m is \x1b[32m“so said”\x1b[0m \x1b[36m[Source 2]\x1b[0m.\n"
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestWrap(t *testing.T) {
	text := "- " + strings.Repeat("word ", 30) + "\n\n" + strings.Repeat("日本語 ", 20)
	got := Markdown(text, Options{Width: 30})
	for line := range strings.SplitSeq(strings.TrimSuffix(got, "\n"), "\n") {
		if runewidth.StringWidth(line) > 30 {
			t.Errorf("a line of %d columns: %q", runewidth.StringWidth(line), line)
		}
	}
	if n := strings.Count(got, "\n  word"); n != 5 {
		t.Errorf("%d lines hang below the bullet, want 5:\n%s", n, got)
	}
	if diff := cmp.Diff(strings.Fields(strings.Replace(text, "- ", "• ", 1)), strings.Fields(got)); diff != "" {
		t.Errorf("wrapping changed the words (-want +got):\n%s", diff)
	}
}

func TestBlocks(t *testing.T) {
	for name, tt := range map[string]struct{ in, want string }{
		"empty":              {"", ""},
		"blank":              {"\n \n", ""},
		"quote":              {"> a\n> b", "│ a\n│ b\n"},
		"code":               {"```go\nx  := “1”\n```\nafter", "    x  := “1”\nafter\n"},
		"open code":          {"~~~\nx", "    x\n"},
		"bold unclosed":      {"2 ** 3 and **open", "2 ** 3 and **open\n"},
		"nested quote":       {"“a “**b**” **c**” **d**", "“a “**b**” **c**” d\n"},
		"quote over lines":   {"“a\n**b**” [Source 1]", "“a\n**b**” [Source 1]\n"},
		"nested list":        {"- a\n  - b\n", "• a\n  • b\n"},
		"heading with hash":  {"# C# #", "C#\n==\n"},
		"not a heading":      {"#hash", "#hash\n"},
		"escape sequence":    {"a\x1b[31mb\u202e", "a�[31mb�\n"},
		"invalid bytes":      {"a\xffb", "a�b\n"},
		"carriage return":    {"a\r\nb\rc", "a\nb�c\n"},
		"mark without query": {"x [Source 12], y", "x [Source 12], y\n"},
	} {
		if got := Markdown(tt.in, Options{}); got != tt.want {
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
		}
	}
}

func FuzzMarkdown(f *testing.F) {
	f.Add(answer, 40)
	f.Add("- a\n```\n“**x**", 0)
	f.Add("\x1b]0;title\a", 10)
	f.Fuzz(func(t *testing.T, src string, width int) {
		got := Markdown(src, Options{Width: width})
		if strings.ContainsAny(got, "\x1b\a\r") {
			t.Errorf("%q: control characters in %q", src, got)
		}
		if strings.TrimSpace(src) != "" && !strings.HasSuffix(got, "\n") && strings.TrimSpace(got) != "" {
			t.Errorf("%q: no final line feed in %q", src, got)
		}
		if coloured := Markdown(src, Options{Width: width, Colour: true}); strings.Count(coloured, reset) != strings.Count(coloured, "\x1b[")-strings.Count(coloured, reset) {
			t.Errorf("%q: styles begin and end unevenly in %q", src, coloured)
		}
	})
}
