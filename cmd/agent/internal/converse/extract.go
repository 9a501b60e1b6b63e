package converse

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/render"
	"example.com/assay/graph"
	"example.com/assay/nodes/extract"
	"example.com/assay/serve/conversation"
)

// A toExtract is what a caller may give beside a document.
type toExtract struct {
	Name string `json:"name"` // of the document
}

// anySchema makes the graph where no schema is known yet.
const anySchema = `{"type":"object","properties":{"value":{"type":"string"}}}`

// CheckSchema says what is wrong with the schema of an extraction.
func CheckSchema(schema json.RawMessage) error {
	_, err := schemaOf(schema)
	return err
}

func schemaOf(data json.RawMessage) (*extract.Schema, error) {
	schema, err := extract.ParseSchema(data)
	if err != nil {
		return nil, fmt.Errorf("reading the schema: %w", err)
	}
	return schema, nil
}

// Extract reads the fields of a JSON Schema from the text of a message. Without a schema
// every turn is refused.
func Extract(d Desk, schema json.RawMessage) (graph.App, error) {
	given := len(schema) > 0
	if !given {
		schema = json.RawMessage(anySchema)
	}
	fields, err := schemaOf(schema)
	if err != nil {
		return graph.App{}, err
	}
	p, err := d.Extract(fields, nil)
	if err != nil {
		return graph.App{}, err
	}
	return appOf("extract", conversation.Pipeline[extract.State]{
		Graph: p.Graph(),
		Check: func(t conversation.Turn) error {
			if !given {
				return errors.New(`which fields is not known: choose a JSON Schema (context: {"schema": {"type": "object", "properties": …}}), for example by an assistant of your own`)
			}
			return strictly(t.Input, &toExtract{})
		},
		Ask: func(t conversation.Turn) graph.Update[extract.State] {
			var in toExtract
			_ = strictly(t.Input, &in) // Check has read it
			return extract.Update(extract.FieldDocument{Source: cmp.Or(in.Name, "message"), Text: t.Text})
		},
		Reply: func(final extract.State) conversation.Reply {
			answer := fields.Answer(final, nil)
			answer.Model = d.ModelLabel()
			return fieldsOf(answer).done(d, answer, nil)
		},
	})
}

// fieldsOf is the fields of a document as a message: a table, and the result in JSON.
func fieldsOf(a extract.Answer) *reply {
	r := &reply{}
	if len(a.Fields) > 0 {
		r.printf("| Field | Value | Confidence | Read |\n|---|---|---|---|\n")
	}
	for _, v := range a.Fields {
		r.printf("| %s | %s | %.2f | ", cell(v.Field), cell(v.Value), v.Confidence)
		if p := v.Place; p != nil {
			r.quote(cell(p.Text), conversation.Citation{Title: a.Document, Doc: a.Document, CitedText: p.Text, Start: p.Start, End: p.End})
			r.printf(" bytes %d–%d |\n", p.Start, p.End)
		} else {
			r.printf("not in the document |\n")
		}
	}
	for _, i := range a.Report.Issues {
		r.paragraph()
		r.printf("%s, %s: %s; %s", i.Severity, render.Line(i.Field), render.Line(i.Message), render.Line(i.Suggestion))
	}
	if len(a.Result) > 0 && string(a.Result) != "null" {
		r.paragraph()
		r.printf("```json\n%s\n```", a.Result)
	}
	verdict := "not verified: " + cli.Count(len(a.Report.Issues), "issue")
	if a.Report.Passed {
		verdict = "verified"
	}
	r.ended(a.Answer)
	r.note(fmt.Sprintf("score %.2f · %s · model %s", a.Report.Score, verdict, a.Model))
	return r
}

// cell is a text in a table.
func cell(s string) string { return strings.ReplaceAll(render.Line(s), "|", `\|`) }
