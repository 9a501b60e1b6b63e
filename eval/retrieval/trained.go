package retrieval

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"example.com/assay/eval/metrics"
	"example.com/assay/memory"
	"example.com/assay/memory/index"
	"example.com/assay/memory/learn"
)

// Judged converts the queries of a dataset to training data for a ranker. Of several texts it takes
// the first, which is the whole query.
func (d *Dataset) Judged() []learn.Question {
	out := make([]learn.Question, len(d.Queries))
	for i, q := range d.Queries {
		out[i] = learn.Question{Text: q.Texts[0], Grades: q.Judged}
	}
	return out
}

// Trained ranks each query by a ranker that was not trained on it: the queries are divided
// into folds, and each fold is ranked by a ranker that was trained on the rest.
type Trained struct {
	folds map[string]int // by a query's text
	parts []*Index       // by fold, each with its own ranker
}

// TrainFolds trains a ranker per fold on the index in dir, created by NewIndex. There must be at
// least two folds. Errors are those of [learn.Train] and of opening the index.
func TrainFolds(ctx context.Context, dir string, d *Dataset, folds int, opts *learn.Options) (*Trained, error) {
	return trainFolds(d, folds, opts, func(questions []learn.Question) (*Index, error) {
		x, err := index.Open(dir)
		if err != nil {
			return nil, err
		}
		part := &Index{x, x}
		model, err := learn.Train(ctx, x, questions, opts)
		if err != nil {
			return part, err
		}
		trained, err := model.Trained()
		if err != nil {
			return part, err
		}
		x.Use(trained)
		return part, nil
	})
}

// trainFolds trains a ranker per fold. It closes what train returns, even with an error.
func trainFolds(d *Dataset, folds int, opts *learn.Options, train func([]learn.Question) (*Index, error)) (_ *Trained, err error) {
	questions := d.Judged()
	for _, q := range d.Queries {
		if len(q.Texts) > 1 {
			return nil, fmt.Errorf("training in folds: query %q has several wordings, which other queries may share; ask it with one", q.ID)
		}
	}
	if folds < 2 || folds > len(questions) {
		return nil, fmt.Errorf("training in %d folds: there are %d queries, and at least 2 folds are needed", folds, len(questions))
	}
	dealt := learn.Folds(questions, folds, seedOf(opts))
	t := &Trained{folds: make(map[string]int)}
	for i, q := range questions {
		t.folds[q.Text] = dealt[i]
	}
	for fold := range folds {
		part, err := train(learn.Without(questions, dealt, fold))
		if part != nil {
			t.parts = append(t.parts, part)
		}
		if err != nil {
			return nil, errors.Join(fmt.Errorf("training fold %d of %d: %w", fold+1, folds, err), t.Close())
		}
	}
	return t, nil
}

func seedOf(opts *learn.Options) uint64 {
	if opts == nil {
		return 0
	}
	return opts.Seed
}

// Rank searches as [Index.Rank] does. It returns an error for a query outside of the
// dataset, because any ranker may have been trained on it.
func (t *Trained) Rank(ctx context.Context, query string, k int) ([]Scored, error) {
	fold, ok := t.folds[query]
	if !ok {
		return nil, fmt.Errorf("ranking %q: it is no query of the collection", query)
	}
	return t.parts[fold].Rank(ctx, query, k)
}

// Close releases the index's files.
func (t *Trained) Close() error {
	var err error
	for _, x := range t.parts {
		err = errors.Join(err, x.Close())
	}
	return err
}

// A Trial compares a metric on held-back questions between a corpus's own ranking and the
// rankers that were trained on the other questions.
type Trial struct {
	Name          string
	Before, After float64
	metrics.Difference
}

// Try trains rankers of a corpus in folds and compares each metric at defaultK, fold by fold. The
// corpus and open must have no trained ranker. The error is ltr.ErrNothing if there is nothing to
// learn.
func Try(ctx context.Context, home string, corpus *memory.Corpus, open memory.OpenOptions, d *Dataset, folds int, opts *learn.Options) ([]Trial, error) {
	trained, err := trainFolds(d, folds, opts, func(questions []learn.Question) (*Index, error) {
		model, err := corpus.Train(ctx, questions, opts)
		if err != nil {
			return nil, err
		}
		with := open
		with.Untrained, with.Ranker = false, model
		c, err := memory.OpenWith(home, corpus.Name(), &with)
		if err != nil {
			return nil, err
		}
		return newCorpus(c), nil
	})
	if err != nil {
		return nil, err
	}
	d = d.byFold(folds, opts.Seed)
	run := &EvaluateOptions{Progress: opts.Progress}
	before, err := Evaluate(ctx, d, newCorpus(corpus), run)
	if err != nil {
		return nil, errors.Join(err, trained.Close())
	}
	after, err := Evaluate(ctx, d, trained, run)
	if err = errors.Join(err, trained.Close()); err != nil {
		return nil, err
	}
	out := make([]Trial, len(after.Metrics))
	for i, m := range after.Metrics {
		diff, err := metrics.Paired(after.Values(i), before.Values(i))
		if err != nil {
			return nil, fmt.Errorf("comparing %s: %w", m.Name, err)
		}
		out[i] = Trial{m.Name, before.Metrics[i].Value, m.Value, diff}
	}
	return out, nil
}

// byFold returns the dataset with the queries of one fold together, in their order.
func (d *Dataset) byFold(folds int, seed uint64) *Dataset {
	dealt := learn.Folds(d.Judged(), folds, seed)
	out := *d
	out.Queries = nil
	for fold := range folds {
		out.Queries = slices.Concat(out.Queries, d.Only(func(i int) bool { return dealt[i] == fold }).Queries)
	}
	return &out
}
