package evidence

import (
	"fmt"
	"slices"
	"strings"

	"example.com/assay/state"
	"example.com/assay/state/proof"
)

// Proof is an audit in the form of all pipelines: statements, the requirements that they
// cite, and those that were found beside them.
func (a Audit) Proof() proof.Proof {
	b := proof.New(a.Answer, a.Answer.Answer)
	if a.Result == ResultNoEvidence {
		b.Words = strings.TrimSpace(a.Message + " " + b.Words)
	}
	b.Measure("grounding", "%s", a.Grounding).Usual = a.Grounding == GroundedHigh
	m := b.Measure("requirements", "%d of %d verified", len(a.Verified), len(a.Extracted))
	m.Phrase, m.Usual = fmt.Sprintf("%d of %s verified", len(a.Verified), proof.Count(len(a.Extracted), "requirement")), len(a.Verified) == len(a.Extracted)
	b.Measure("passages", "%d read", a.Trail.Retrieved).Phrase = proof.Count(a.Trail.Retrieved, "passage") + " read"
	for _, d := range a.Documents {
		b.Document(d.Source, d.Path, d.Original)
	}
	spans := map[string]Requirement{}
	for _, r := range a.Extracted {
		spans[r.ID] = r
	}
	ids := map[string]string{} // of findings by those of requirements
	for i, v := range slices.Concat(a.Verified, a.Rejected) {
		ids[v.ID] = fmt.Sprintf("%s-%d", proof.Requirement, i+1)
	}
	for _, s := range a.Statements {
		f := proof.Finding{Kind: proof.Statement, Text: s.Text, Tone: proof.Plain}
		if s.Start >= 0 && s.Start <= len(b.Answer) && strings.HasPrefix(b.Answer[s.Start:], s.Text) {
			f.Span = &proof.Span{Start: s.Start, End: s.Start + len(s.Text)}
		}
		for _, id := range s.IDs {
			if ids[id] != "" {
				f.Rests = append(f.Rests, ids[id])
			}
		}
		b.Add(f)
	}
	for _, v := range a.Verified {
		used := slices.ContainsFunc(a.Statements, func(s AuditStatement) bool { return slices.Contains(s.IDs, v.ID) })
		prove(b, v, spans[v.ID], used)
	}
	for i, v := range a.Rejected {
		near := a.Result == ResultNoEvidence && i < mostNearest && (v.Reason != state.NotRelevant || v.Relevance > 0)
		prove(b, v, spans[v.ID], near)
	}
	for _, c := range a.Conflicts {
		n := b.Note("Conflicts", string(c.Kind), proof.Bad, fmt.Sprintf("%s says “%s” and %s “%s”", c.A, c.WordsA, c.B, c.WordsB))
		n.About = []string{ids[c.A], ids[c.B]}
		n.Aside = strings.Contains(b.Answer, fmt.Sprintf("“%s” against “%s”", c.WordsA, c.WordsB)) // the answer says it
	}
	for _, m := range a.Missing {
		b.Note("Missing evidence", "", proof.Warn, m)
	}
	for _, x := range a.Findings {
		text := x.Stage + ": " + x.Detail
		if x.Outcome != "" {
			text += " → " + x.Outcome
		}
		n := b.Note("Caught along the way", string(x.Kind), proof.Warn, text)
		n.Aside = true
		for _, id := range x.IDs {
			n.About = append(n.About, ids[id])
		}
	}
	return b.Proof
}

// mostNearest is how many rejected requirements an answer shows when none is verified.
const mostNearest = 3

// prove adds a requirement. It is set aside unless a statement cites it, or it is the
// nearest that there is.
func prove(b *proof.Builder, v VerifiedRequirement, r Requirement, shown bool) {
	f := proof.Finding{Kind: proof.Requirement, Label: v.ID, Text: v.Quote, Verdict: "verified", Tone: proof.Good, Aside: !shown}
	switch {
	case !v.Verified:
		f.Verdict, f.Tone = "rejected", proof.Bad
		f.Decided = append(f.Decided, proof.Decision{Label: proof.Words(string(v.Reason)), Tone: proof.Bad, Text: v.Rationale})
	default:
		f.Decided = proof.Because(nil, v.Rationale, proof.Plain)
	}
	f.Decided = proof.Because(f.Decided, v.Error, proof.Bad)
	for _, s := range r.Stems {
		f.Decided = append(f.Decided, proof.Decision{Label: "under", Tone: proof.Plain, Text: s.Text})
	}
	if len(r.Stems) == 0 && r.Label != "" {
		f.Decided = append(f.Decided, proof.Decision{Label: "under", Tone: proof.Plain, Text: r.Label})
	}
	for _, ref := range r.Refers {
		to := "which the corpus does not hold"
		if ref.Linked {
			to = "in passage " + ref.Passage
		}
		f.Decided = append(f.Decided, proof.Decision{Label: "refers to", Tone: proof.Plain, Text: ref.Text + ", " + to})
	}
	q := b.Quote(state.Quote{Source: r.Source, Start: r.Start, End: r.End, Text: r.Quote}, proof.For)
	if !v.Verified {
		q.Stand = proof.Weighed
	}
	f.Quotes = []proof.Quote{q}
	b.Add(f)
}
