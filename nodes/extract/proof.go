package extract

import (
	"fmt"
	"strings"

	"example.com/assay/state/proof"
)

var severityTones = map[Severity]proof.Tone{SeverityCritical: proof.Bad, SeverityHigh: proof.Bad, SeverityMedium: proof.Warn, SeverityLow: proof.Plain}

// Proof is an answer in the form of all pipelines: each value with its place in the
// document.
func (a Answer) Proof() proof.Proof {
	b := proof.New(a.Answer, a.Answer.Answer)
	b.Result = a.Result
	verdict := "not verified"
	if a.Report.Passed {
		verdict = "verified"
	}
	m := b.Measure("verification", "%s, confidence %.2f", verdict, a.Report.Confidence)
	m.Phrase, m.Usual = fmt.Sprintf("%s, confidence %.2f", verdict, a.Report.Confidence), a.Report.Passed
	effort := proof.Count(a.Loop.Iterations, "iteration") + ", " + proof.Count(a.Loop.ModelCalls, "model call")
	m = b.Measure("effort", "%s", effort)
	m.Phrase, m.Usual = effort, true
	if a.Loop.Failure != "" {
		b.Note("Lost on the way", "", proof.Warn, a.Loop.Failure)
	}
	doc := b.Document(a.Document, "", "")
	about := map[string][]string{}
	for _, v := range a.Fields {
		f := proof.Finding{Kind: proof.Field, Label: v.Field, Text: v.Value, Verdict: "not in the document", Tone: proof.Bad, Confidence: &v.Confidence}
		if v.Place == nil && v.Verbatim != v.Value {
			f.Decided = append(f.Decided, proof.Decision{Label: "read as", Tone: proof.Plain, Text: v.Verbatim})
		}
		if len(v.Normalised) > 0 {
			f.Decided = append(f.Decided, proof.Decision{Label: "normalised by", Tone: proof.Plain, Text: proof.Words(strings.Join(v.Normalised, ", "))})
		}
		if p := v.Place; p != nil {
			q := proof.Quote{Stand: proof.For, Doc: doc, Start: p.Start, End: p.End, Text: p.Text, Page: p.Page}
			for _, x := range p.Boxes {
				q.Boxes = append(q.Boxes, proof.Box(x))
			}
			f.Verdict, f.Tone, f.Quotes = "in the document", proof.Good, []proof.Quote{q}
		}
		about[v.Field] = []string{b.Add(f).ID}
	}
	for _, i := range a.Report.Issues {
		text := i.Message
		if i.Field != "" {
			text = i.Field + ": " + text
		}
		if i.Suggestion != "" {
			text += "; " + i.Suggestion
		}
		n := b.Note("Issues", string(i.Severity), severityTones[i.Severity], text)
		n.About, n.Aside = about[i.Field], i.Severity == SeverityLow
	}
	return b.Proof
}

// Content is a document as an extraction read it, with the boxes of its text.
func Content(d FieldDocument) proof.Content {
	c := proof.Content{Text: d.Text, Held: true}
	for _, b := range d.Boxes {
		c.Pieces = append(c.Pieces, proof.Piece{Start: b.Start, End: b.End, Page: d.PageAt(b.Start), Box: proof.Box(b.Box)})
	}
	return c
}
