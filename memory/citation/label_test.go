package citation

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"example.com/assay/state"
)

// found says how a reference's target is labelled: "own", "within" or "".
func found(l Labels, reference string) string {
	for _, key := range Parse(reference)[0].Exact() {
		if slices.Contains(l.Own, key) {
			return "own"
		}
		if slices.Contains(l.Within, key) {
			return "within"
		}
	}
	return ""
}

func TestLabel(t *testing.T) {
	for _, c := range []struct {
		name    string
		passage state.Passage
		want    map[string]string
	}{
		{"a heading", state.Passage{Section: "Chapter 4 > § 5899. Records", Text: "A clerk keeps records."},
			map[string]string{"§ 5899": "own", "Chapter 4": "within", "Section 5899": "own", "Article 5899": "", "Rule 4": "", "Chapter 4, Section 5899": "own"}},
		{"brackets below a heading", state.Passage{Section: "§ 5899. Records", Text: "(a) One.\n\n(b) Two:\n(1) first;\n(2) second.\n\n(c) Three."},
			map[string]string{"§ 5899(b)": "own", "§ 5899(b)(2)": "own", "§ 5899(c)": "own", "§ 5899(d)": "", "§ 5899(c)(2)": "", "§ 5899": "own", "5899(b)": "own"}},
		{"numbers with points below an article", state.Passage{Section: "Article 12 Appeals", Text: "1. One.\n2. Two.\n3. Three."},
			map[string]string{"Art. 12(3)": "own", "Art. 12": "own", "Article 12(4)": "", "Section 12(3)": ""}},
		{"letters and Roman numbers", state.Passage{Section: "Rule 7", Text: "(g) a;\n(h) b;\n(i) c;\n(j) d"},
			map[string]string{"Rule 7(i)": "own", "Rule 7(j)": "own", "Rule 7(h)(i)": ""}},
		{"Roman numbers below letters", state.Passage{Section: "Rule 7", Text: "(a) a:\n(i) b;\n(ii) c;\n(b) d"},
			map[string]string{"Rule 7(a)(ii)": "own", "Rule 7(b)": "own", "Rule 7(i)": ""}},
		{"a numbered beginning", state.Passage{Text: "8.7.1 A person must wait.\n8.7.2\tNobody need run.\n(a) Nor walk."},
			map[string]string{"Rule 8.7.1": "own", "Rule 8.7.2(a)": "own", "Section 8.7": "within", "Chapter 8": "within", "8.7.1": "own"}},
		{"marked up", state.Passage{Text: "**4.2 Notice.** Notice is given.\n\n- **Section 4.3** — Time."},
			map[string]string{"Section 4.2": "own", "§ 4.3": "own"}},
		{"a reference is no beginning", state.Passage{Text: "Section 4.2 applies to all.\nas said in\nSection 4.3. The rest follows.\n3.5 million people"},
			map[string]string{"Section 4.2": "", "Section 4.3": "", "Section 3.5": ""}},
		{"numbers that do not go on are references", state.Passage{Text: "4.2 Notice\n\n4.3 Time\n\n9.8 Fees\n\n4.9 Far\n\n4.5 Place\n\n4.6.1 Door\n\n5 Rest\n\n| 4.7 | Row |\n| REQ-9 | Row |"},
			map[string]string{"§ 4.2": "own", "§ 4.3": "own", "§ 9.8": "", "§ 4.9": "", "§ 4.5": "own", "§ 4.6.1": "own", "§ 4.7": "", "REQ-9": "own"}},
		{"a number below other text", state.Passage{Text: "See these.\n9.3 Fees"}, map[string]string{"§ 9.3": ""}},
		{"a code in the title", state.Passage{Title: "42 U.S.C. Chapter 21", Section: "42 U.S.C. Chapter 21 > § 1983. Civil action", Text: "Every person…"},
			map[string]string{"42 U.S.C. § 1983": "own", "§ 1983": "own", "28 U.S.C. § 1983": ""}},
		{"a code in the heading", state.Passage{Section: "42 U.S.C. § 1983 Civil action", Text: "Every person…"},
			map[string]string{"42 USC 1983": "own", "section 1983": "own"}},
		{"an article's section", state.Passage{Section: "Article I > Section 8", Text: "The Congress shall have power"},
			map[string]string{"Article I, Section 8": "own", "Section 8 of Article I": "own", "Article II, Section 8": "", "Article I": "within"}},
		{"an identifier", state.Passage{Section: "REQ-12 Login", Text: "Users log in."}, map[string]string{"REQ-12": "own", "REQ-1": ""}},
		{"an identifier at a line's beginning", state.Passage{Text: "REQ-12: Users log in.\nIL-6 is a cytokine."}, map[string]string{"REQ-12": "own", "IL-6": ""}},
		{"a record's columns", state.Passage{ID: "x1", Line: 3, Text: "A person waits.", Metadata: map[string]string{"rule": "8.7.1.(2)", "year": "2.4"}},
			map[string]string{"Rule 8.7.1(2)": "own", "Rule 8.7.1": "within", "Section 8.7.1(2)": "", "Section 2.4": ""}},
		{"a record's id", state.Passage{ID: "REQ-7", Line: 3, Text: "A person waits."}, map[string]string{"REQ-7": "own"}},
		{"a column that is no number", state.Passage{Line: 3, Text: "x", Metadata: map[string]string{"section": "Torts", "article": "12"}},
			map[string]string{"Section 12": "", "Article 12": "own"}},
		{"a heading's bare number", state.Passage{Section: "3. Scope", Text: "All."}, map[string]string{"Section 3": "own", "Clause 3": "own"}},
		{"a year is no number", state.Passage{Title: "2001: An Odyssey", Section: "1999 in review", Text: "All."}, map[string]string{"Section 2001": "", "Section 1999": ""}},
	} {
		l := Label([]state.Passage{c.passage})[0]
		for reference, want := range c.want {
			if got := found(l, reference); got != want {
				t.Errorf("%s: %q is %q, want %q; own %q, within %q", c.name, reference, got, want, l.Own, l.Within)
			}
		}
	}
}

// What was numbered in one passage counts in the next of the same heading.
func TestLabelGoesOn(t *testing.T) {
	in := []state.Passage{
		{ID: "c", Doc: "d", Source: "s", Section: "§ 9", Start: 200, Text: "(c) Three."},
		{ID: "a", Doc: "d", Source: "s", Section: "§ 9", Start: 0, Text: "(a) One.\n(b) Two:"},
		{ID: "b", Doc: "d", Source: "s", Section: "§ 9", Start: 100, Text: "and much more of two."},
		{ID: "b2", Doc: "d", Source: "s", Section: "§ 9", Start: 150, Text: "(1) first of two;"},
		{ID: "d", Doc: "d", Source: "s", Section: "§ 10", Start: 300, Text: "(a) Ten."},
		{ID: "e", Doc: "e", Source: "t", Start: 0, Text: "(a) Of nothing."},
	}
	l := Label(in)
	for i, want := range []struct{ reference, found string }{{"§ 9(c)", "own"}, {"§ 9(b)", "own"}, {"§ 9(b)", "within"}, {"§ 9(b)(1)", "own"}, {"§ 10(a)", "own"}, {"§ 10(a)", ""}} {
		if got := found(l[i], want.reference); got != want.found {
			t.Errorf("%s: %q is %q, want %q (%v)", in[i].ID, want.reference, got, want.found, l[i])
		}
	}
	for i, reference := range []string{"§ 9(b)", "§ 9(c)", "§ 9(a)", "§ 9(a)", "§ 9(c)"} {
		if got := found(l[i], reference); got != "" {
			t.Errorf("%s: %q is %q, want nothing", in[i].ID, reference, got)
		}
	}
	for seed := range uint64(10) {
		order := rand.New(rand.NewPCG(seed, 1)).Perm(len(in))
		var mixed []state.Passage
		for _, i := range order {
			mixed = append(mixed, in[i])
		}
		for at, got := range Label(mixed) {
			if !reflect.DeepEqual(got, l[order[at]]) {
				t.Fatalf("order %v: %s is %v, want %v", order, mixed[at].ID, got, l[order[at]])
			}
		}
	}
}

func FuzzLabel(f *testing.F) {
	for _, s := range []string{"§ 5899. Records\x00(a) One.\n(b) Two", "Article I > Section 8\x00(i) x\n(ii) y", "REQ-12\x00REQ-13: z", "\x00) (\n(((\n3.\n§"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		section, text, _ := strings.Cut(s, "\x00")
		l := Label([]state.Passage{{Section: section, Text: text}, {Section: section, Text: text, Start: len(text), Metadata: map[string]string{"rule": section}}})
		for _, one := range l {
			if !slices.IsSorted(one.Own) || !slices.IsSorted(one.Within) {
				t.Fatal(fmt.Sprint(one))
			}
			for _, key := range one.Within {
				if slices.Contains(one.Own, key) {
					t.Fatalf("%q is both", key)
				}
			}
		}
	})
}
