package render

import (
	"strings"
	"testing"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/state"
	"example.com/assay/state/proof"
)

// Each kind of finding is shown with its sign and its place, and what is set aside is not.
func TestProof(t *testing.T) {
	b := proof.New(state.Answer{Corpus: "mine", End: state.End{Status: state.StatusUngrounded, Why: "Not all of it holds."}}, "Salt is white. Rain is dry.")
	b.Given = true
	doc := b.Document("salt.md", "", "")
	b.Passages = append(b.Passages, proof.Passage{Doc: doc, Where: "Salt, section 1", Start: 5, End: 40, Text: "Salt is white, and it dissolves in water."})
	quote := proof.Quote{Stand: proof.For, Doc: doc, Start: 5, End: 18, Text: "Salt is white"}
	half := .5
	b.Add(proof.Finding{Kind: proof.Claim, Text: "Salt is white.", Tone: proof.Good, Quotes: []proof.Quote{quote}, Decided: []proof.Decision{{Text: "never said of what holds"}}})
	b.Add(proof.Finding{Kind: proof.Claim, Text: "Rain is dry.", Tone: proof.Bad, Decided: []proof.Decision{{Label: "number", Text: "“1” against “2”"}}})
	b.Add(proof.Finding{Kind: proof.Requirement, Label: "REQ-1", Text: "Salt is white", Tone: proof.Good, Quotes: []proof.Quote{quote}})
	b.Add(proof.Finding{Kind: proof.Requirement, Label: "REQ-2", Text: "aside", Aside: true})
	b.Add(proof.Finding{Kind: proof.Term, Label: "brine", Text: "salt\nin water", Tone: proof.Plain, Quotes: []proof.Quote{{Doc: doc, Start: 50, End: 63, Text: "salt\nin water"}}})
	b.Add(proof.Finding{Kind: proof.Field, Label: "total", Text: "12.00", Confidence: &half, Quotes: []proof.Quote{{Doc: doc, Start: 1, End: 6, Text: "12,00", Page: 2, Boxes: []proof.Box{{X1: 1, Y1: 2, X2: 3, Y2: 4}, {}}}}})
	b.Add(proof.Finding{Kind: proof.Edge, Label: "e1", Text: "rain → mud", Verdict: "grounded", Confidence: &half, Decided: []proof.Decision{{Label: "weak"}}})
	b.Note("Missing", "cause", proof.Warn, "the \x1b[31mend")
	b.Note("Missing", "", proof.Warn, "told only in full").Aside = true
	shown := func(verbose, quotes bool) string {
		var out strings.Builder
		Proof(&cli.App{Stdout: &cli.Screen{To: &out}, Verbose: verbose}, b.Proof, quotes)
		return out.String()
	}
	got := shown(false, true)
	for _, want := range []string{
		"Claims\n======\n✓ Salt is white.\n    for: “Salt is white”\n      Salt, section 1 — salt.md, bytes 5–18\n✗ Rain is dry.\n    number: “1” against “2”\n",
		"✓ REQ-1 Salt, section 1 — salt.md, bytes 5–18\n", // the answer has its words
		"• brine “salt in water”\n    salt.md, bytes 50–63\n",
		"salt.md\n\nfield  value  confidence  place\ntotal  12.00  0.50        page 2, bytes 1–6, box 1,2–3,4 and 1 more\n",
		"e1    grounded  0.50   rain → mud      weak\n",
		"Missing\n=======\n• cause: the ", "corpus mine\n\nNot all of it holds.\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	for _, never := range []string{"aside", "never said", "told only", "\x1b"} {
		if strings.Contains(got, never) {
			t.Errorf("%q in\n%s", never, got)
		}
	}
	if full := shown(true, false); strings.Contains(full, "for: ") || !strings.Contains(full, "told only in full") {
		t.Errorf("in full, without quotes:\n%s", full)
	}
}
