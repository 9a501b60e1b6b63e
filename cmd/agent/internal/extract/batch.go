package extract

import (
	"cmp"
	"context"
	"runtime"
	"sync"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/cmd/agent/internal/render"
	"example.com/assay/graph"
	"example.com/assay/llm/offline"
	"example.com/assay/nodes/extract"
)

// A readDocument is what became of one document.
type readDocument struct {
	i      int
	key    string
	answer extract.Answer
	err    error // of the run; the answer says it, too
	kept   bool  // from an earlier run
}

// fatal reports whether what became of a document ends the reading of all.
func (d readDocument) fatal(ctx context.Context, docs int) bool {
	return d.err != nil && (ctx.Err() != nil || docs == 1 || d.answer.Status == "")
}

// all reads documents, some at once, and returns their answers in order. With --out
// what was read before is not read again, and each is kept, in order, as soon as
// it and those before it are read. The error is that of a run that was stopped, or
// of a single document; the answers are then those up to it.
func (r *fieldReader) all(ctx context.Context, docs []extract.Document) (answers []extract.Answer, err error) {
	kept, err := r.openKept()
	if err != nil {
		return nil, err
	}
	defer func() { err = cli.Also(err, kept.close()) }()
	bar := render.NewBar(r.Desk.App, r.flags.asJSON || len(docs) == 1)
	defer func() { err = cli.Also(err, bar.Close()) }()
	work, stop := context.WithCancel(ctx)
	defer stop()
	waiting := map[int]readDocument{} // for those before them
	n := 0
	var failure error
	for d := range r.read(work, docs, kept) {
		n++
		bar.Update("extracting", n, len(docs))
		for waiting[d.i] = d; failure == nil; {
			next, ok := waiting[len(answers)]
			if !ok {
				break
			}
			delete(waiting, next.i)
			if next.answer.Status != "" {
				answers = append(answers, next.answer)
			}
			switch {
			case next.fatal(ctx, len(docs)):
				failure = next.err
			case !next.kept:
				failure = kept.add(next.key, next.answer)
			}
		}
		if failure != nil {
			stop() // what still runs is not waited for longer than it takes to stop
		}
	}
	if failure == nil && len(answers) < len(docs) { // it was stopped between two
		failure = context.Cause(ctx)
	}
	return answers, cli.Also(failure, kept.table(r.schema, answers))
}

// read reads documents in parallel, and tells what became of each. The channel is
// closed when nothing runs any more; it must be read until then.
func (r *fieldReader) read(ctx context.Context, docs []extract.Document, kept *keptResults) <-chan readDocument {
	shown := render.NewProgress(r.Desk.App, r.flags.asJSON || len(docs) > 1)
	watch := func(ev graph.Event[extract.State]) { render.Observe(shown, ev) }
	done, next := make(chan readDocument), make(chan readDocument)
	ids := make([]string, len(docs))
	var failed error
	for i := range docs { // in order: who runs first must not decide
		if ids[i], failed = open.NewRunID(r.Now(), r.Random); failed != nil {
			break
		}
	}
	var wg sync.WaitGroup
	for range min(r.jobs(), len(docs)) {
		wg.Go(func() {
			for d := range next {
				switch old, ok := kept.find(d.key); {
				case ok:
					d.answer, d.kept = old, true
				case failed != nil:
					d.err = failed
				default:
					d.answer, d.err = r.one(ctx, ids[d.i], docs[d.i], watch)
				}
				done <- d
			}
		})
	}
	go func() {
		defer close(done)
		defer shown.Close()
		for i, doc := range docs {
			select {
			case next <- readDocument{i: i, key: r.key(doc)}:
			case <-ctx.Done():
			}
		}
		close(next)
		wg.Wait()
	}()
	return done
}

// jobs is how many documents are read at once. More than calls may run at once, or
// than there are processors for the offline model, would only wait.
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
