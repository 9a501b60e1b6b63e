package render

import (
	"testing"

	"example.com/assay/state"
)

func TestWhatWasSearchedForIsOneLine(t *testing.T) {
	list := []state.Respelling{{Word: "carne", As: "crane"}, {Word: "tar", As: "tide-ahead record", Also: true}}
	if got, want := SearchedFor(list), "searched for: crane (not carne), tide-ahead record (as well as tar)\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
