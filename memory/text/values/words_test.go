package values

import (
	"math"
	"testing"
)

func TestUnitTable(t *testing.T) {
	for name, units := range UnitWords {
		for _, u := range units {
			if u.Dimension == "" || !(u.Factor > 0) || math.IsInf(u.Factor, 0) {
				t.Errorf("%s is %v of %q", name, u.Factor, u.Dimension)
			}
		}
	}
	if len(UnitWords) < 100 {
		t.Errorf("only %d words for units", len(UnitWords))
	}
}

// Numbers that are written in words, and names of months.
func TestWords(t *testing.T) {
	for w, want := range map[string][3]int{ // a number, a rank, a month
		"nine": {9}, "twenty": {20}, "seventy-five": {75}, "ninth": {0, 9}, "twentieth": {0, 20}, "thirty-first": {0, 31}, "five-first": {},
		"march": {0, 0, 3}, "mar": {0, 0, 3}, "sept": {0, 0, 9}, "sep": {0, 0, 9}, "may": {0, 0, 5}, "janu": {}, "": {}, "zeroth": {},
	} {
		if got := [3]int{spelled(w), ordinal(w), Month(w)}; got != want {
			t.Errorf("%q is %v; want %v", w, got, want)
		}
	}
}

// A number of running text is read only in a form that such a number has.
func TestDigits(t *testing.T) {
	for s, want := range map[string]float64{"2,500.5": 2500.5, "2.500.000": 2.5e6, "12,50": 12.5, "12,34,567": 1234567, "7": 7, "8.7.1": -1, "1,234,56": -1} {
		if got, ok := Digits(s); ok != (want >= 0) || ok && got != want {
			t.Errorf("%q is %v, %v; want %v", s, got, ok, want)
		}
	}
}
