package show

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"example.com/assay/state"
)

// A passage shows all of its text once, and marks exactly what is quoted.
func TestPartsAreTheText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.RuneFrom([]rune("ab é界\n"))).Draw(t, "text")
		quoted := make([]bool, len(text))
		ps := &passages{prefix: "x"}
		p := &passage{text: text, start: 7, doc: "d"}
		ps.add(p, nil)
		for range rapid.IntRange(0, 5).Draw(t, "quotes") {
			from := rapid.IntRange(-2, len(text)+2).Draw(t, "from")
			to := rapid.IntRange(-2, len(text)+2).Draw(t, "to")
			words := "a"
			if 0 <= from && from < to && to <= len(text) {
				words = text[from:to]
			}
			if len(ps.quote("d", from+7, to+7, words, link{"l", "i"})) == 0 {
				continue
			}
			for i := from; i < to; i++ {
				quoted[i] = true
			}
		}
		ps.cut()
		at, ids := 0, 0
		for _, part := range p.Parts {
			for i := range len(part.Text) {
				if text[at+i] != part.Text[i] || quoted[at+i] != part.Marked {
					t.Fatalf("byte %d of %q: %+v", at+i, text, p.Parts)
				}
			}
			at, ids = at+len(part.Text), ids+len(part.IDs)
		}
		if at != len(text) || ids != ps.marks {
			t.Fatalf("%d bytes and %d quotes of %q: %+v", at, ids, text, p.Parts)
		}
	})
}

// What overlaps is marked once, and each quote's label stands at its end.
func TestOverlappingQuotes(t *testing.T) {
	a, b := link{"claim 1", "one"}, link{"claim 2", "two"}
	got := partsOf("abcdefg", []mark{{1, 5, "q1", &a}, {3, 6, "q2", &b}, {3, 6, "q3", &b}})
	want := []part{
		{Text: "a"}, {Text: "bc", Marked: true, IDs: []string{"q1"}}, {Text: "de", Marked: true, IDs: []string{"q2", "q3"}, Labels: []link{a}},
		{Text: "f", Marked: true, Labels: []link{b}}, {Text: "g"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A quote that is not the passage's bytes, or of another document, is marked nowhere.
func TestQuotesThatAreNotThere(t *testing.T) {
	ps := &passages{prefix: "x"}
	ps.add(&passage{text: "naïve", start: 10, doc: "d"}, []state.QuoteSpan{{Start: 10, End: 12, Text: "no"}})
	for _, q := range []state.Quote{
		{Source: "d", Start: 10, End: 12, Text: "NA"}, {Source: "d", Start: 9, End: 11, Text: "na"}, {Source: "d", Start: 14, End: 17, Text: "ve"},
		{Source: "d", Start: 12, End: 13, Text: "\xc3"}, {Source: "d", Start: 11, End: 11},
	} {
		if places := ps.quote(q.Source, q.Start, q.End, q.Text, link{}); len(places) > 0 {
			t.Errorf("%+v is at %v", q, places)
		}
	}
	ps.add(&passage{text: "na", start: 10, doc: "e"}, nil)
	if places := ps.quote("e", 10, 12, "na", link{}); len(places) != 1 || !strings.HasSuffix(places[0].ID, "quote-1") {
		t.Errorf("%v", places)
	}
	ps.cut()
	if len(ps.list[0].Parts) != 1 || ps.list[0].Parts[0].Marked {
		t.Errorf("%+v", ps.list[0].Parts)
	}
}

func TestWordsAroundAQuote(t *testing.T) {
	long := strings.Repeat("word ", 60)
	ps := &passages{prefix: "x"}
	ps.add(&passage{text: long + "quote " + long, doc: "d"}, nil)
	at := ps.quote("d", len(long), len(long)+5, "quote", link{})
	before, after := ps.around(at[0].ID)
	if !strings.HasPrefix(before, "… word ") || !strings.HasSuffix(after, " word …") || len(before) > besides+5 || len(after) > besides+5 {
		t.Errorf("%q %q", before, after)
	}
	thai := strings.Repeat("ก", 200) // no space to cut at
	ps.add(&passage{text: thai + "quote" + thai, doc: "e"}, nil)
	at = ps.quote("e", len(thai), len(thai)+5, "quote", link{})
	if before, after := ps.around(at[0].ID); before != "… " || after != " …" {
		t.Errorf("%q %q", before, after)
	}
}
