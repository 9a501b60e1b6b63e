package metrics

import "testing"

func TestTokenF1(t *testing.T) {
	for _, test := range []struct {
		gold, text string
		want       float64
	}{
		{"the red fox", "A red cat.", .5},
		{"Forty-two days", "forty two DAYS", 1},
		{"red red fox", "red fox fox", 2. / 3}, // a word counts as often as in both
		{"", "the", 1},
		{"red", "", 0},
		{"red", "blue", 0},
	} {
		if got := TokenF1(test.gold, test.text); got != test.want {
			t.Errorf("%q and %q: %v, want %v", test.gold, test.text, got, test.want)
		}
	}
}

// A text holds whole words, however they are typed.
func TestHolds(t *testing.T) {
	for _, c := range []struct {
		text, gold string
		want       bool
	}{
		{"It waits five\n  seconds.", "Five seconds", true},
		{"The limit is 2000.", "200", false},
		{"limits of 200 and 2000", "2000", true},
		{"Use `git -x`", "-x", true},
		{"the “free” list", `"free" list`, true},
		{"autocommit", "commit", false},
		{"PRAGMA foreign_keys = ON;", "foreign_keys = ON", true},
		{"2000, then 200", "200", true}, // the first place is within a number
		{"", "x", false},
		{"x", "", false},
		{"It leaves at 13:15 daily.", "13:15", true},
		{"It leaves at 113:15.", "13:15", false},
		{"He’s not\n  here", "he's NOT here", true},
		{"Ver\u00adtrag", "Vertrag", true},
		{"Vertrags", "Vertrag", false},
		{"costs £6.00 now", "£6.00", true},
		{"costs £6.005", "£6.00", false},
		{"受付は九時まで", "九時", true},
		{"first aid, later aids", "aids", true},
		{"naïves", "naïve", false},
		{"anything", " ", false},
	} {
		if got := Holds(c.text, []string{c.gold}); got != c.want {
			t.Errorf("%q holds %q: %v", c.text, c.gold, got)
		}
	}
}
