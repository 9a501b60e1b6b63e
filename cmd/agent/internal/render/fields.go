package render

import (
	"bytes"
	"encoding/csv"
	"slices"
	"strconv"
	"strings"

	"example.com/assay/nodes/extract"
)

// FieldTable is a table of documents as CSV: a row for each, a column for each field. The values of a
// list are joined by " | ". A value that the document does not contain is left out, unless a person gave
// it: corrected has such values of each document by their paths, for a further column; nil for none.
func FieldTable(schema *extract.Schema, answers []extract.Answer, corrected []map[string]string) ([]byte, error) {
	head := []string{"document", "status", "passed", "confidence"}
	for _, f := range schema.Fields {
		head = append(head, Cell(f.Path))
	}
	rows := [][]string{append(head, "issues")}
	if corrected != nil {
		rows[0] = append(rows[0], "corrected")
	}
	for i, a := range answers {
		row := []string{Cell(a.Document), string(a.Status), strconv.FormatBool(a.Report.Passed), strconv.FormatFloat(a.Report.Confidence, 'f', 3, 64)}
		var given []string
		for _, f := range schema.Fields {
			var values []string
			for _, v := range a.Fields {
				has := false
				if corrected != nil {
					_, has = corrected[i][v.Field]
				}
				if f.Is(v.Field) && (has || v.Place != nil) {
					values = append(values, v.Value)
				}
			}
			value := strings.Join(values, " | ")
			if _, err := strconv.ParseFloat(value, 64); err != nil { // numbers, also negative ones, stay as they are
				value = Cell(value)
			}
			row = append(row, value)
		}
		var issues []string
		for _, i := range a.Report.Issues {
			if i.Severity.Rank() <= extract.SeverityMedium.Rank() {
				issues = append(issues, strings.TrimSpace(i.Field+" "+string(i.Kind)))
			}
		}
		row = append(row, Cell(strings.Join(issues, "; ")))
		if corrected != nil {
			for path := range corrected[i] {
				given = append(given, path)
			}
			slices.Sort(given)
			row = append(row, Cell(strings.Join(given, "; ")))
		}
		rows = append(rows, row)
	}
	var b bytes.Buffer
	err := csv.NewWriter(&b).WriteAll(rows)
	return b.Bytes(), err
}
