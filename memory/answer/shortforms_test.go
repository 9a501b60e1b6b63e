package answer

import (
	"strings"
	"testing"

	"example.com/assay/state"
)

// A sentence with the other form of what the question names is about it, where a source
// says that both are one.
func TestTheOtherFormIsTheSameName(t *testing.T) {
	defined := Source{Title: "Offices", Text: "The Harbor Watch Office (HWO) is named in the charter."}
	others := []Source{
		{Title: "Coats", Text: "A harbor clerk is a person who writes lists of the office."},
		{Title: "Boats", Text: "An HWO is a board of nine that inspects boats."},
		{Title: "Maps", Text: "The watch of the office sells maps of the harbor on every day."},
	}
	for _, q := range []string{"What is a harbor watch office?", "What is an HWO?"} {
		got := Rank(q, append([]Source{defined}, others...), &Options{Most: 2, More: true}).Quotes
		found := false
		for _, quote := range got {
			found = found || quote.Source == 2
		}
		if !found {
			t.Errorf("%q is answered by %v, not by what the other form is", q, got)
		}
	}
	apart := Rank("What is a harbor watch office?", others, &Options{Most: 1}).Quotes
	if len(apart) > 0 && strings.Contains(others[apart[0].Source].Text, "HWO") {
		t.Error("without a definition the forms are one")
	}
}

// Days and months are the same in their short forms.
func TestShortNamesOfDays(t *testing.T) {
	week := []Source{{Title: "Canteen", Text: "Mon: Soup.\nTue: Fish pie.\nThurs: Rice.", Blocks: []state.Block{
		{Kind: state.BlockField, Start: 0, End: 10, Label: "Mon"}, {Kind: state.BlockField, Start: 11, End: 25, Label: "Tue"}, {Kind: state.BlockField, Start: 26, End: 38, Label: "Thurs"},
	}}}
	for q, want := range map[string]string{"What is there on Tuesday?": "Tue: Fish pie.", "What can I eat on Thursday?": "Thurs: Rice."} {
		got := Rank(q, week, &Options{Most: 1}).Quotes
		if len(got) != 1 || week[0].Text[got[0].Start:got[0].End] != want {
			t.Errorf("%q is answered by %v, want %q", q, got, want)
		}
	}
}
