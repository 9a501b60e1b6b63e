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
