package verify

import (
	"testing"

	"example.com/assay/state"
)

// Each claim that is not supported gets the sentence of the correction that stands in its place, else the
// words of the evidence, else nothing in its place.
func TestDraft(t *testing.T) {
	text := "- The fee is 45 crowns.\n- Giants built it. Dogs may board. Cats may in part.\n"
	claim := func(start, end int, status state.ClaimStatus, conflicts ...state.Conflict) state.CheckedClaim {
		return state.CheckedClaim{Claim: text[start:end], Status: status, Span: state.ByteSpan{Start: start, End: end}, Conflicts: conflicts}
	}
	claims := []state.CheckedClaim{
		claim(2, 23, state.Unsupported, state.Conflict{Kind: state.ConflictNumber, Claim: "45 crowns", Evidence: "40 crowns"}),
		claim(26, 42, state.Unsupported), claim(43, 58, state.Unsupported), claim(59, 76, state.PartiallySupported),
	}
	a := Answer{Answer: state.Answer{Verification: state.Verification{ClaimCheck: &state.ClaimCheck{Claims: claims, ClaimsChecked: 4}}}, History: []ShownAttempt{{Response: text}}}
	all := []string{"claim-1", "claim-2", "claim-3", "claim-4"}
	corrected := func() string { return a.Proof().Draft.Corrected(all) }
	if got, want := corrected(), "- The fee is 40 crowns.\n- Cats may in part.\n"; got != want {
		t.Errorf("without a correction: %q, not %q", got, want)
	}
	next := func(i int, text string, status state.ClaimStatus) state.CheckedClaim {
		c := claims[i]
		c.Claim, c.Status = text, status
		return c
	}
	a.Correction = &Correction{Claims: []state.CheckedClaim{
		next(0, "The fee is forty crowns.", state.Supported), claims[1], next(2, "No dog may board.", state.Supported), next(3, "Cats may not.", state.Unsupported),
	}}
	if got, want := corrected(), "- The fee is forty crowns.\n- No dog may board. Cats may in part.\n"; got != want {
		t.Errorf("with a correction: %q, not %q", got, want)
	}
	if got := a.Proof().Draft.Corrected(nil); got != text {
		t.Errorf("what nobody accepts becomes %q", got)
	}
	a.History = nil
	if d := a.Proof().Draft; d != nil {
		t.Errorf("an answer that does not have the text has the draft %+v", d)
	}
}
