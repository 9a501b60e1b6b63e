package verify

import (
	"fmt"

	"example.com/assay/state/proof"
)

// Proof is an answer in the form of all pipelines: the response with a verdict on each
// claim, and the correction that is suggested.
func (a Answer) Proof() proof.Proof {
	b := proof.New(a.Answer, a.Answer.Answer)
	b.Given = true
	b.Checks(a.Answer)
	if c := a.Correction; c != nil {
		b.Note("Suggested correction", fmt.Sprintf("%d of %d claims supported", c.Supported, c.Checked), proof.Plain, c.Response)
	}
	return b.Proof
}
