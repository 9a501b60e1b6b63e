package eval

import (
	"math"
	"testing"

	"example.com/assay/nodes/causal"
	"example.com/assay/nodes/extract"
	"example.com/assay/state"
)

func TestScores(t *testing.T) {
	claim := func(text string, status state.ClaimStatus, miscited bool, cites ...string) state.CheckedClaim {
		return state.CheckedClaim{Claim: text, Status: status, Miscited: miscited, Cites: cites}
	}
	check := &state.ClaimCheck{ClaimsChecked: 5, ClaimsSupported: 3, CRAGAttempts: 1, Claims: []state.CheckedClaim{
		claim("one is red", state.Supported, false, "Source 1"), claim("two is blue", state.Supported, true, "Source 1"), claim("three", state.Supported, false),
		claim("four", state.Unsupported, false, "Source 2"), claim("five", state.PartiallySupported, false),
	}}
	c := Case{Gold: Gold{
		Answer: "the red fox", Choice: "B", Passages: []string{"a.md#Intent", "b.md"},
		Claims: map[string]string{"red": "supported", "blue": "unsupported", "nowhere": "supported", "four": "unsupported"},
	}}
	a := state.Answer{
		Answer: "A red cat.", Choice: "B",
		Sources:      []state.Source{{Doc: "a.md", Section: "Battery > Intent"}, {Doc: "a.md", Section: "Contact"}, {Doc: "c.md"}},
		Verification: state.Verification{QuotesChecked: 4, QuotesExact: 3, ClaimCheck: check},
	}
	want := map[string]float64{
		MetricChoice: 1, MetricAnswerF1: .5, MetricQuoteExactness: .75, MetricPassagePrecision: 1. / 3, MetricPassageRecall: .5,
		MetricClaimSupport: .6, MetricHallucination: .2, MetricCitationPrecision: 1. / 3, MetricCitationRecall: 2. / 3, MetricClaimAccuracy: .5,
		MetricCRAGTrigger: 1, MetricCRAGSuccess: 0,
	}
	got := measure(c, a)
	for name, value := range want {
		if math.Abs(got[name]-value) > 1e-9 {
			t.Errorf("%s is %v, want %v", name, got[name], value)
		}
	}
	if len(got) != len(want) {
		t.Errorf("measured %v", got)
	}
	if got := measure(Case{}, state.Answer{}); len(got) != 0 {
		t.Errorf("nothing was measured as %v", got)
	}
	edges := edgeScores(map[string]string{"x": "grounded", "y": "rejected", "z": "rejected"}, []causal.Edge{{ID: "x", Status: causal.EdgeGrounded}, {ID: "y", Status: causal.EdgeGrounded}})
	if edges[MetricEdgeAccuracy] != 1./3 {
		t.Errorf("an edge that nobody decided is right: %v", edges)
	}
	fields := fieldScores(map[string]string{"total": "9.00", "date": "2020-01-02"}, extract.Answer{Fields: []extract.FieldValue{{Field: "total", Value: "9.00"}, {Field: "shop", Value: "x"}, {Field: "date", Value: "2020-02-01"}}})
	if fields[MetricFieldPrecision] != 1./3 || fields[MetricFieldRecall] != .5 || math.Abs(fields[MetricFieldF1]-.4) > 1e-9 {
		t.Errorf("fields %v", fields)
	}
}
