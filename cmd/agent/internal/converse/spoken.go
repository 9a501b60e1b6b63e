package converse

import (
	"slices"

	"example.com/assay/state"
	"example.com/assay/state/message"
	"example.com/assay/state/proof"
)

// Proof makes a proof of a message in a model's words: each citation is a quote of its document.
// Nothing is checked that the message does not hold.
func Proof(m message.Message) proof.Proof {
	p := proof.Proof{Status: state.StatusAnswered, Tone: proof.Good, Answer: m.Content.String()}
	for _, b := range m.Content.Blocks {
		starts := []int{} // of the block's characters, in bytes
		for i := range b.Text {
			starts = append(starts, i)
		}
		starts = append(starts, len(b.Text))
		for _, c := range b.Annotations {
			at := slices.IndexFunc(p.Documents, func(d proof.Document) bool { return d.Name == c.Doc && d.Path == c.Path })
			if at < 0 {
				at = len(p.Documents)
				p.Documents = append(p.Documents, proof.Document{Name: c.Doc, Path: c.Path})
			}
			f := proof.Finding{Kind: proof.Quoted, Text: c.CitedText, Quotes: []proof.Quote{{Stand: proof.For, Doc: at, Start: c.Start, End: c.End, Text: c.CitedText}}}
			if len(m.Content.Blocks) == 1 && b.Text == p.Answer && c.StartIndex >= 0 && c.StartIndex < c.EndIndex && c.EndIndex < len(starts) {
				f.Span = &proof.Span{Start: starts[c.StartIndex], End: starts[c.EndIndex]}
			}
			builder := proof.Builder{Proof: p}
			builder.Add(f)
			p = builder.Proof
		}
	}
	return p
}
