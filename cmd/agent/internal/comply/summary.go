package comply

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"fmt"
	"html/template"
	"path/filepath"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/render"
	"example.com/assay/nodes/evidence"
	"example.com/assay/state"
)

// A summaryRow is a question in the summary.
type summaryRow struct {
	ID         string                       `json:"id"`
	Question   string                       `json:"question"`
	Status     state.Status                 `json:"status"`
	Result     string                       `json:"result"`
	Grounding  evidence.GroundingConfidence `json:"grounding_confidence"`
	Verified   int                          `json:"requirements_verified"`
	Statements int                          `json:"statements"`
	Missing    int                          `json:"missing_evidence"`
	Answer     string                       `json:"answer"`
	Audit      string                       `json:"audit"` // file name in --out; empty when it failed
	Error      string                       `json:"error,omitempty"`
	Lost       string                       `json:"lost,omitempty"` // what is missing from the answer because calls were lost
	kept       bool                         // from an earlier run
}

func rowOf(q askedQuestion, audit evidence.Audit, err error) summaryRow {
	row := summaryRow{ID: q.ID, Question: q.Question, Status: audit.Status}
	if err = cli.Told(audit.End, err); err != nil && !cli.IsSilent(err) {
		row.Error = err.Error()
		return row
	}
	if len(audit.Losses) > 0 {
		row.Lost = audit.Words()
	}
	row.Result, row.Grounding, row.Answer, row.Audit = audit.Result, audit.Grounding, audit.Final, q.ID+".json"
	row.Verified, row.Statements, row.Missing = len(audit.Verified), len(audit.Statements), len(audit.Missing)
	return row
}

func writeSummaryCSV(dir string, rows []summaryRow) error {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	list := [][]string{{"id", "question", "result", "grounding_confidence", "requirements_verified", "statements", "missing_evidence", "answer", "audit", "error", "status"}}
	for _, r := range rows {
		list = append(list, []string{r.ID, render.Cell(r.Question), r.Result, string(r.Grounding), fmt.Sprint(r.Verified), fmt.Sprint(r.Statements), fmt.Sprint(r.Missing), render.Cell(r.Answer), r.Audit, render.Cell(cmp.Or(r.Error, r.Lost)), string(r.Status)})
	}
	if err := w.WriteAll(list); err != nil {
		return fmt.Errorf("writing the summary: %w", err)
	}
	if err := cli.WriteFile(filepath.Join(dir, "summary.csv"), b.Bytes(), 0o644); err != nil {
		return fmt.Errorf("writing the summary: %w", err)
	}
	return nil
}

var summaryPage = template.Must(template.New("summary").Parse(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Compliance questions</title>
<style>body{font:15px/1.45 system-ui,sans-serif;margin:2em}table{border-collapse:collapse}th,td{border:1px solid #bbb;padding:.4em .6em;text-align:left;vertical-align:top}pre{white-space:pre-wrap;margin:0;font:inherit}</style>
</head><body><h1>Compliance questions</h1>
<table><thead><tr><th>Id</th><th>Question</th><th>Result</th><th>Grounding</th><th>Verified</th><th>Answer</th><th>Audit</th></tr></thead><tbody>
{{range .}}<tr><td>{{.ID}}</td><td>{{.Question}}</td><td>{{if .Error}}failed: {{.Error}}{{else}}{{.Result}}{{end}}{{if .Lost}}: {{.Lost}}{{end}}</td><td>{{.Grounding}}</td><td>{{.Verified}}</td><td><pre>{{.Answer}}</pre></td><td>{{if .Audit}}<a href="{{.Audit}}">{{.Audit}}</a>{{end}}</td></tr>
{{end}}</tbody></table></body></html>
`))

func writeSummaryHTML(dir string, rows []summaryRow) error {
	var b bytes.Buffer
	if err := summaryPage.Execute(&b, rows); err != nil {
		return fmt.Errorf("writing the summary: %w", err)
	}
	if err := cli.WriteFile(filepath.Join(dir, "summary.html"), b.Bytes(), 0o644); err != nil {
		return fmt.Errorf("writing the summary: %w", err)
	}
	return nil
}
