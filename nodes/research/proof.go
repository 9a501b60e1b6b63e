package research

import (
	"example.com/assay/state"
	"example.com/assay/state/proof"
)

// Proof is an answer in the form of all pipelines: its claims and quotations, each with
// the bytes that it stands on.
func Proof(a state.Answer) proof.Proof {
	b := proof.New(a, WithoutSources(a.Answer))
	b.Checks(a)
	return b.Proof
}
