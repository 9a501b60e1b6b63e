package verify

import (
	"fmt"
	"slices"

	"example.com/assay/state"
	"example.com/assay/state/proof"
)

// Proof is an answer in the form of all pipelines: the response with a verdict on each
// claim, and the correction that is suggested.
func (a Answer) Proof() proof.Proof {
	b := proof.New(a.Answer, a.Answer.Answer)
	b.Given = true
	for i := range b.Measures { // quotes of the evidence say nothing of the response
		b.Measures[i].Aside = b.Measures[i].Aside || b.Measures[i].Name == "quotes"
	}
	b.Checks(a.Answer)
	b.Draft = a.draft(b.Findings)
	if c := a.Correction; c != nil {
		b.Sources(slices.DeleteFunc(slices.Clone(c.Sources), func(s state.Source) bool {
			return slices.ContainsFunc(a.Sources, func(o state.Source) bool { return o.Label == s.Label })
		}))
		b.Note("Suggested correction", fmt.Sprintf("%d of %s supported", c.Supported, proof.Count(c.Checked, "claim")), proof.Plain, c.Response)
	}
	return b.Proof
}
