package extract

import (
	"cmp"
	"encoding/json"
	"slices"

	"example.com/assay/graph"
	"example.com/assay/nodes/conversation"
	"example.com/assay/nodes/pipeline"
	"example.com/assay/state"
	"example.com/assay/state/proof"
)

// About describes the pipeline.
func About() pipeline.Pipeline {
	return pipeline.Pipeline{
		Name: "extract", Title: "Extract",
		Does:    "reads fields from a document, checks them and keeps the best",
		Offer:   "Read fields from papers",
		About:   "Reads fields from a text, such as the number and the total of an invoice, each with its place in it. A JSON Schema says which.",
		Prompt:  "Read fields from the document below with the tool extract%s; write the JSON Schema for them. Say of each value where it stands, and name fields that the document does not hold.\n\n%s",
		Message: pipeline.Field{Name: "text", Help: "the document", Needed: true, File: true},
		Inputs: []pipeline.Field{
			{Name: "name", Help: "what the document is called", Default: "message"},
			{Name: "layout", Help: "what a reader of the document has found besides its text: blocks, boxes, pages", Schema: `{"type":"object"}`, Inner: true},
		},
		Settings: []pipeline.Field{
			{Name: "schema", Help: "JSON Schema of an object: the fields to read, with types and descriptions", Schema: `{"type":"object"}`, Needed: true},
		},
		Skills: Skills(),
		Proof:  func(answer json.RawMessage) (proof.Proof, error) { return proof.Read(answer, Answer.Proof) },
	}
}

// Instance is the pipeline without the type of its state.
func (p *Pipeline) Instance() pipeline.Instance {
	return pipeline.Of(pipeline.Typed[State]{
		Graph: p.graph,
		Check: func(t conversation.Turn) error { return t.Read(&given{}) },
		Input: func(t conversation.Turn) graph.Update[State] {
			var in given
			_ = t.Read(&in) // Check has read it
			doc := in.Layout.within(t.Text)
			doc.Source, doc.Text = cmp.Or(in.Name, "message"), t.Text
			return Update(doc)
		},
		Answer: func(final State, runErr error, _ pipeline.Library) (pipeline.Answer, error) {
			answer := p.schema.Answer(final, runErr)
			return &answer, nil
		},
	})
}

// given are the further fields of a turn.
type given struct {
	Name   string        `json:"name"`   // of the document
	Layout FieldDocument `json:"layout"` // without its text
}

// Given returns the further fields of a turn that has the text of a document.
func Given(d FieldDocument) (json.RawMessage, error) {
	in := given{Name: d.Source, Layout: d}
	in.Layout.Source, in.Layout.Text = "", ""
	return json.Marshal(in)
}

// within returns a document's layout without what is outside its text: a caller may send anything.
func (d FieldDocument) within(text string) FieldDocument {
	out := func(start, end int) bool { return start < 0 || end < start || end > len(text) }
	d.Boxes = slices.DeleteFunc(d.Boxes, func(b BoxedText) bool { return out(b.Start, b.End) })
	d.Pages = slices.DeleteFunc(d.Pages, func(p PageStart) bool { return out(p.Start, p.Start) })
	d.Blocks = slices.DeleteFunc(d.Blocks, func(b state.Block) bool {
		return out(b.Start, b.End) || slices.ContainsFunc(b.Cells, func(c state.Cell) bool { return c.Start < b.Start || c.End < c.Start || c.End > b.End })
	})
	return d
}
