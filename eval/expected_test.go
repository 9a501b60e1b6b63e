package eval

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/assay/nodes/follow"
	"example.com/assay/state"
)

// Everything that a case asserts is listed with what came, and nothing else.
func TestExpectations(t *testing.T) {
	r := Run{
		Answer: state.Answer{
			End: state.End{Status: state.StatusAnswered}, Answer: "A kite.", Choice: "C", Sources: []state.Source{{Doc: "b.md"}, {Doc: "a.md"}, {Doc: "b.md"}},
			Verification: state.Verification{ClaimCheck: &state.ClaimCheck{Claims: []state.CheckedClaim{{Status: state.Supported}, {Status: state.Unsupported}}}},
			Metrics:      state.RunMetrics{Metrics: state.Metrics{ModelUsage: state.ModelUsage{Calls: 4}, StepsFailed: 1}},
		},
		Result: json.RawMessage(`{"a": 1}`), Path: []string{"x", "y"}, Steps: 2, Grounding: "high", Scores: map[string]float64{"field_f1": .5},
		Times: follow.Took{Total: 1500 * time.Millisecond, Usage: map[string]state.ModelUsage{"x": {Calls: 5, Cost: state.MoneyOf(.25), Unpriced: 1}}},
	}
	exit, cost := 0, 1.5
	w := Want{
		Status: state.StatusNoEvidence, ExitCode: &exit, Grounding: "low", Choice: "B", Steps: 3, Failed: 2, Calls: 6, Path: []string{"x"}, Cites: []string{"a.md"},
		Contains: []string{"A kite", "a lamp"}, JSONContains: []string{`"a": 1`}, NoUnsupportedClaim: true, Metrics: map[string]float64{"field_f1": 1, "choice_accuracy": 1},
		MaxCalls: 3, MaxCost: &cost, MaxLatency: time.Second,
	}
	want := []Expectation{
		{"status", "no_evidence", "answered"}, {"exit code", "0", "0"}, {"grounding", "low", "high"}, {"choice", "B", "C"}, {"steps", "3", "2"}, {"failed steps", "2", "1"},
		{"model calls", "6", "4"}, {"path", "x", "x → y"}, {"cites", "a.md", "a.md, b.md"}, {"the answer holds", "A kite", "yes"}, {"the answer holds", "a lamp", "no"},
		{"the JSON holds", `"a": 1`, "yes"}, {"claims without support", "none", "1"}, {"choice_accuracy", "at least 1", "not measured"}, {"field_f1", "at least 1", "0.5"},
		{"model calls", "at most 3", "5"}, {"cost", "at most 1.5", "0.25 and unknown"}, {"time", "at most 1s", "1.5s"},
	}
	if diff := cmp.Diff(want, r.expectations(w)); diff != "" {
		t.Error(diff)
	}
	if got := r.expectations(Want{}); len(got) != 0 {
		t.Errorf("%+v", got)
	}
}
