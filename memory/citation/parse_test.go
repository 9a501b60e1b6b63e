package citation

import (
	"fmt"
	"strings"
	"testing"
)

func names(list []Citation) string {
	var out []string
	for _, c := range list {
		out = append(out, c.Name())
	}
	return strings.Join(out, "; ")
}

func TestParse(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"What does § 5899(b) require?", "section 5899(b)"},
		{"see §5899(b)(2)(A) there", "section 5899(b)(2)(a)"},
		{"Under Art. 12(3), who may appeal?", "article 12(3)"},
		{"Article 12 (3) says", "article 12(3)"},
		{"Is Section 4.2 binding?", "section 4.2"},
		{"Section 5 (NDA) and the rest", "section 5"},
		{"the duties of Rule 8.7.1.", "rule 8.7.1"},
		{"Rule 8.7.1.(2)(a) applies", "rule 8.7.1(2)(a)"},
		{"Rule 10b-5 and 17 C.F.R. § 240.10b-5", "rule 10b-5; 17 cfr section 240.10b-5"},
		{"a claim under 42 U.S.C. § 1983", "42 usc section 1983"},
		{"a claim under 42 USC 1983", "42 usc section 1983"},
		{"28 U.S.C.A. § 1331", "28 usc section 1331"},
		{"UCC § 2-207", "section 2-207"},
		{"§§ 3 and 4(a), or 5", "section 3; section 4(a); section 5"},
		{"Articles 12, 14 and 16(2)", "article 12; article 14; article 16(2)"},
		{"Article I, Section 8", "article i section 8"},
		{"Section 8 of Article I", "article i section 8"},
		{"Section 3 of the 1998 Act", "section 3"},
		{"Annex B and Annex IV", "annex b; annex iv"},
		{"Does REQ-12 cover CVE-2024-1234?", "req-12; cve-2024-1234"},
		{"What does 8.7.1 say, and 12(3)(b)?", "8.7.1; 12(3)(b)"},
		{"paras. 26 and 27", "paragraph 26; paragraph 27"},
		{"Chapter 8", "chapter 8"},
		{"section 4th", ""},
		{"Section a is not one, nor is Article about", ""},
		{"the parties paid 4.50 in 2024", ""},
		{"a partial sectional rule of thumb", ""},
		{"", ""},
	} {
		if got := names(Parse(c.text)); got != c.want {
			t.Errorf("Parse(%q) = %q, want %q", c.text, got, c.want)
		}
	}
}

func TestParseSpans(t *testing.T) {
	s := "Compare §§ 3 and 4(a) with Article I, Section 8 and REQ-12."
	var got []string
	for _, c := range Parse(s) {
		if s[c.Start:c.End] != c.Text {
			t.Errorf("%q is not %q", s[c.Start:c.End], c.Text)
		}
		got = append(got, c.Text)
	}
	if want := "§§ 3|4(a)|Article I, Section 8|REQ-12"; strings.Join(got, "|") != want {
		t.Errorf("got %q, want %q", strings.Join(got, "|"), want)
	}
}

func TestWider(t *testing.T) {
	c := Parse("42 U.S.C. § 1983(b)(2)")[0]
	var got []string
	for _, w := range c.Wider() {
		got = append(got, w.Name())
	}
	want := "[section 1983(b)(2) 42 usc section 1983(b) section 1983(b) 42 usc section 1983 section 1983]"
	if fmt.Sprint(got) != want {
		t.Errorf("got %v, want %s", got, want)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"§ 5899(b)", "Articles 12, 14 and 16(2)", "Article I, Section 8 of Part II", "REQ-12 8.7.1", "§§ 3 –", "17 CFR 240.10b-5(", "\xff§\xff 1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		last := 0
		for _, c := range Parse(s) {
			if c.Start < last || c.End <= c.Start || c.End > len(s) || s[c.Start:c.End] != c.Text {
				t.Fatalf("Parse(%q): %+v behind %d", s, c, last)
			}
			if c.Number == "" || c.Number != strings.ToLower(c.Number) || len(c.Exact()) == 0 {
				t.Fatalf("Parse(%q): %+v", s, c)
			}
			for _, w := range c.Wider() {
				if len(w.Number) > len(c.Number) {
					t.Fatalf("Parse(%q): %+v is wider than %+v", s, w, c)
				}
			}
			last = c.End
		}
	})
}
