package render

import (
	"strings"
	"testing"

	"example.com/assay/state"
)

// Links stand only where a terminal shows them.
func TestSourceLinks(t *testing.T) {
	sources := []state.Source{{Query: 1, Source: 2, Where: "Notes", Path: "/tmp/my notes.md", Start: 1, End: 4}}
	if got := Sources(sources, false); got != "• [Query 1][Source 2] Notes — /tmp/my notes.md, bytes 1–4\n" {
		t.Errorf("plain: %q", got)
	}
	if got := Sources(sources, true); !strings.Contains(got, "\x1b]8;;file:///tmp/my%20notes.md\x1b\\/tmp/my notes.md, bytes 1–4\x1b]8;;\x1b\\") {
		t.Errorf("linked: %q", got)
	}
	if got := fileURL("C:/my notes.md"); got != "file:///C:/my%20notes.md" {
		t.Errorf("on a drive: %q", got)
	}
}

// What stands below an answer is one short line; the rest only in full.
func TestMeasured(t *testing.T) {
	answer := state.Answer{
		Answer: "x", Corpus: "mine", Model: "offline", Relevance: &state.Relevance{Confidence: .9},
		Verification: state.Verification{QuotesChecked: 3, QuotesExact: 3},
	}
	if got := Measured(answer, false); len(got) != 1 || got[0] != "3 quotes, all exact · corpus mine · offline" {
		t.Errorf("%q", got)
	}
	if got := Measured(answer, true); len(got) != 2 {
		t.Errorf("%q", got)
	}
	answer.Model, answer.Metrics.Calls, answer.Verification.QuotesExact = "openai:m", 2, 1
	if got := Measured(answer, false); len(got) != 1 || got[0] != "3 quotes, 1 exact · corpus mine · openai:m" {
		t.Errorf("%q", got)
	}
	if got := Measured(state.Answer{}, true); got != nil {
		t.Errorf("%q", got)
	}
}
