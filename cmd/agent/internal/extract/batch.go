package extract

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"sync"

	"example.com/assay/cmd/agent/internal/batch"
	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/cmd/agent/internal/render"
	"example.com/assay/eval/task"
	"example.com/assay/graph"
	"example.com/assay/llm/offline"
	"example.com/assay/nodes/extract"
)

// A readDocument is the result of one document.
type readDocument struct {
	key    string
	answer extract.Answer
	err    error // of the run; the answer also has it
	kept   bool  // from an earlier run
}

// fatal reports whether the result of a document ends the reading of all.
func (d readDocument) fatal(ctx context.Context, docs int) bool {
	return d.err != nil && (ctx.Err() != nil || docs == 1 || d.answer.Status == "")
}

// all reads documents, several at the same time, and returns their answers in order.
// With --out, results.jsonl keeps each answer as soon as it and those before it are
// there, and a document that it holds is not read again. The error is the one that
// stopped the run, or that of a single document; the answers are then those up to it.
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
	waiting := map[int]readDocument{} // for those before them
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
			case !next.kept && finished(next.answer): // the next run tries the others again
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
	if failure == nil && len(answers) < len(docs) { // it was stopped between two
		failure = stopped
	}
	return answers, cli.Also(failure, writeTable(r.flags.out, r.schema, answers))
}

// runIDs makes the ids of n runs, in order: who runs first must not decide.
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

// jobs is how many documents are read at the same time. More than the allowed concurrent
// calls, or than processors for the offline model, would only wait.
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
