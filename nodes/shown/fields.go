package shown

import (
	"strings"

	"example.com/assay/nodes/causal"
	"example.com/assay/nodes/extract"
	"example.com/assay/state/proof"
)

var edgeTones = map[causal.EdgeStatus]proof.Tone{causal.EdgeGrounded: proof.Good, causal.EdgeRejected: proof.Bad, causal.EdgeDraft: proof.Plain}

// edges is the answer of edges: each edge with what was quoted for its verdict.
func (b *builder) edges(a causal.Answer) {
	for _, e := range a.Edges {
		f := proof.Finding{Kind: proof.Edge, Label: e.ID, Text: e.FromVar + " → " + e.ToVar, Verdict: string(e.Status), Tone: edgeTones[e.Status]}
		stand := proof.For
		if e.Status == causal.EdgeRejected {
			stand = proof.Weighed
			f.Decided = append(f.Decided, proof.Decision{Label: plain(e.Rejection.Reason), Tone: proof.Bad, Text: e.Rejection.Detail})
		}
		if e.Status != causal.EdgeDraft && e.Confidence > 0 {
			f.Confidence = &e.Confidence
		}
		if e.Mechanism != "" {
			f.Decided = append(f.Decided, proof.Decision{Label: "mechanism, as drafted", Tone: proof.Plain, Text: e.Mechanism})
		}
		for _, q := range e.Evidence.Quotes {
			f.Quotes = append(f.Quotes, b.quote(q, stand))
		}
		b.add(f)
	}
	for _, c := range a.DAG.Cycles {
		b.note("Left out of the graph", c.Edge, proof.Warn, "it would close a cycle: "+strings.Join(c.Path, " → "))
	}
}

var severityTones = map[extract.Severity]proof.Tone{extract.SeverityCritical: proof.Bad, extract.SeverityHigh: proof.Bad, extract.SeverityMedium: proof.Warn, extract.SeverityLow: proof.Plain}

// fields is the answer of extract: each value with its place in the document.
func (b *builder) fields(a extract.Answer) {
	verdict := "not verified"
	if a.Report.Passed {
		verdict = "verified"
	}
	b.measure("verification", "%s, score %.2f after %s", verdict, a.Report.Score, count(a.Loop.Iterations, "iteration"))
	if a.Loop.Failure != "" {
		b.note("Lost on the way", "", proof.Warn, a.Loop.Failure)
	}
	doc := b.document(a.Document, "", "")
	about := map[string][]string{}
	for _, v := range a.Fields {
		f := proof.Finding{Kind: proof.Field, Label: v.Field, Text: v.Value, Verdict: "not in the document", Tone: proof.Bad, Confidence: &v.Confidence}
		if v.Place == nil && v.Verbatim != v.Value {
			f.Decided = append(f.Decided, proof.Decision{Label: "read as", Tone: proof.Plain, Text: v.Verbatim})
		}
		if len(v.Normalised) > 0 {
			f.Decided = append(f.Decided, proof.Decision{Label: "normalised by", Tone: proof.Plain, Text: plain(strings.Join(v.Normalised, ", "))})
		}
		if p := v.Place; p != nil {
			q := proof.Quote{Stand: proof.For, Doc: doc, Start: p.Start, End: p.End, Text: p.Text, Page: p.Page}
			for _, x := range p.Boxes {
				q.Boxes = append(q.Boxes, proof.Box(x))
			}
			f.Verdict, f.Tone, f.Quotes = "in the document", proof.Good, []proof.Quote{q}
		}
		about[v.Field] = []string{b.add(f).ID}
	}
	for _, i := range a.Report.Issues {
		text := i.Message
		if i.Field != "" {
			text = i.Field + ": " + text
		}
		if i.Suggestion != "" {
			text += "; " + i.Suggestion
		}
		n := b.note("Issues", string(i.Severity), severityTones[i.Severity], text)
		n.About, n.Aside = about[i.Field], i.Severity == extract.SeverityLow
	}
}
