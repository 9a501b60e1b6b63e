package eval

import (
	"fmt"
	"slices"
	"strings"

	"example.com/assay/state"
)

// ExitCode is that with which a pipeline's verb ends when a run ends with a status.
func ExitCode(s state.Status) int {
	switch s {
	case state.StatusAnswered:
		return 0
	case state.StatusNoEvidence:
		return 3
	case state.StatusInterrupted:
		return 130
	}
	return 1
}

// Check compares a run with what its case expects and returns what is missing,
// one sentence each. A run that failed misses something, unless that is what
// was expected.
func (r Run) Check(w Want) []string {
	var misses []string
	expect := func(ok bool, sentence string) {
		if !ok {
			misses = append(misses, sentence)
		}
	}
	differ := func(what, want, got string, checked bool) {
		expect(!checked || want == got, fmt.Sprintf("%s is %q, expected %q", what, got, want))
	}
	failed := r.Answer.Status == state.StatusFailed || r.Answer.Status == state.StatusInterrupted
	expect(!failed || w.Status == r.Answer.Status, "the run failed: "+r.Answer.Error)
	differ("the status", string(w.Status), string(r.Answer.Status), w.Status != "")
	differ("the grounding", string(w.Grounding), string(r.Grounding), w.Grounding != "")
	if w.ExitCode != nil {
		differ("the exit code", fmt.Sprint(*w.ExitCode), fmt.Sprint(ExitCode(r.Answer.Status)), true)
	}
	differ("the choice", w.Choice, r.Answer.Choice, w.Choice != "")
	differ("the number of steps", fmt.Sprint(w.Steps), fmt.Sprint(r.Steps), w.Steps != 0)
	differ("the number of failed steps", fmt.Sprint(w.Failed), fmt.Sprint(r.Answer.Metrics.StepsFailed), w.Failed != 0)
	differ("the number of model calls", fmt.Sprint(w.Calls), fmt.Sprint(r.Answer.Metrics.Calls), w.Calls != 0)
	differ("the path", strings.Join(w.Path, " → "), strings.Join(r.Path, " → "), w.Path != nil)
	for _, doc := range w.Cites {
		cited := slices.ContainsFunc(r.Answer.Sources, func(s state.Source) bool { return s.Doc == doc })
		expect(cited, fmt.Sprintf("the answer does not cite %s", doc))
	}
	for _, text := range w.Contains {
		expect(strings.Contains(r.Answer.Answer, text), fmt.Sprintf("the answer does not hold %q", text))
	}
	for _, text := range w.JSONContains {
		expect(strings.Contains(string(r.Result), text), fmt.Sprintf("the answer's JSON does not hold %q", text))
	}
	v := r.Answer.Verification
	expect(v.QuotesExact == v.QuotesChecked, fmt.Sprintf("%d of %d quotes are not the bytes of their source", v.QuotesChecked-v.QuotesExact, v.QuotesChecked))
	if w.NoUnsupportedClaim {
		misses = append(misses, unsupported(v.ClaimCheck)...)
	}
	for _, name := range sortedKeys(w.Metrics) {
		got, measured := r.Scores[name]
		expect(measured, fmt.Sprintf("%s was not measured, expected at least %g: it needs its gold, or the claims checked", name, w.Metrics[name]))
		expect(!measured || got >= w.Metrics[name], fmt.Sprintf("%s is %.4g, expected at least %g", name, got, w.Metrics[name]))
	}
	return append(append(misses, r.overspent(w)...), r.Faults...)
}

// unsupported says which claims lack support.
func unsupported(check *state.ClaimCheck) []string {
	if check == nil {
		return []string{"the claims were not checked, expected that each is supported"}
	}
	if check.Unverified != "" {
		return []string{"the claims were not verified: " + check.Unverified}
	}
	var misses []string
	for _, claim := range check.Claims {
		if claim.Status != state.Supported {
			misses = append(misses, fmt.Sprintf("a claim is %s: %q", claim.Status, claim.Claim))
		}
	}
	return misses
}

// overspent says which bounds on calls, cost and time a run broke.
func (r Run) overspent(w Want) []string {
	var misses []string
	u := r.Usage()
	if w.MaxCalls > 0 && u.Calls > w.MaxCalls {
		misses = append(misses, fmt.Sprintf("models were called %d times, expected at most %d", u.Calls, w.MaxCalls))
	}
	if w.MaxCost != nil {
		if cost := u.Cost + u.RecordedCost; cost > state.MoneyOf(*w.MaxCost) {
			misses = append(misses, fmt.Sprintf("the cost is %v, expected at most %v", cost, state.MoneyOf(*w.MaxCost)))
		}
		if unknown := u.Unpriced + u.RecordedUnpriced; unknown > 0 {
			misses = append(misses, fmt.Sprintf("of %d model calls it is unknown what they cost, expected at most %v: give the models a price", unknown, state.MoneyOf(*w.MaxCost)))
		}
	}
	if w.MaxLatency > 0 && r.Times.Total > w.MaxLatency {
		misses = append(misses, fmt.Sprintf("the run took %v, expected at most %v", r.Times.Total, w.MaxLatency))
	}
	return misses
}
