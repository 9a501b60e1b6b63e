package causal

import "testing"

func TestBetweenAfter(t *testing.T) {
	w, err := Shipped()
	if err != nil {
		t.Fatal(err)
	}
	const unread = Kind(99)
	for _, c := range []struct {
		before, sentence, cause, effect string
		kind                            Kind
		denied, reversed                bool
	}{
		{"Damp air is common on the coast.", "It causes rust.", "damp air", "rust", Direct, false, false},
		{"Damp air is common on the coast.", "It causes rust.", "rust", "damp air", Direct, false, true},
		{"Rust is common on the coast.", "It is caused by damp air.", "damp air", "rust", Direct, false, false},
		{"Many people in the valley breathe smoke.", "In turn, this leads to coughs.", "smoke", "coughs", Direct, false, false},
		{"Many people in the valley breathe smoke.", "It leads to coughs.", "smoke", "coughs", unread, false, false}, // it is not the smoke, perhaps
		{"Tea is drunk daily.", "This did not lead to gout.", "tea", "gout", Direct, true, false},
		{"Tea is drunk daily.", "This was associated with gout.", "tea", "gout", Correlation, false, false},
		{"Tea and gout were studied.", "This leads to gout.", "tea", "gout", unread, false, false}, // both are named
		{"Coffee is drunk daily.", "It causes gout.", "tea", "gout", unread, false, false},
		{"Tea is drunk daily.", "Beer causes gout.", "tea", "gout", unread, false, false}, // no pronoun
		{"Tea is drunk daily.", "It causes sleep.", "tea", "gout", unread, false, false},
		{"", "It", "tea", "gout", unread, false, false},
	} {
		r, ok := Read(c.sentence).BetweenAfter(Read(c.before), NewVariable(c.cause), NewVariable(c.effect), &w.Pair)
		switch {
		case ok != (c.kind != unread):
			t.Errorf("%s %s: %s → %s is read: %v", c.before, c.sentence, c.cause, c.effect, ok)
		case ok && (r.Kind != c.kind || r.Denied != c.denied || r.Reversed != c.reversed):
			t.Errorf("%s %s: %s → %s is %+v", c.before, c.sentence, c.cause, c.effect, r)
		}
	}
}

// A further name counts when its head noun is of the variable's family, and less
// than the name itself.
func TestOr(t *testing.T) {
	v := NewVariable("perinatal mortality").Or("neonatal mortality", "birth weight")
	for sentence, want := range map[string]float64{
		"Perinatal mortality fell.": 1, "Neonatal mortality fell.": secondName, "Birth weight fell.": 0, "Neonatal and perinatal mortality fell.": 1,
	} {
		got := 0.0
		if found := Read(sentence).Mentions(v); len(found) > 0 {
			got = found[0].Share
		}
		if got != want {
			t.Errorf("%q holds %.2f of it, want %.2f", sentence, got, want)
		}
	}
	if len(Read("Macropinosomes form.").Mentions(NewVariable("macropinocytosis").Or("macropinosomes"))) != 1 {
		t.Error("a noun that begins alike is no second name")
	}
}
