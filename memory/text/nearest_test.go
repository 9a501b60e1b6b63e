package text

import "testing"

func TestNearest(t *testing.T) {
	known := []string{"ask", "corpus", "doctor", "confidence_threshold"}
	for in, want := range map[string]string{
		"aks": "ask", "corpsu": "corpus", "corpora": "", "docter": "doctor", "x": "", "": "",
		"confidence-threshold": "confidence_threshold", "as": "ask",
	} {
		if got := Nearest(in, known); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", in, got, want)
		}
	}
	if d := Edits("ca", "abc"); d != 3 { // optimal string alignment, not Damerau–Levenshtein
		t.Errorf("Edits(ca, abc) = %d, want 3", d)
	}
}

func TestKey(t *testing.T) {
	for in, want := range map[string]string{"Source Type": "source_type", " topic\t": "topic", "É x": "é_x", "": ""} {
		if got := Key(in); got != want {
			t.Errorf("Key(%q) = %q, want %q", in, got, want)
		}
	}
}
