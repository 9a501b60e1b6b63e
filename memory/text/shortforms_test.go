package text

import (
	"slices"
	"testing"
)

func TestShortForms(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want []ShortForm
	}{
		{"The Harbor Watch Office (HWO) opens at six.", []ShortForm{{"HWO", "Harbor Watch Office"}}},
		{"Ask the HWO (harbor watch office) first.", []ShortForm{{"HWO", "harbor watch office"}}},
		{"It keeps a Tide-Ahead Record (TAR).", []ShortForm{{"TAR", "Tide-Ahead Record"}}},
		{"the Board of Pilots (“BP”)", []ShortForm{{"BP", "Board of Pilots"}}},
		{"a Block Range Index (BRIN)", []ShortForm{{"BRIN", "Block Range Index"}}},
		{"the Safe Sailing Law (SSL)", []ShortForm{{"SSL", "Safe Sailing Law"}}},
		{"Multimast Cargo Control (MMCC)", []ShortForm{{"MMCC", "Multimast Cargo Control"}}},
		{"a line\nbroken berth table\n(BBT)", []ShortForm{{"BBT", "broken berth table"}}},
		{"The crane lifts (HWO) it.", nil},
		{"The berth (see HWO) is full.", nil},
		{"HWO (a house without owls, or so)", nil},
		{"Pilots (BP)", nil},
		{"A boat. Pays fees (BPF)", nil},
		{"Harbor Watch Office (hwo)", nil},
		{"call SAVE (set a value, end)", nil},
		{"(HWO", nil},
		{"()", nil},
	} {
		if got := ShortForms(tt.in); !slices.Equal(got, tt.want) {
			t.Errorf("%q defines %q, want %q", tt.in, got, tt.want)
		}
	}
}

func FuzzShortForms(f *testing.F) {
	f.Add("Harbor Watch Office (HWO) é(É")
	f.Fuzz(func(t *testing.T, s string) {
		for _, d := range ShortForms(s) {
			if !IsShortForm(d.Short) || len(Tokens(d.Long)) < 2 {
				t.Errorf("%q is taken for the long form of %q", d.Long, d.Short)
			}
		}
	})
}

func TestShortNames(t *testing.T) {
	for _, name := range []string{"Sunday", "January", "Dienstag", "Mittwoch", "décembre", "martes", "dezembro"} {
		if tokens := Tokens(name); len(tokens) != 1 || len(ShortNames(tokens[0].Text)) == 0 {
			t.Errorf("%s has no short form", name)
		}
	}
}
