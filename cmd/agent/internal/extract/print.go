package extract

import (
	"bytes"
	"cmp"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"github.com/mattn/go-runewidth"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/render"
	"example.com/assay/nodes/extract"
)

// printFields prints the fields of a document for people: a table of field, value,
// confidence and place, then the issues.
func printFields(a *cli.App, answer extract.Answer) {
	fmt.Fprintf(a.Stdout, "%s\n\n", render.Visible(answer.Document))
	printTable(a, answer)
	fmt.Fprintln(a.Stdout)
	for _, i := range answer.Report.Issues {
		if i.Severity == extract.SeverityLow && !a.Verbose {
			continue
		}
		fmt.Fprintf(a.Stdout, "%-8s  %s: %s; %s\n", i.Severity, render.Visible(i.Field), render.OneLine(render.Visible(i.Message)), render.Visible(i.Suggestion))
	}
	fmt.Fprintln(a.Stdout, extractLine(answer))
	render.End(a, answer.End)
}

const widestValue = 60 // columns of a value

func printTable(a *cli.App, answer extract.Answer) {
	rows := [][]string{{"field", "value", "confidence", "place"}}
	for _, v := range answer.Fields {
		rows = append(rows, []string{render.Visible(v.Field), runewidth.Truncate(render.OneLine(render.Visible(v.Value)), widestValue, "…"), fmt.Sprintf("%.2f", v.Confidence), placeInWords(v.Place)})
	}
	var widths [4]int
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], runewidth.StringWidth(cell))
		}
	}
	for _, row := range rows {
		for i := range row[:3] {
			row[i] = runewidth.FillRight(row[i], widths[i])
		}
		fmt.Fprintln(a.Stdout, strings.TrimRight(strings.Join(row, "  "), " "))
	}
}

// placeInWords says where a value was read.
func placeInWords(p *extract.Place) string {
	if p == nil {
		return "not in the document"
	}
	out := fmt.Sprintf("bytes %d–%d", p.Start, p.End)
	if p.Page > 0 {
		out = fmt.Sprintf("page %d, %s", p.Page, out)
	}
	if len(p.Boxes) > 0 {
		b := p.Boxes[0]
		out += fmt.Sprintf(", box %d,%d–%d,%d", b.X1, b.Y1, b.X2, b.Y2)
		if n := len(p.Boxes) - 1; n > 0 {
			out += fmt.Sprintf(" and %d more", n)
		}
	}
	return out
}

// extractLine is the score of an extraction, its verdict and its effort.
func extractLine(answer extract.Answer) string {
	verdict := "not verified: " + cli.Count(len(answer.Report.Issues), "issue")
	if answer.Report.Passed {
		verdict = "verified"
	}
	line := fmt.Sprintf("%s %.2f score · %s · %s, %s", render.Gauge(answer.Report.Score), answer.Report.Score, verdict, cli.Count(answer.Loop.Iterations, "iteration"), cli.Count(answer.Loop.ModelCalls, "model call"))
	if answer.Loop.Failure != "" {
		line += " · " + render.Visible(answer.Loop.Failure)
	}
	return line
}

// printFieldSummary prints the results of many documents.
func printFieldSummary(a *cli.App, schema *extract.Schema, answers []extract.Answer, out string) {
	passed := 0
	for _, answer := range answers {
		if answer.Report.Passed {
			passed++
		}
		if out == "" {
			printFields(a, answer)
			fmt.Fprintln(a.Stdout)
		}
	}
	fmt.Fprintf(a.Stdout, "%s, %d verified\n\n%-24s  %7s  %7s  %7s\n", cli.Count(len(answers), "document"), passed, "field", "found", "missing", "issues")
	for _, s := range summarise(schema, answers) {
		fmt.Fprintf(a.Stdout, "%-24s  %7d  %7d  %7d\n", s.Field, s.Found, s.Missing, s.Issues)
	}
	if out != "" {
		fmt.Fprintf(a.Stdout, "\nresults: %s\n", out)
	}
}

var fieldPage = template.Must(template.New("page").Parse(`<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Fields</title>
<style>
body { font: 15px/1.5 sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem }
pre { white-space: pre-wrap; border: 1px solid #ccc; padding: 1rem; unicode-bidi: plaintext }
mark { background: #ffe58a } mark sup { color: #555; font: 10px sans-serif }
table { border-collapse: collapse } td, th { border: 1px solid #ccc; padding: .2rem .5rem; text-align: left }
svg { max-width: 100%; max-height: 90vh; border: 1px solid #ccc } text { font-family: sans-serif }
</style>
{{range .}}<h1>{{.Name}}</h1>
<p>{{.Line}}</p>
<table><tr><th>field<th>value<th>confidence<th>place</tr>
{{range .Fields}}<tr><td>{{.Field}}<td dir="auto">{{.Value}}<td>{{.Confidence}}<td>{{.Place}}</tr>
{{end}}</table>
<ul>{{range .Issues}}<li>{{.Severity}} {{.Field}}: {{.Message}}; {{.Suggestion}}</li>
{{end}}</ul>
{{if .Boxes}}<svg viewBox="0 0 {{.Width}} {{.Height}}">{{range .Boxes}}<rect x="{{.X}}" y="{{.Y}}" width="{{.W}}" height="{{.H}}" fill="{{if .Marked}}#ffe58a{{else}}none{{end}}"/><text x="{{.X}}" y="{{.Base}}" font-size="{{.Size}}" textLength="{{.W}}" lengthAdjust="spacingAndGlyphs">{{.Text}}</text>{{end}}</svg>
{{end}}<pre>{{range .Parts}}{{if .Field}}<mark title="{{.Field}}">{{.Text}}<sup>{{.Field}}</sup></mark>{{else}}{{.Text}}{{end}}{{end}}</pre>
{{end}}</html>
`))

type shownDocument struct {
	Name, Line    string
	Fields        []shownField
	Issues        []extract.Issue
	Parts         []shownPart
	Boxes         []shownBox
	Width, Height int
}

type shownField struct{ Field, Value, Confidence, Place string }

// A shownPart is a run of text, marked when it is a field's.
type shownPart struct{ Text, Field string }

type shownBox struct {
	X, Y, W, H, Base, Size int
	Text                   string
	Marked                 bool
}

// writeFieldPage writes a page that shows each document with its values marked.
func writeFieldPage(path string, docs []extract.Document, answers []extract.Answer) error {
	var list []shownDocument
	for i, answer := range answers {
		s := shownDocument{Name: answer.Document, Line: extractLine(answer), Issues: answer.Report.Issues, Parts: marked(docs[i].Text, answer.Fields)}
		for _, v := range answer.Fields {
			s.Fields = append(s.Fields, shownField{v.Field, v.Value, fmt.Sprintf("%.2f", v.Confidence), placeInWords(v.Place)})
		}
		for _, b := range docs[i].Boxes {
			isMarked := slices.ContainsFunc(answer.Fields, func(v extract.FieldValue) bool {
				return v.Place != nil && b.Start < v.Place.End && v.Place.Start < b.End
			})
			high := max(b.Box.Y2-b.Box.Y1, 1)
			s.Boxes = append(s.Boxes, shownBox{X: b.Box.X1, Y: b.Box.Y1, W: max(b.Box.X2-b.Box.X1, 1), H: high, Base: b.Box.Y2 - high/5, Size: high * 4 / 5, Text: docs[i].Text[b.Start:b.End], Marked: isMarked})
			s.Width, s.Height = max(s.Width, b.Box.X2+20), max(s.Height, b.Box.Y2+20)
		}
		list = append(list, s)
	}
	var b bytes.Buffer
	if err := fieldPage.Execute(&b, list); err != nil {
		return fmt.Errorf("writing --html: %w", err)
	}
	if err := cli.WriteFile(path, b.Bytes(), 0o644); err != nil {
		return cli.Usagef("writing --html: %w", err)
	}
	return nil
}

// marked cuts a text at the places of its fields. Of places that overlap the
// first is marked.
func marked(text string, fields []extract.FieldValue) []shownPart {
	fields = slices.DeleteFunc(slices.Clone(fields), func(v extract.FieldValue) bool { return v.Place == nil })
	slices.SortStableFunc(fields, func(a, b extract.FieldValue) int { return cmp.Compare(a.Place.Start, b.Place.Start) })
	var out []shownPart
	last := 0
	for _, v := range fields {
		if v.Place.Start < last || v.Place.End > len(text) {
			continue
		}
		out = append(out, shownPart{Text: text[last:v.Place.Start]}, shownPart{v.Place.Text, v.Field})
		last = v.Place.End
	}
	return append(out, shownPart{Text: text[last:]})
}
