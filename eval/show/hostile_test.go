package show

import (
	"encoding/json"
	"testing"

	"example.com/assay/eval"
	"example.com/assay/state"
)

const (
	attack = `</textarea></script></style><img src=x onerror=alert(1)><script>alert(2)</script> | "a" & 'b'`
	arabic = "السؤال: ما هو الجواب؟"
)

// hostile are results whose every text is an attack, with what failed, what could
// not be run, a repeat and a comparison.
func hostile(t *testing.T) (eval.Results, *eval.Comparison) {
	t.Helper()
	text := "A lantern needs a permit. " + attack + " " + arabic
	quote := state.Quote{Passage: "p", Source: attack, Start: 100, End: 125, Text: "A lantern needs a permit."}
	answer := state.Answer{
		Schema: 1, Pipeline: "research", End: state.End{Status: state.StatusAnswered}, Question: attack, Answer: "[Query 1][Source 1] **" + attack + "**\n\n- " + arabic, Warnings: []string{attack},
		Sources: []state.Source{{N: 1, Query: 1, Source: 1, Doc: attack, Where: attack, Start: 100, End: 100 + len(text), Text: text, Stale: attack, Quotes: []state.QuoteSpan{{Start: 100, End: 125, Text: quote.Text}}}},
		Verification: state.Verification{ClaimCheck: &state.ClaimCheck{ClaimsChecked: 2, Level: "low", Corrections: []string{attack}, Claims: []state.CheckedClaim{
			{Claim: attack, Status: state.Supported, Evidence: []state.Quote{quote}, Reasoning: arabic},
			{Claim: "javascript:alert(3)", Status: state.Unsupported, Against: []state.Quote{{Source: "elsewhere", Start: 1, End: 5, Text: attack}}, Conflicts: []state.Conflict{{Kind: state.ConflictNumber, Claim: attack, Evidence: attack}}},
		}}},
	}
	whole, err := json.Marshal(answer)
	if err != nil {
		t.Fatal(err)
	}
	items := []eval.Item{
		{ID: attack, Repeat: 1, Pipeline: "research", Misses: []string{attack + "\nand a line", "\x00\x1b[31m\uffff"}, Status: state.StatusAnswered, Question: attack, Answer: answer.Answer, Choice: attack, Notes: attack,
			Confidence: .9, LatencyMS: 1500, Path: []string{"a"}, Expected: []eval.Expectation{{What: attack, Want: attack, Got: arabic}}, Timeline: []eval.Stay{{Node: attack, StartMS: 1, MS: 2}}, Result: whole},
		{ID: attack, Repeat: 2, Pipeline: "research", Pass: true, Status: state.StatusAnswered, Confidence: .8, LatencyMS: 500, Path: []string{"a"}, Misses: []string{}},
		{ID: "lost", Repeat: 1, Pipeline: "edges", Status: state.StatusFailed, Error: "no such file: " + attack, Misses: []string{}},
	}
	r, err := eval.Summarise(items, eval.Made{Version: attack, Date: "2026-01-02T03:04:05Z", Machine: attack, Skills: map[string]string{attack: "1"}})
	if err != nil {
		t.Fatal(err)
	}
	r.Model = attack
	return r, &eval.Comparison{
		Regressions: []string{attack}, Cases: []eval.CaseChange{{ID: attack, Was: 1, Is: .5, Misses: []string{attack}, Metrics: map[string]float64{"calls": 2}}},
		Metrics: []eval.MetricChange{{Name: "pass_rate", Was: 1, Is: .5, Difference: -.5, Lo: -1, P: .25, N: 2}},
	}
}
