package comply

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/cmd/agent/internal/render"
	"example.com/assay/memory/text"
	"example.com/assay/nodes/evidence"
	"example.com/assay/state"
)

// An asked question is a row of --questions.
type askedQuestion struct {
	ID         string           `json:"id"`
	Question   string           `json:"question"`
	Topic      string           `json:"topic"`
	Section    string           `json:"section"`
	Category   string           `json:"category"`
	SourceType state.SourceType `json:"source_type"`

	meant string // of a line without a question: what its field may have meant
}

// input is what is asked; what a row leaves out is as the flags say.
func (q askedQuestion) input(flags state.ComplyFilter) evidence.Input {
	or := func(own, general string) string {
		if own != "" {
			return own
		}
		return general
	}
	return evidence.Input{Question: q.Question, Filter: state.ComplyFilter{
		Topic: or(q.Topic, flags.Topic), Section: or(q.Section, flags.Section), Category: or(q.Category, flags.Category),
		SourceType: state.SourceType(or(string(q.SourceType), string(flags.SourceType))),
	}}
}

// questionFields are the columns of a CSV file of questions, and the fields of a
// line of JSON that are read.
var questionFields = []string{"id", "question", "topic", "section", "category", "source_type"}

// safeID is what an id may look like, as the name of a file.
var safeID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)

// readQuestions reads --questions. Errors name the file and the line.
func readQuestions(path string) ([]askedQuestion, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, cli.Usagef("reading --questions: %w", err)
	}
	if !utf8.Valid(data) {
		return nil, cli.Usagef("%s is not valid UTF-8 at byte %d", path, cli.InvalidAt(string(data)))
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	var list []askedQuestion
	var lines []int
	switch ext := strings.ToLower(filepath.Ext(path)); ext {
	case ".csv":
		list, lines, err = questionRows(path, data)
	case ".jsonl":
		list, lines, err = questionLines(path, data)
	default:
		return nil, cli.Usagef("%s ends with %q: --questions reads .csv and .jsonl", path, ext)
	}
	if err != nil {
		return nil, err
	}
	seen := map[string]int{}
	for i := range list {
		q := &list[i]
		q.Question = strings.TrimSpace(q.Question)
		if q.ID == "" {
			q.ID = fmt.Sprintf("q%04d", i+1)
		}
		switch first := seen[strings.ToLower(q.ID)]; {
		case !safeID.MatchString(q.ID):
			return nil, cli.Usagef("%s:%d: id is %q: it must be letters, digits, '.', '_' and '-', at most 100", path, lines[i], q.ID)
		case q.ID == "summary":
			return nil, cli.Usagef("%s:%d: id %q is the name of the summary; choose another", path, lines[i], q.ID)
		case first > 0:
			return nil, cli.Usagef("%s:%d: id %q is that of line %d, too", path, lines[i], q.ID, first)
		case q.SourceType != "" && q.SourceType != state.Statute && q.SourceType != state.Policy:
			return nil, cli.Usagef("%s:%d: source_type is %q; known: statute, policy", path, lines[i], q.SourceType)
		}
		seen[strings.ToLower(q.ID)] = lines[i]
		if q.Question == "" {
			return nil, cli.Usagef("%s:%d: field question is missing or empty%s", path, lines[i], q.meant)
		}
		if err := cli.CheckQuestion(q.Question, complyExample); err != nil {
			return nil, cli.Usagef("%s:%d: question: %w", path, lines[i], err)
		}
	}
	if len(list) == 0 {
		return nil, cli.Usagef("%s holds no question", path)
	}
	return list, nil
}

func questionRows(path string, data []byte) ([]askedQuestion, []int, error) {
	r := csv.NewReader(bytes.NewReader(data))
	r.FieldsPerRecord = -1
	head, err := r.Read()
	switch {
	case errors.Is(err, io.EOF):
		return nil, nil, cli.Usagef("%s is empty: its first line must name the columns, of which one is question", path)
	case err != nil:
		return nil, nil, cli.Usagef("%s: reading its head: %w", path, err)
	}
	column := map[string]int{}
	for i, name := range head {
		name = strings.ToLower(strings.TrimSpace(name))
		if !slices.Contains(questionFields, name) {
			return nil, nil, cli.Usagef("%s:1: column %q%s; known: %s", path, name, text.DidYouMean(name, questionFields), strings.Join(questionFields, ", "))
		}
		if _, twice := column[name]; twice {
			return nil, nil, cli.Usagef("%s:1: column %q is there twice", path, name)
		}
		column[name] = i
	}
	if _, ok := column["question"]; !ok {
		return nil, nil, cli.Usagef("%s:1: there is no column question", path)
	}
	var out []askedQuestion
	var lines []int
	for {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			return out, lines, nil
		}
		if bad, ok := errors.AsType[*csv.ParseError](err); ok {
			return nil, nil, cli.Usagef("%s:%d: the row that begins here is not CSV: %w", path, bad.StartLine, bad.Err)
		}
		if err != nil {
			return nil, nil, cli.Usagef("reading %s: %w", path, err)
		}
		line, _ := r.FieldPos(0)
		if len(row) > len(head) {
			return nil, nil, cli.Usagef("%s:%d: the row has %d fields and the head %d", path, line, len(row), len(head))
		}
		field := func(name string) string {
			if i, ok := column[name]; ok && i < len(row) {
				return strings.TrimSpace(row[i])
			}
			return ""
		}
		out = append(out, askedQuestion{
			ID: field("id"), Question: field("question"), Topic: field("topic"), Section: field("section"), Category: field("category"),
			SourceType: state.SourceType(field("source_type")),
		})
		lines = append(lines, line)
	}
}

func questionLines(path string, data []byte) ([]askedQuestion, []int, error) {
	var out []askedQuestion
	var lines []int
	for i, line := range bytes.Split(data, []byte("\n")) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var q askedQuestion
		err := json.Unmarshal(line, &q)
		switch kind, ok := errors.AsType[*json.UnmarshalTypeError](err); {
		case ok && kind.Field != "":
			return nil, nil, cli.Usagef("%s:%d: field %s is not text: it is of type %s", path, i+1, kind.Field, kind.Value)
		case ok:
			return nil, nil, cli.Usagef("%s:%d: the line is not a JSON object: it is of type %s", path, i+1, kind.Value)
		case err != nil:
			return nil, nil, cli.Usagef("%s:%d: the line is not a JSON object: %w", path, i+1, err)
		}
		if q.Question == "" {
			q.meant = meantQuestion(line)
		}
		out, lines = append(out, q), append(lines, i+1)
	}
	return out, lines, nil
}

// meantQuestion names the field of a line that may have been meant for question.
func meantQuestion(line []byte) string {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(line, &fields); err != nil {
		return "" // the line was read before, as an object
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if name != "question" && text.DidYouMean(name, []string{"question"}) != "" {
			return fmt.Sprintf("; %q is no field of questions: did you mean \"question\"?", name)
		}
	}
	return ""
}

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
		return err
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
		fmt.Fprintf(a.Stdout, "%s in %s: %d asked, %d were finished already, %d failed; see summary.csv and summary.html there\n",
			cli.Count(len(rows), "question"), f.out, len(rows)-kept, kept, failed)
	}
	if lossy > 0 && !f.asJSON {
		fmt.Fprintf(a.Stdout, "%d not whole, since calls were lost; the same command asks again\n", lossy)
	}
	switch {
	case failed > 0:
		return cli.Silent(cli.ExitFailed)
	case lossy > 0:
		return cli.Silent(state.StatusUngrounded.ExitCode())
	}
	return nil
}

// makeOut makes the directory of the audits, and refuses one that nothing can be
// written to before anything is asked.
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

// A summaryRow is a question in the summary.
type summaryRow struct {
	ID         string                    `json:"id"`
	Question   string                    `json:"question"`
	Status     state.Status              `json:"status"`
	Result     string                    `json:"result"`
	Grounding  state.GroundingConfidence `json:"grounding_confidence"`
	Verified   int                       `json:"requirements_verified"`
	Statements int                       `json:"statements"`
	Missing    int                       `json:"missing_evidence"`
	Answer     string                    `json:"answer"`
	Audit      string                    `json:"audit"` // file name in --out; empty when it failed
	Error      string                    `json:"error,omitempty"`
	Lost       string                    `json:"lost,omitempty"` // what is missing from the answer, since calls were lost
	kept       bool                      // from an earlier run
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

// askAll asks the questions, some at once, and returns their rows in order. A
// question that fails is a row with its error, and is asked again the next time; a
// run that is stopped is an error.
func (c *complier) askAll(ctx context.Context, questions []askedQuestion, f complyFlags, flags *config.Flags, shown *render.Bar) ([]summaryRow, error) {
	rows := make([]summaryRow, len(questions))
	next := make(chan int)
	var mu sync.Mutex
	done := 0
	var wg sync.WaitGroup
	for range min(f.jobs, len(questions)) {
		wg.Go(func() {
			for i := range next {
				rows[i] = c.askOne(ctx, questions[i], f, flags)
				mu.Lock()
				done++
				shown.Update("asking", done, len(questions))
				mu.Unlock()
			}
		})
	}
	for i := range questions {
		select {
		case next <- i:
		case <-ctx.Done():
		}
	}
	close(next)
	wg.Wait()
	if ctx.Err() != nil {
		return nil, fmt.Errorf("asking the questions of %s: %w; what is finished is in %s, and the same command goes on", f.questions, context.Cause(ctx), f.out)
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

// finished reports whether an audit is whole and of the same question, asked of the
// same corpus with the same skills and model, and reviewed by the same.
func (c *complier) finished(audit evidence.Audit, in evidence.Input) bool {
	ended := audit.Status == state.StatusAnswered || audit.Status == state.StatusNoEvidence
	return ended && audit.ModelReview == c.modelReview && audit.Question == in.Question && audit.Filter == in.Filter && audit.Corpus == c.Corpus.Name() && audit.Fingerprint == c.Corpus.Fingerprint() && audit.Model == c.ModelLabel() &&
		maps.Equal(audit.Skills, c.Hashes)
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
