package causal_test

import (
	"testing"

	"example.com/assay/nodes/causal"
)

func TestAskedIn(t *testing.T) {
	for _, c := range []struct{ line, cause, effect string }{
		{"Does the evidence really show that tobacco smoking causes lung cancer?", "tobacco smoking", "lung cancer"},
		{"does the corpus prove that damp air leads to rust", "damp air", "rust"},
		{"Does tobacco smoking cause lung cancer?", "", ""}, // a question for research
		{"Does the evidence show that?", "", ""},
	} {
		cause, effect, ok := causal.AskedIn(c.line)
		if cause != c.cause || effect != c.effect || ok != (c.cause != "") {
			t.Errorf("%q: %q causes %q, %v", c.line, cause, effect, ok)
		}
	}
}
