package extract

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/render"
	"example.com/assay/nodes/extract"
	"example.com/assay/state"
)

// finished reports whether a document was read to its end, with or without values, and no
// call was lost.
func finished(a extract.Answer) bool {
	return len(a.Losses) == 0 && (a.Status == state.StatusAnswered || a.Status == state.StatusUngrounded || a.Status == state.StatusNoEvidence)
}

// writeTable writes fields.csv into dir, if there is one: a row for each document, a
// column for each field. The values of a list are joined by " | ".
func writeTable(dir string, schema *extract.Schema, answers []extract.Answer) error {
	if dir == "" {
		return nil
	}
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	head := []string{"document", "status", "passed", "confidence"}
	for _, f := range schema.Fields {
		head = append(head, f.Path)
	}
	rows := [][]string{append(head, "issues")}
	for _, a := range answers {
		row := []string{render.Cell(a.Document), string(a.Status), strconv.FormatBool(a.Report.Passed), strconv.FormatFloat(a.Report.Confidence, 'f', 3, 64)}
		for _, f := range schema.Fields {
			value := strings.Join(valuesOf(a, f.Path), " | ")
			if _, err := strconv.ParseFloat(value, 64); err != nil { // numbers, also negative ones, stay as they are
				value = render.Cell(value)
			}
			row = append(row, value)
		}
		var issues []string
		for _, i := range a.Report.Issues {
			if i.Severity.Rank() <= extract.SeverityMedium.Rank() {
				issues = append(issues, strings.TrimSpace(i.Field+" "+string(i.Kind)))
			}
		}
		rows = append(rows, append(row, strings.Join(issues, "; ")))
	}
	if err := w.WriteAll(rows); err != nil {
		return fmt.Errorf("writing fields.csv: %w", err)
	}
	if err := cli.WriteFile(filepath.Join(dir, "fields.csv"), b.Bytes(), 0o644); err != nil {
		return fmt.Errorf("writing fields.csv: %w", err)
	}
	return nil
}

// valuesOf returns the values of a field of the schema that are in the document. Those of
// a list are in order.
func valuesOf(a extract.Answer, path string) []string {
	var out []string
	for _, v := range extract.InDocument(a.Fields) {
		if isOf(v.Field, path) {
			out = append(out, v.Value)
		}
	}
	return out
}

// isOf reports whether a field, with its indices, belongs to a path of the schema.
func isOf(field, path string) bool {
	head, rest, listed := strings.Cut(path, "[]")
	if !listed {
		return field == path
	}
	after, ok := strings.CutPrefix(field, head+"[")
	_, tail, closed := strings.Cut(after, "]")
	return ok && closed && tail == rest
}

// A fieldSummary counts a field's values and issues in many documents.
type fieldSummary struct {
	Field   string `json:"field"`
	Found   int    `json:"found"`   // documents with a value
	Missing int    `json:"missing"` // documents without one
	Issues  int    `json:"issues"`  // issues of MEDIUM and more
}

// summarise lists fields, those with the most issues first.
func summarise(schema *extract.Schema, answers []extract.Answer) []fieldSummary {
	out := make([]fieldSummary, len(schema.Fields))
	for i, f := range schema.Fields {
		out[i].Field = f.Path
		for _, a := range answers {
			if len(valuesOf(a, f.Path)) > 0 {
				out[i].Found++
			} else {
				out[i].Missing++
			}
			for _, issue := range a.Report.Issues {
				if (issue.Field == f.Path || isOf(issue.Field, f.Path)) && issue.Severity.Rank() <= extract.SeverityMedium.Rank() {
					out[i].Issues++
				}
			}
		}
	}
	slices.SortStableFunc(out, func(a, b fieldSummary) int { return (b.Issues + b.Missing) - (a.Issues + a.Missing) })
	return out
}
