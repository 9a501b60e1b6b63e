package facts

import (
	"fmt"
	"slices"
	"testing"
)

func read(s string) *sentence { return parse(s, newLexicon("")) }

func TestQuantities(t *testing.T) {
	tests := []struct {
		in   string
		want []string // value, dimension, bound
	}{
		{"two hundred and fifty clerks", []string{"250"}},
		{"twenty-five and 3,000 and 2.5 million", []string{"25", "3000", "2.5e+06"}},
		{"one thousand two hundred", []string{"1200"}},
		{"a dozen eggs", []string{"12"}},
		{"half of them, two-thirds, a third of it", []string{"0.5 ratio", "0.6666666666666666 ratio", "0.3333333333333333 ratio"}},
		{"$18,000 and €2.5m and 40 pounds", []string{"18000 money/dollar", "2.5e+06 money/euro", "40 mass"}},
		{"48.2m crowns", []string{"4.82e+07 money/crown"}},
		{"a tower of 48.2m", []string{"48.2 length"}},
		{"80 °C, 5%, 5 per cent, 5 percentage points", []string{"80 temperature/C", "5 ratio", "5 ratio", "5 points"}},
		{"at least 5 days", []string{"5 time/s >"}},
		{"colder than 9 °C", []string{"9 temperature/C <"}},
		{"No under-16s during building work", []string{"16 <"}},
		{"no more than 5 days", []string{"5 time/s <"}},
		{"not less than thirty days", []string{"30 time/s >"}},
		{"roughly 8,000 people", []string{"8000 ~"}},
		{"from nine to six days", []string{"9 time/s", "6 time/s"}},
		{"the 19th time", []string{"19"}},
		{"CK-666 and 1/2000", []string{"0.0005 ratio"}},
		{"a MEK 1/2 blocker", nil},
		{"on 12 March 2024", nil},
		{"within a fortnight", []string{"1 time/s"}},
		{"none of it", nil},
		{"8.7.1", []string{"8.7.1"}},
		{"1.500.000 kroner", []string{"1.5e+06 money/crown"}},
	}
	for _, test := range tests {
		var got []string
		for _, q := range read(test.in).quantities {
			s := fmt.Sprint(q.value)
			if !q.exact {
				s = q.raw
			}
			if len(q.units) > 0 {
				s += " " + q.units[0].Dimension
			}
			got = append(got, s+[]string{"", " >", " <", " ~"}[q.bound])
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%q: %q, want %q", test.in, got, test.want)
		}
	}
}

func TestDates(t *testing.T) {
	tests := []struct {
		in   string
		want []string
	}{
		{"on 12 March 2024", []string{"2024-3-12"}},
		{"on the 12th of March, 2024", []string{"2024-3-12"}},
		{"March 12, 2024", []string{"2024-3-12"}},
		{"2024-03-12 and 12.03.2024 and 13/03/2024", []string{"2024-3-12", "2024-0-0", "2024-3-13"}},
		{"in March", []string{"0-3-0"}},
		{"It may rain. They march on.", nil},
		{"in the 1990s and the 2000's", []string{"1990-0-0s", "2000-0-0s"}},
		{"the third quarter of 2025, Q1 2024", []string{"2025-0-0q3", "2024-0-0q1"}},
		{"from 1972–73", []string{"1972-0-0", "1973-0-0"}},
		{"1240 adults", []string{"1240-0-0?"}},
		{"$1999 was paid", nil},
		{"it was staged1990", []string{"1990-0-0"}},
	}
	for _, test := range tests {
		var got []string
		for _, d := range read(test.in).dates {
			s := fmt.Sprintf("%d-%d-%d", d.year, d.month, d.day)
			if d.decade {
				s += "s"
			}
			if d.quarter > 0 {
				s += fmt.Sprint("q", d.quarter)
			}
			if d.bare {
				s += "?"
			}
			got = append(got, s)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%q: %q, want %q", test.in, got, test.want)
		}
	}
}

func TestEqualQuantities(t *testing.T) {
	tests := []struct {
		a, b string
		want bool
	}{
		{"14 days", "two weeks", true}, {"12 months", "1 year", true}, {"0.5 g", "500 mg", true}, {"2 tonnes", "2,000 kg", true},
		{"7 miles", "11.265408 km", true}, {"50%", "half of it", true}, {"a fifth of it", "20 percent", true}, {"5 kg", "5 lb", false},
		{"30 days", "4 weeks", false}, {"400 euros", "400 dollars", false}, {"about 100 km", "roughly 62 miles", true}, {"100 km", "62 miles", false},
		{"40 pounds", "£40", true}, {"40 pounds", "40 lb", true}, {"5", "five rooms", true}, {"8.7.1", "8.7.1", true}, {"8.7.1", "8.7.2", false},
	}
	for _, test := range tests {
		a, b := read(test.a).quantities, read(test.b).quantities
		if len(a) != 1 || len(b) != 1 {
			t.Errorf("%q and %q: %d and %d quantities", test.a, test.b, len(a), len(b))
		} else if a[0].equal(b[0]) != test.want || b[0].equal(a[0]) != test.want {
			t.Errorf("%q equals %q: %v, want %v", test.a, test.b, !test.want, test.want)
		}
	}
}

func TestNames(t *testing.T) {
	tests := []struct {
		in   string
		want []string
	}{
		{"The Ministry of Rivers and Forests met Dr John Smith.", []string{"Ministry of Rivers", "Forests", "Dr John Smith"}},
		{"In May he saw Ilse van Maarten on Monday.", []string{"Ilse van Maarten"}},
		{"She met J. Corr of the OW.", []string{"J. Corr of the OW"}},
		{"They sailed to COVID-19 Bay.", []string{"COVID-19 Bay"}},
		{"I think I know.", nil},
	}
	for _, test := range tests {
		s := read(test.in)
		var got []string
		for _, n := range s.names {
			if !n.weak {
				got = append(got, s.words(n.first, n.end))
			}
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%q: %q, want %q", test.in, got, test.want)
		}
	}
}

func TestNegations(t *testing.T) {
	tests := []struct {
		in   string
		want []string // roots that are denied
	}{
		{"He did not sign.", []string{"sign"}},
		{"He did not fail to sign.", nil},
		{"He failed to sign.", []string{"sign"}},
		{"The test failed.", nil},
		{"No more than 5 came.", nil},
		{"It was not published until 1949.", nil},
		{"No. 5 was sold.", nil},
		{"It is non-refundable.", []string{"refund"}},
		{"Lack of sleep hurts.", []string{"sleep"}},
		{"He isn't paid, and she sings.", []string{"pay"}},
		{"Not only clerks sing.", nil},
	}
	for _, test := range tests {
		s := read(test.in)
		var got []string
		for i, tok := range s.toks {
			if s.negated[i] {
				got = append(got, tok.root)
			}
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%q: %q, want %q", test.in, got, test.want)
		}
	}
}
