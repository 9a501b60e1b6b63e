package render

import (
	"strings"
	"testing"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/state"
	"example.com/assay/state/proof"
)

// Links are written only to a terminal that shows them.
func TestSourceLinks(t *testing.T) {
	p := proof.New(state.Answer{Sources: []state.Source{{Query: 1, Source: 2, Where: "Notes", Path: "/tmp/my notes.md", Start: 1, End: 4}}}, "").Proof
	if got := Source(p, 0, false); got != "• [Query 1][Source 2] Notes — /tmp/my notes.md, bytes 1–4\n" {
		t.Errorf("plain: %q", got)
	}
	if got := Source(p, 0, true); !strings.Contains(got, "\x1b]8;;file:///tmp/my%20notes.md\x1b\\/tmp/my notes.md, bytes 1–4\x1b]8;;\x1b\\") {
		t.Errorf("linked: %q", got)
	}
	if got := fileURL("C:/my notes.md"); got != "file:///C:/my%20notes.md" {
		t.Errorf("on a drive: %q", got)
	}
}

// One short line stands below an answer; the rest is shown only with --verbose.
func TestMeasures(t *testing.T) {
	answer := state.Answer{
		Answer: "x", Corpus: "mine", Model: "offline", Relevance: &state.Relevance{Confidence: .9},
		Verification: state.Verification{QuotesChecked: 3, QuotesExact: 3},
	}
	answer.Status = state.StatusAnswered
	shown := func(verbose bool) string {
		var b strings.Builder
		a := cli.App{Stdout: &cli.Screen{To: &b}, Verbose: verbose}
		Proof(&a, proof.New(answer, answer.Answer).Proof, true)
		return b.String()
	}
	if got := shown(false); got != "x\n\n3 quotes, all exact · corpus mine · offline\n" {
		t.Errorf("%q", got)
	}
	if got := shown(true); !strings.Contains(got, "offline\nrelevance 0.90") {
		t.Errorf("%q", got)
	}
	answer.Model, answer.Metrics.Calls, answer.Verification.QuotesExact = "openai:m", 2, 1
	if got := shown(false); got != "x\n\n3 quotes, 1 exact · corpus mine · openai:m\n" {
		t.Errorf("%q", got)
	}
}
