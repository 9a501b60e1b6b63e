package causal

import "testing"

func TestBetween(t *testing.T) {
	w, err := Shipped()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		sentence, cause, effect  string
		kind                     Kind
		denied, reversed, hedged bool
	}{
		{"Heavy smoking causes lung cancer.", "smoking", "lung cancer", Direct, false, false, false},
		{"Heavy smoking causes lung cancer.", "lung cancer", "smoking", Direct, false, true, false},
		{"Cancer of the lung is caused by heavy smoking in most men.", "smoking", "lung cancer", Direct, false, false, false},
		{"Cancer of the lung is caused by heavy smoking in most men.", "lung cancer", "smoking", Direct, false, true, false},
		{"Malaria is due to the bite of mosquitoes.", "mosquito bites", "malaria", Direct, false, false, false},
		{"Loud noise may lead to hearing loss.", "noise", "hearing loss", Direct, false, false, true},
		{"Coffee was associated with higher blood pressure.", "coffee", "blood pressure", Correlation, false, false, false},
		{"We found no effect of coffee on blood pressure.", "coffee", "blood pressure", Direct, true, false, false},
		{"Coffee did not raise blood pressure.", "coffee", "blood pressure", None, true, false, false},
		{"Hand washing prevents diarrhoea in children.", "handwashing habits", "diarrhoea", None, false, false, false},
		{"Hand washing reduces diarrhoea in children.", "hand washing", "diarrhoea", Direct, false, false, false},
		{"Further studies should examine whether coffee causes high blood pressure.", "coffee", "blood pressure", None, false, false, false},
		{"Does coffee cause high blood pressure?", "coffee", "blood pressure", None, false, false, false},
		{"The effect of exercise on body weight was large.", "exercise", "body weight", Direct, false, false, false},
		{"The effect of exercise on body weight was large.", "body weight", "exercise", Direct, false, true, false},
	} {
		r, ok := Read(c.sentence).Between(NewVariable(c.cause), NewVariable(c.effect), &w.Pair)
		if c.cause == "handwashing habits" {
			if ok {
				t.Errorf("%q mentions %q", c.sentence, c.cause)
			}
			continue
		}
		if !ok {
			t.Errorf("%q does not mention %q and %q", c.sentence, c.cause, c.effect)
			continue
		}
		if r.Kind != c.kind || r.Denied != c.denied || r.Reversed != c.reversed || r.Hedged != c.hedged {
			t.Errorf("%q, %s → %s: kind %d, denied %v, reversed %v, hedged %v; want %d, %v, %v, %v", c.sentence, c.cause, c.effect,
				r.Kind, r.Denied, r.Reversed, r.Hedged, c.kind, c.denied, c.reversed, c.hedged)
		}
	}
}
