package comply

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"html/template"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"sync"

	"github.com/spf13/cobra"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/cmd/agent/internal/render"
	"example.com/assay/eval/task"
	"example.com/assay/nodes/evidence"
	"example.com/assay/serve/page/look"
	"example.com/assay/state"
)

// complyBatch asks every question of a file that is not finished in --out.
func complyBatch(a *cli.App, cmd *cobra.Command, flags *config.Flags, f complyFlags) (err error) {
	ctx := cmd.Context()
	questions, err := readQuestions(f.questions)
	if err != nil {
		return err
	}
	if err := makeOut(f.out); err != nil {
		return err
	}
	s, err := config.Resolve(a, cmd, flags)
	if err != nil {
		return err
	}
	files, err := flags.Cassette(cmd)
	if err != nil {
		return err
	}
	c, err := openComplier(ctx, a, s, files, f.modelReview)
	if err != nil {
		return err
	}
	defer func() { err = cli.Also(err, c.Close()) }()
	shown := render.NewBar(a, f.asJSON)
	rows, err := c.askAll(ctx, questions, f, flags, shown)
	if err = errors.Join(err, shown.Close()); err != nil {
		return err
	}
	if err := errors.Join(writeSummaryCSV(f.out, rows), writeSummaryHTML(f.out, rows)); err != nil {
		return fmt.Errorf("writing the summary: %w", err)
	}
	failed, kept, lossy := 0, 0, 0
	for _, r := range rows {
		switch {
		case r.Error != "":
			failed++
			a.Warn("question %s: %s", r.ID, r.Error)
		case r.Lost != "":
			lossy++
			a.Warn("question %s: %s", r.ID, r.Lost)
		}
		if r.kept {
			kept++
		}
	}
	if f.asJSON {
		a.PrintJSON(struct {
			Schema    int          `json:"schema"`
			Out       string       `json:"out"`
			Kept      int          `json:"already_finished"`
			Failed    int          `json:"failed"`
			NotWhole  int          `json:"not_whole"`
			Questions []summaryRow `json:"questions"`
		}{1, f.out, kept, failed, lossy, rows})
	} else {
		fmt.Fprintf(a.Stdout, "%s in %s: %d asked, %d already finished, %d failed; see summary.csv and summary.html there\n",
			cli.Count(len(rows), "question"), f.out, len(rows)-kept, kept, failed)
	}
	if lossy > 0 && !f.asJSON {
		fmt.Fprintf(a.Stdout, "%d incomplete, because calls were lost; the same command asks them again\n", lossy)
	}
	switch {
	case failed > 0:
		return cli.Silent(cli.ExitFailed)
	case lossy > 0:
		return cli.Silent(state.StatusUngrounded.ExitCode())
	}
	return nil
}

// makeOut makes the directory of the audits, and refuses one that cannot be written to before any
// question is asked.
func makeOut(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return cli.Usagef("making --out: %w", err)
	}
	probe, err := os.CreateTemp(dir, ".tmp-*")
	if err != nil {
		return cli.Usagef("--out cannot be written to: %w", err)
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// askAll asks the questions, several at the same time, and returns their rows in order. A
// question that fails has a row with its error; the next run asks it again. A stopped run
// returns an error.
func (c *complier) askAll(ctx context.Context, questions []askedQuestion, f complyFlags, flags *config.Flags, shown *render.Bar) ([]summaryRow, error) {
	rows := make([]summaryRow, len(questions))
	var mu sync.Mutex
	done := 0
	err := task.Together(ctx, len(questions), f.jobs, func(ctx context.Context, i int) error {
		rows[i] = c.askOne(ctx, questions[i], f, flags)
		mu.Lock()
		defer mu.Unlock()
		done++
		shown.Update("asking", done, len(questions))
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("asking the questions of %s: %w; finished questions are in %s, and the same command continues", f.questions, err, f.out)
	}
	return rows, nil
}

func (c *complier) askOne(ctx context.Context, q askedQuestion, f complyFlags, flags *config.Flags) summaryRow {
	in := q.input(f.filter)
	file := filepath.Join(f.out, q.ID+".json")
	if audit, err := readAudit(file); err == nil && c.finished(audit, in) {
		row := rowOf(q, audit, nil)
		row.kept = true
		return row
	}
	ctx, cancel := cli.Within(ctx, flags.Timeout)
	defer cancel()
	audit, err := c.ask(ctx, in, "", nil)
	if err == nil && audit.Status != state.StatusUnavailable {
		if err = writeAudit(file, audit); err != nil {
			audit.End = cli.EndOf(err)
		}
	}
	return rowOf(q, audit, err)
}

// finished reports whether an audit is complete, and has the same question, corpus,
// skills, model and review.
func (c *complier) finished(audit evidence.Audit, in evidence.Input) bool {
	ended := audit.Status == state.StatusAnswered || audit.Status == state.StatusNoEvidence
	return ended && audit.ModelReview == c.modelReview && audit.Question == in.Question && audit.Filter == in.Filter && audit.Corpus == c.Corpus.Name() && audit.Fingerprint == c.Corpus.Fingerprint() && audit.Model == c.ModelLabel() &&
		maps.Equal(audit.Skills, c.Hashes)
}

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
	Lost       string                       `json:"lost,omitempty"` // what the answer lacks because calls were lost
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
		return err
	}
	return cli.WriteFile(filepath.Join(dir, "summary.csv"), b.Bytes(), 0o644)
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
		return err
	}
	return cli.WriteFile(filepath.Join(dir, "summary.html"), b.Bytes(), 0o644)
}
