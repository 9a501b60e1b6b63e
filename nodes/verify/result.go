package verify

import (
	"fmt"
	"slices"

	"example.com/assay/state"
)

// Check sums up the verdicts of a finished run on the given response. A correction changes none of
// them.
func Check(final State) state.ClaimCheck {
	given, _ := final.Given()
	best, _ := final.Best()
	check := CheckOf(given)
	check.CRAGAttempts = max(len(final.Attempts)-1, 0)
	check.Corrected = best.Response != given.Response && best.Grounded
	return check
}

// CheckBest sums up a finished run for a pipeline that checks its own answer and shows its best
// version: the verdicts are those on that version.
func CheckBest(final State) state.ClaimCheck {
	given, _ := final.Given()
	best, _ := final.Best()
	check := CheckOf(best)
	check.CRAGAttempts = max(len(final.Attempts)-1, 0)
	for _, v := range given.Verdicts {
		if !slices.ContainsFunc(best.Verdicts, func(b state.Verdict) bool { return b.Spoken() == v.Spoken() }) {
			check.Rewritten++
		}
	}
	return check
}

// CheckOf sums up one attempt.
func CheckOf(a Attempt) state.ClaimCheck {
	check := state.ClaimCheck{
		Confidence: a.Confidence, Level: string(LevelOf(a.Confidence)), IsGrounded: a.Grounded,
		ClaimsChecked: len(a.Verdicts), ClaimsSupported: a.Counts(state.Supported), ClaimsPartial: a.Counts(state.PartiallySupported), Unverified: unjudged(a.Verdicts),
	}
	if len(a.Verdicts) == 0 {
		check.Level = string(Unchecked)
	}
	for _, v := range a.Verdicts {
		switch {
		case v.Error != "":
			check.ClaimsUnjudged++
		case v.Status == state.Supported && len(v.Doubts) > 0:
			check.ClaimsInDoubt++
		}
		check.Claims = append(check.Claims, state.CheckedClaim{
			Claim: v.Text, Status: v.Status, Confidence: v.Confidence, Evidence: append([]state.Quote{}, v.For...), Against: v.Against, Conflicts: v.Conflicts, Doubts: v.Doubts,
			Cites: v.Cites, Miscited: v.Miscited, Reasoning: v.Reason, Error: v.Error, Span: state.ByteSpan{Start: v.Start, End: v.End},
		})
		if c := correction(v); c != "" {
			check.Corrections = append(check.Corrections, c)
		}
	}
	return check
}

// mostReplaced is how many words a correction may put in place of a claim's.
const mostReplaced = 6

// correction says what would make a claim supported; "" if it is.
func correction(v state.Verdict) string {
	switch {
	case v.Error != "":
		return fmt.Sprintf("Check by hand: “%s” (it could not be judged)", v.Text)
	case v.Miscited:
		return fmt.Sprintf("Cite what supports it: “%s”", v.Text)
	case v.Status == state.Supported:
		return ""
	}
	for _, c := range v.Conflicts {
		switch {
		case c.Evidence == "":
			continue
		case replaceable(c):
			return fmt.Sprintf("In “%s” say “%s” in place of “%s”, as the evidence does, or leave it out", v.Text, c.Evidence, c.Claim)
		}
		return fmt.Sprintf("Compare “%s” with the evidence: %s", v.Text, v.Reason)
	}
	if v.Status == state.PartiallySupported {
		return fmt.Sprintf("Leave out of “%s” what the evidence does not state: %s", v.Text, v.Reason)
	}
	return fmt.Sprintf("Leave out “%s”, or add evidence that states it", v.Text)
}
