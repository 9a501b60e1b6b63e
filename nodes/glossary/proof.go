package glossary

import (
	"example.com/assay/state/proof"
)

// Proof returns the answer as a proof: each term with its definition.
func (a Answer) Proof() proof.Proof {
	b := proof.New(a.Answer, a.Answer.Answer)
	for _, t := range a.Terms {
		b.Add(proof.Finding{Kind: proof.Term, Label: t.Term, Text: t.Quote.Text, Tone: proof.Plain, Quotes: []proof.Quote{b.Quote(t.Quote, proof.For)}})
	}
	return b.Proof
}
