package causal

import (
	"slices"
	"strings"

	"example.com/assay/state/proof"
)

var edgeTones = map[EdgeStatus]proof.Tone{EdgeGrounded: proof.Good, EdgeRejected: proof.Bad, EdgeDraft: proof.Plain}

// Proof is an answer in the form of all pipelines: each edge with what was quoted for its
// verdict.
func (a Answer) Proof() proof.Proof {
	b := proof.New(a.Answer, a.Answer.Answer)
	b.Words = a.Words() // the answer only counts edges
	for _, e := range a.Edges {
		f := proof.Finding{Kind: proof.Edge, Label: e.ID, Text: e.FromVar + " → " + e.ToVar, Verdict: string(e.Status), Tone: edgeTones[e.Status]}
		stand := proof.For
		switch closes := slices.IndexFunc(a.DAG.Cycles, func(c Cycle) bool { return c.Edge == e.ID }); {
		case e.Status == EdgeRejected:
			stand = proof.Weighed
			f.Decided = append(f.Decided, proof.Decision{Label: proof.Words(e.Rejection.Reason), Tone: proof.Bad, Text: e.Rejection.Detail})
		case closes >= 0:
			f.Decided, f.Tone = append(f.Decided, proof.Decision{Label: "closes a cycle", Tone: proof.Warn, Text: strings.Join(a.DAG.Cycles[closes].Path, " → ")}), proof.Warn
		case e.Strength != "":
			f.Decided = append(f.Decided, proof.Decision{Label: string(e.Strength), Tone: proof.Plain, Text: "evidence"})
		}
		if e.Status != EdgeDraft && e.Confidence > 0 {
			f.Confidence = &e.Confidence
		}
		if e.Mechanism != "" {
			f.Decided = append(f.Decided, proof.Decision{Label: "mechanism, as drafted", Tone: proof.Plain, Text: e.Mechanism})
		}
		for _, q := range e.Evidence.Quotes {
			f.Quotes = append(f.Quotes, b.Quote(q, stand))
		}
		b.Add(f)
	}
	for _, c := range a.DAG.Cycles {
		b.Note("Left out of the graph", c.Edge, proof.Warn, "it would close a cycle: "+strings.Join(c.Path, " → "))
	}
	for _, p := range a.DAG.Reversed {
		b.Note("In the draft", "both directions", proof.Warn, p.First+" and "+p.Second)
	}
	for _, p := range a.DAG.Duplicates {
		b.Note("In the draft", "the same edge twice", proof.Warn, p.First+" and "+p.Second)
	}
	graph := proof.Count(len(a.DAG.Edges), "edge")
	b.Measure("graph", "%s", graph).Phrase = graph + " in the graph"
	return b.Proof
}
