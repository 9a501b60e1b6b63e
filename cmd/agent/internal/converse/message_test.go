package converse

import (
	"encoding/json"
	"strings"
	"testing"

	"example.com/assay/graph"
	"example.com/assay/nodes/research"
	"example.com/assay/nodes/verify"
	"example.com/assay/state"
)

// An answer is shown as Markdown on a page. Its headings are smaller than the page's, and its
// notes are one paragraph.
func TestMessage(t *testing.T) {
	text, citations := Message(research.Proof(state.Answer{
		Resolved: "what are the defences to battery?", Respelt: []state.Respelling{{Word: "defences", As: "defenses"}},
		Answer:  "#### Rule\n- “Consent is a defence.” [Query 1][Source 1]\n\n## Sources\n\n- [Query 1][Source 1] Torts",
		Quotes:  []state.ShownQuote{{Source: 1, Text: "Consent is\na defence.", Shown: "Consent is a defence."}},
		Sources: []state.Source{{N: 1, Query: 1, Source: 1, Doc: "torts.md", Where: "Torts", Start: 5, End: 27, Text: "Consent is\na defence.", Quotes: []state.QuoteSpan{{Text: "Consent is\na defence.", Start: 5, End: 27}}}},
		Model:   "offline", Corpus: "sample", End: state.End{Status: state.StatusAnswered},
	}))
	const want = "*searched for: what are the defences to battery?*  \n*searched for: defenses (not defences)*\n\n#### Rule\n" +
		"- “Consent is a defence.” [Source 1]\n\n### Sources\n\n- [Source 1] Torts (torts.md, bytes 5–27)\n\n*corpus sample · model offline*"
	if text != want {
		t.Errorf("the message is\n%s\nwant\n%s", text, want)
	}
	if c := citations; len(c) != 1 || string([]rune(text)[c[0].StartIndex:c[0].EndIndex]) != "Consent is a defence." || c[0].Start != 5 || c[0].Title != "Torts" {
		t.Errorf("it cites %+v", c)
	}
}

// Where several steps were made, a source says of which it is.
func TestSourcesOfSteps(t *testing.T) {
	a := state.Answer{Answer: "Salt is white. [Query 1][Source 1] Salt is wet. [Query 2][Source 1]", End: state.End{Status: state.StatusAnswered}}
	for step := 1; step <= 2; step++ {
		a.Sources = append(a.Sources, state.Source{N: step, Query: step, Source: 1, Doc: "salt.md"})
	}
	if text, _ := Message(research.Proof(a)); !strings.Contains(text, a.Answer) || !strings.Contains(text, "- [Query 2][Source 1]") {
		t.Errorf("%s", text)
	}
}

// What says only that all is well is left out; what does not is there.
func TestMeasuresThatSaySomething(t *testing.T) {
	a := state.Answer{Answer: "Salt is white.", End: state.End{Status: state.StatusAnswered}, Corpus: "c"}
	for exact, want := range map[int]string{2: "*corpus c*", 1: "*2 quotes, 1 exact · corpus c*"} {
		a.Verification.QuotesChecked, a.Verification.QuotesExact = 2, exact
		if text, _ := Message(research.Proof(a)); !strings.HasSuffix(text, "\n\n"+want) {
			t.Errorf("%d exact: %s", exact, text)
		}
	}
}

// A given response is shown with the verdict on each of its claims. An answer's own claims are
// listed only if they do not hold.
func TestVerdictsInMessages(t *testing.T) {
	check := &state.ClaimCheck{ClaimsChecked: 2, ClaimsSupported: 1, Claims: []state.CheckedClaim{
		{Claim: "Salt is white.", Status: state.Supported, Evidence: []state.Quote{{Source: "salt.md", Text: "Salt is white."}}},
		{Claim: "Salt is sweet.", Status: state.Unsupported, Reasoning: "nothing says so"},
	}}
	a := state.Answer{End: state.End{Status: state.StatusUngrounded}, Answer: "Salt is white. Salt is sweet.", Verification: state.Verification{ClaimCheck: check}}
	own, _ := Message(research.Proof(a))
	if strings.Contains(own, "✓") || !strings.Contains(own, "- ✗ unsupported: Salt is sweet. (nothing says so)") {
		t.Errorf("of an answer:\n%s", own)
	}
	given, citations := Message(verify.Answer{Answer: a}.Proof())
	if !strings.Contains(given, "- ✓ supported: Salt is white.\n  - for: “Salt is white.” (salt.md, bytes 0–0)") || !strings.Contains(given, "### Response\n\nSalt is white.") || len(citations) != 1 {
		t.Errorf("of a response:\n%s", given)
	}
}

func TestSteps(t *testing.T) {
	var said string
	for _, ev := range []graph.Event[json.RawMessage]{
		{Kind: graph.NodeStart, Node: "plan", Attempt: 1}, {Kind: graph.NodeUpdate, Node: "plan"},
		{Kind: graph.NodeStart, Node: "split_claims", Attempt: 1}, {Kind: graph.NodeStart, Node: "split_claims", Attempt: 2},
		{Kind: graph.NodeStart, Node: "judge", Send: 1, Attempt: 1}, {Kind: graph.NodeStart, Node: "judge", Send: 2, Attempt: 1},
	} {
		said += Steps(ev)
	}
	if said != "plan → split claims → judge → " {
		t.Errorf("it says %q", said)
	}
}
