package comply

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"fmt"
	"html/template"
	"net/url"
	"path/filepath"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/render"
	"example.com/assay/nodes/evidence"
	"example.com/assay/serve/page/look"
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

var summaryPage = look.Parse(template.FuncMap{"escaped": url.PathEscape}, `{{define "body"}}<section><div class="scroll" tabindex="0" role="region" aria-label="The questions and their answers"><table class="rows">
<caption class="hidden">The questions and their answers</caption>
<thead><tr><th scope="col">Id</th><th scope="col">Question</th><th scope="col">Result</th><th scope="col">Grounding</th><th scope="col" class="n">Verified</th><th scope="col">Answer</th><th scope="col">Audit</th></tr></thead>
<tbody>{{range .Rows}}<tr><th scope="row" dir="auto">{{.ID}}</th><td dir="auto">{{.Question}}</td><td dir="auto">{{if .Error}}<span class="badge bad">failed</span> {{.Error}}{{else}}<span class="badge {{tone .Status}}">{{.Result}}</span>{{end}}{{with .Lost}} {{.}}{{end}}</td><td>{{with .Grounding}}<span class="badge {{tone .}}">{{.}}</span>{{end}}</td><td class="n">{{.Verified}}</td><td class="question" dir="auto">{{.Answer}}</td><td>{{with .Audit}}<a href="{{escaped .}}" dir="auto">{{.}}</a>{{end}}</td></tr>
{{end}}</tbody></table></div></section>{{end}}`)

func writeSummaryHTML(dir string, rows []summaryRow) error {
	heading := cli.Count(len(rows), "compliance question")
	var b bytes.Buffer
	if err := look.Write(&b, summaryPage, struct {
		Frame look.Frame
		Rows  []summaryRow
	}{look.Frame{Title: heading, Heading: heading, Eyebrow: "Assay · comply", Full: true, Foot: "Written by agent comply."}, rows}); err != nil {
		return fmt.Errorf("writing the summary: %w", err)
	}
	if err := cli.WriteFile(filepath.Join(dir, "summary.html"), b.Bytes(), 0o644); err != nil {
		return fmt.Errorf("writing the summary: %w", err)
	}
	return nil
}
