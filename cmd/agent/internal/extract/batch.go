package extract

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"example.com/assay/cmd/agent/internal/batch"
	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/cmd/agent/internal/render"
	"example.com/assay/eval/task"
	"example.com/assay/graph"
	"example.com/assay/llm/offline"
	"example.com/assay/nodes/extract"
	"example.com/assay/state"
)

// A readDocument is the result of one document.
type readDocument struct {
	key    string
	answer extract.Answer
	err    error // of the run; the answer says it, too
	kept   bool  // from an earlier run
}

// fatal reports whether the result of a document stops the run.
func (d readDocument) fatal(ctx context.Context, docs int) bool {
	return d.err != nil && (ctx.Err() != nil || docs == 1 || d.answer.Status == "")
}

// all reads documents, several at the same time, and returns their answers in order. With --out,
// results.jsonl keeps an answer as soon as all earlier documents are finished, and a document
// with a kept answer is not read again. An error stopped the run, or is that of a single
// document; the answers are then the answers up to it.
func (r *fieldReader) all(ctx context.Context, docs []extract.Document) (answers []extract.Answer, err error) {
	kept, err := batch.OpenJournal[extract.Answer](r.flags.out, "results.jsonl", "agent extract")
	if err != nil {
		return nil, err
	}
	defer func() { err = cli.Also(err, kept.Close()) }()
	bar := render.NewBar(r.Desk.App, r.flags.asJSON || len(docs) == 1)
	defer func() { err = cli.Also(err, bar.Close()) }()
	ids, noID := r.runIDs(len(docs))
	var mu sync.Mutex
	waiting := map[int]readDocument{} // finished before earlier documents
	n := 0
	var failure error
	take := func(i int, d readDocument) error {
		mu.Lock()
		defer mu.Unlock()
		n++
		bar.Update("extracting", n, len(docs))
		for waiting[i] = d; failure == nil; {
			at := len(answers)
			next, ok := waiting[at]
			if !ok {
				break
			}
			delete(waiting, at)
			if next.answer.Status != "" {
				answers = append(answers, next.answer)
			}
			switch {
			case next.fatal(ctx, len(docs)):
				failure = next.err
			case !next.kept && finished(next.answer): // the next run reads the others again
				if failure = kept.Add(next.key, next.answer); failure != nil {
					failure = fmt.Errorf("%s: %w", next.answer.Document, failure)
				}
			}
		}
		return failure
	}
	stopped := task.Together(ctx, len(docs), r.jobs(), func(work context.Context, i int) error {
		d := readDocument{key: r.key(docs[i])}
		switch d.answer, d.kept = kept.Find(d.key); {
		case d.kept:
		case noID != nil:
			d.err = noID
		default:
			shown := render.NewProgress(r.Desk.App, r.flags.asJSON || len(docs) > 1)
			d.answer, d.err = r.one(work, ids[i], docs[i], func(ev graph.Event[json.RawMessage]) { render.Observe(shown, ev) })
			shown.Close()
		}
		return take(i, d)
	})
	if failure == nil && len(answers) < len(docs) { // it was stopped between two documents
		failure = stopped
	}
	return answers, cli.Also(failure, writeTable(r.flags.out, r.schema, answers))
}

// runIDs makes the ids of n runs before any starts, so that a document's id does not depend on the
// order in which runs start.
func (r *fieldReader) runIDs(n int) ([]string, error) {
	ids := make([]string, n)
	for i := range ids {
		var err error
		if ids[i], err = open.NewRunID(r.Now(), r.Random); err != nil {
			return ids, err
		}
	}
	return ids, nil
}

// jobs is the number of documents that are read at the same time. The default is the number of
// allowed concurrent calls or, for the offline model, of processors: more would only wait.
func (r *fieldReader) jobs() int {
	switch {
	case r.flags.trace != "":
		return 1
	case r.flags.jobs > 0:
		return r.flags.jobs
	case r.Settings.Model == offline.Name:
		return runtime.GOMAXPROCS(0)
	}
	return cmp.Or(r.Limits.Concurrency, 1)
}

// finished reports whether a document was read to its end, with or without values, and without a
// lost call.
func finished(a extract.Answer) bool {
	return len(a.Losses) == 0 && (a.Status == state.StatusAnswered || a.Status == state.StatusUngrounded || a.Status == state.StatusNoEvidence)
}

// writeTable writes fields.csv into dir, if there is one.
func writeTable(dir string, schema *extract.Schema, answers []extract.Answer) error {
	if dir == "" {
		return nil
	}
	data, err := render.FieldTable(schema, answers, nil)
	if err == nil {
		err = cli.WriteFile(filepath.Join(dir, "fields.csv"), data, 0o644)
	}
	if err != nil {
		return fmt.Errorf("writing fields.csv: %w", err)
	}
	return nil
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
			if slices.ContainsFunc(extract.InDocument(a.Fields), func(v extract.FieldValue) bool { return f.Is(v.Field) }) {
				out[i].Found++
			} else {
				out[i].Missing++
			}
			for _, issue := range a.Report.Issues {
				if (issue.Field == f.Path || f.Is(issue.Field)) && issue.Severity.Rank() <= extract.SeverityMedium.Rank() {
					out[i].Issues++
				}
			}
		}
	}
	slices.SortStableFunc(out, func(a, b fieldSummary) int { return (b.Issues + b.Missing) - (a.Issues + a.Missing) })
	return out
}
