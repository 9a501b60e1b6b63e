package render

import (
	"slices"
	"strings"
	"testing"

	"example.com/assay/state/proof"
)

func TestSourceLines(t *testing.T) {
	for text, want := range map[string][]string{
		"To light the lamp, turn the key:\n\n    lamp --light\n    lamp --trim 2\n\nThen wait.": {"To light the lamp, turn the key:", "    lamp --light", "    lamp --trim 2", "Then wait."},
		"The keeper of the lamp writes down what the weather is like at noon, and signs\nit.":   {"The keeper of the lamp writes down what the weather is like at noon, and signs it."},
		"Before the lamp is lit, the keeper of the night reads the obser-\nvations of the day.": {"Before the lamp is lit, the keeper of the night reads the observations of the day."},
		"The harbour office keeps a list of every one of the twenty-\nfirst century.":           {"The harbour office keeps a list of every one of the twenty-", "first century."},
		"What the keeper has to see to before anything else is the first-\nclass oil store.":    {"What the keeper has to see to before anything else is the first-class oil store."},
		"": nil,
	} {
		if got := sourceLines(text); !slices.Equal(got, want) {
			t.Errorf("%q:\n got %q\nwant %q", text, got, want)
		}
	}
}

// A command in a quotation stands on its own line, however wide the terminal is.
func TestQuotationKeepsItsLines(t *testing.T) {
	quoted := proof.Finding{Quotes: []proof.Quote{{Text: "Light it with\n    lamp --light\nand wait."}}}
	got := Markdown(withLines("- “Light it with lamp --light and wait.” [Query 1][Source 1]", proof.Proof{Findings: []proof.Finding{quoted}}), Options{Width: 80})
	if want := "• “Light it with\n      lamp --light\n  and wait.” [Query 1][Source 1]\n"; got != want {
		t.Errorf("got %q\nwant %q", got, want)
	}
	if strings.Contains(Markdown("a\\b\nc", Options{Width: 80}), "\nc") {
		t.Error("a backslash inside a line breaks it")
	}
}

// A quote that begins or ends inside a sentence has an ellipsis there. The number of a clause or
// the sign of an item does not count as a missing word.
func TestEllipses(t *testing.T) {
	for _, c := range []struct{ text, quote, before, after string }{
		{"7.2 Notice by e-mail is not sufficient.", "Notice by e-mail is not sufficient.", "", ""},
		{"- Meet at the door\n- Bring a badge", "Meet at the door", "", ""},
		{"The rent is 400 a month, payable in advance.", "The rent is 400 a month", "", "…"},
		{"The rent is 400 a month. It is due on the first.", "It is due on the first.", "", ""},
		{"If it rains, the fair is moved to the hall.", "the fair is moved to the hall.", "…", ""},
		{"Otto; Team: Sales; Days: 5", "Team: Sales", "…", "…"},
	} {
		at := strings.Index(c.text, c.quote)
		if before, after := ellipses(c.text, at, at+len(c.quote)); before != c.before || after != c.after {
			t.Errorf("%q: %q %q", c.quote, before, after)
		}
	}
	p := proof.Proof{
		Passages: []proof.Passage{{Start: 10, End: 34, Text: "The rent is 400 a month."}},
		Findings: []proof.Finding{{Quotes: []proof.Quote{{Start: 10, End: 25, Text: "The rent is 400"}}}},
	}
	if got := withLines("“The rent is 400” [Source 1]", p); got != "“The rent is 400…” [Source 1]" {
		t.Error(got)
	}
}
