package eval

import (
	"fmt"
	"slices"

	"example.com/assay/state"
)

// Check compares a run with the expectations of its case and returns the unmet ones, one
// sentence each. A failed run has one, unless failure was expected.
func (r Run) Check(w Want) []string {
	var misses []string
	if failed := slices.Contains([]state.Status{state.StatusFailed, state.StatusCancelled, state.StatusUnavailable}, r.Answer.Status); failed && w.Status != r.Answer.Status {
		misses = append(misses, "the run failed: "+r.Answer.Error)
	}
	for _, a := range r.assertions(w) {
		misses = append(misses, a.misses...)
	}
	if v := r.Answer.Verification; v.QuotesExact != v.QuotesChecked {
		misses = append(misses, fmt.Sprintf("%d of %d quotes are not the bytes of their source", v.QuotesChecked-v.QuotesExact, v.QuotesChecked))
	}
	return append(misses, r.Faults...)
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
