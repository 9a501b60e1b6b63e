package extract_test

import (
	"fmt"
	"strings"
	"testing"

	"example.com/assay/nodes/extract"
	"example.com/assay/state"
)

// A drawn field becomes one of the schema, in the order of the drawing; names are made harmless.
func TestDraw(t *testing.T) {
	raw, err := extract.Draw("Bill", []extract.Drawn{
		{Name: "Invoice No.", Required: true}, {Name: "Due", Kind: "date", About: "the last day"}, {Name: " "}, {Name: "Rows / Unit price", Kind: "money"},
		{Name: `a"}<b>`, Kind: "whole number"}, {Name: "Rows / Qty", Kind: "number"}, {Name: "Preis für Öl"},
	})
	if err != nil {
		t.Fatal(err)
	}
	s, err := extract.ParseSchema(raw)
	if err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	var got []string
	for _, f := range s.Fields {
		got = append(got, strings.TrimRight(fmt.Sprint(f.Path, " ", f.Type, " ", f.Format, " ", f.Required, " ", f.Description), " "))
	}
	want := "invoice_no string  true|due string date false the last day|rows[].unit_price number currency false|rows[].qty number  false|a_b integer  false|preis_für_öl string  false"
	if text := strings.Join(got, "|"); text != want {
		t.Errorf("got  %s\nwant %s", text, want)
	}
	for name, list := range map[string][]extract.Drawn{
		"no field has a name": {{Name: "…"}}, "two fields are called “A b”": {{Name: "a-b"}, {Name: "A b"}}, "without a column": {{Name: "Rows /"}}, "no kind of field": {{Name: "a", Kind: "moon"}}, "two fields are called “rows”": {{Name: "rows"}, {Name: "rows / a"}},
	} {
		if _, err := extract.Draw("", list); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// The labels with a value and the columns of tables are proposed once, with the kind of their value.
func TestPropose(t *testing.T) {
	text := "No: A-7\nDate: 3 May 2026\nTotal: GBP 1,240.40\nShare: 20 %\nPhone: 01555 700 118\nMail: a@b.example\nName: ____\nPaid: 12\n"
	doc := extract.FieldDocument{Text: text}
	for at := 0; at < len(text); {
		end := at + strings.IndexByte(text[at:], '\n')
		label, value, _ := strings.Cut(text[at:end], ": ")
		doc.Blocks = append(doc.Blocks, state.Block{Kind: state.BlockField, Start: at, End: end, Label: label, Cells: []state.Cell{{Start: end - len(value), End: end}}})
		at = end + 1
	}
	doc.Blocks = append(doc.Blocks, state.Block{Kind: state.BlockRow, Cells: []state.Cell{{Header: "Unit", Start: 4, End: 7}}}, state.Block{Kind: state.BlockRow, Cells: []state.Cell{{Header: "Unit", Start: 4, End: 7}}}, state.Block{Kind: state.BlockRow, Cells: []state.Cell{{Header: "Room", Start: 4, End: 7}}}, doc.Blocks[0])
	var got []string
	for _, p := range extract.Propose(doc, doc) {
		got = append(got, p.Name+"="+p.Kind)
	}
	if text := strings.Join(got, "|"); text != "No=text|Date=date|Total=money|Share=percent|Phone=phone|Mail=email|Paid=number|Items / Unit=text|Items 2 / Room=text" {
		t.Error(text)
	}
}

// A correction takes the place of what was read, in the form of its field, with its place if the document
// has it as a whole word. What was read besides stays, and the rules look again.
func TestCorrect(t *testing.T) {
	s, err := extract.ParseSchema([]byte(`{"type":"object","required":["name"],"properties":{"name":{"type":"string"},"day":{"type":"string","format":"date"},"total":{"type":"number","x-check":"total == net + tax"},"net":{"type":"number"},"tax":{"type":"number"},"rows":{"type":"array","items":{"type":"object","properties":{"n":{"type":"integer"}}}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	doc := extract.FieldDocument{Text: "Annual report of Ann\n3 May 2025\nnet 5 tax 1 total 6, 15 pages\n"}
	place := func(text string) *extract.Place {
		at := strings.Index(doc.Text, text)
		return &extract.Place{Start: at, End: at + len(text), Text: text}
	}
	a := extract.Answer{Fields: []extract.FieldValue{{Field: "net", Value: "15", Confidence: 1, Place: place("15")}, {Field: "tax", Value: "1", Confidence: 1, Place: place("1 t")}, {Field: "total", Value: "7", Confidence: 1}}}
	got := s.Correct(doc, a, map[string]string{"name": "Ann", "day": "2025-05-03", "net": "5", "total": "6", "rows[0].n": "999", "none": "x", "rows[].n": "1"})
	var list []string
	for _, v := range got.Fields {
		at := "-"
		if v.Place != nil {
			at = fmt.Sprint(v.Place.Start, v.Place.Text)
		}
		list = append(list, v.Field+"="+v.Value+"@"+at)
	}
	if text := strings.Join(list, "|"); text != "name=Ann@17Ann|day=2025-05-03@213 May 2025|total=6@506|net=5@365|tax=1@421 t|rows[0].n=999@-" {
		t.Error(text)
	}
	if string(got.Result) != `{"name":"Ann","day":"2025-05-03","total":6,"net":5,"tax":1,"rows":[{"n":999}]}` {
		t.Errorf("%s", got.Result)
	}
	for _, i := range got.Report.Issues {
		if i.Kind == extract.IssueArithmetic || i.Kind == extract.IssueMissing {
			t.Errorf("%+v", i)
		}
	}
	if again := s.Correct(doc, got, map[string]string{"name": " "}); again.Report.Passed || again.Fields[0].Field != "day" {
		t.Errorf("%+v", again)
	}
}

// A schema nested too deeply is refused before a validator spends minutes on it.
func TestDeepSchema(t *testing.T) {
	_, err := extract.ParseSchema([]byte(strings.Repeat(`{"type":"object","properties":{"a":`, 3000) + `{}` + strings.Repeat("}}", 3000)))
	if err == nil || !strings.Contains(err.Error(), "nested deeper than 200 levels") {
		t.Error(err)
	}
}
