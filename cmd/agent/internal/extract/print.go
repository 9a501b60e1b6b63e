package extract

import (
	"fmt"
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

// extractLine is the mean confidence of the values, the verdict and the effort. The score is
// left out: it orders iterations, and its range says nothing to a reader.
func extractLine(answer extract.Answer) string {
	verdict := "not verified: " + cli.Count(len(answer.Report.Issues), "issue")
	if answer.Report.Passed {
		verdict = "verified"
	}
	line := fmt.Sprintf("%s %.2f confidence · %s · %s, %s", render.Gauge(answer.Report.Confidence), answer.Report.Confidence, verdict, cli.Count(answer.Loop.Iterations, "iteration"), cli.Count(answer.Loop.ModelCalls, "model call"))
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
