package retrieval

import (
	"context"
	"errors"
	"fmt"

	"example.com/assay/memory/index"
	"example.com/assay/memory/learn"
)

// Judged are the queries of a dataset as a ranker is trained on them: of several
// texts, the first, which is the whole of it.
func (d *Dataset) Judged() []learn.Question {
	out := make([]learn.Question, len(d.Queries))
	for i, q := range d.Queries {
		out[i] = learn.Question{Text: q.Texts[0], Grades: q.Judged}
	}
	return out
}

// Trained ranks each query by a ranker that was trained on the others: the
// queries are dealt out into folds, and those of a fold are ranked by what was
// trained on the rest.
type Trained struct {
	folds map[string]int // by a query's text
	parts []*index.Index // the index, once per fold, each with its own ranker
}

// TrainFolds trains a ranker per fold on the index in dir, which NewIndex
// made. There must be at least two folds. The errors are those of
// [learn.Train] and of opening the index.
func TrainFolds(ctx context.Context, dir string, d *Dataset, folds int, opts *learn.Options) (_ *Trained, err error) {
	questions := d.Judged()
	for _, q := range d.Queries {
		if len(q.Texts) > 1 {
			return nil, fmt.Errorf("training in folds: query %q has several wordings, which other queries may share; ask it with one", q.ID)
		}
	}
	if folds < 2 || folds > len(questions) {
		return nil, fmt.Errorf("training in %d folds: there are %d queries, and at least 2 folds are needed", folds, len(questions))
	}
	var seed uint64
	if opts != nil {
		seed = opts.Seed
	}
	dealt := learn.Folds(questions, folds, seed)
	t := &Trained{folds: make(map[string]int)}
	defer func() {
		if err != nil {
			err = errors.Join(err, t.Close())
		}
	}()
	for i, q := range questions {
		t.folds[q.Text] = dealt[i]
	}
	for fold := range folds {
		x, err := index.Open(dir)
		if err != nil {
			return nil, fmt.Errorf("training in folds: %w", err)
		}
		t.parts = append(t.parts, x)
		model, err := learn.Train(ctx, x, learn.Without(questions, dealt, fold), opts)
		if err != nil {
			return nil, fmt.Errorf("training fold %d of %d: %w", fold+1, folds, err)
		}
		trained, err := model.Trained()
		if err != nil {
			return nil, fmt.Errorf("training fold %d of %d: %w", fold+1, folds, err)
		}
		x.Use(trained)
	}
	return t, nil
}

// Rank searches as [Index.Rank] does. A query that is none of the dataset's is
// an error: there is no saying which rankers were trained on it.
func (t *Trained) Rank(ctx context.Context, query string, k int) ([]Scored, error) {
	fold, ok := t.folds[query]
	if !ok {
		return nil, fmt.Errorf("ranking %q: it is no query of the collection", query)
	}
	return (&Index{index: t.parts[fold]}).Rank(ctx, query, k)
}

// Close releases the index's files.
func (t *Trained) Close() error {
	var err error
	for _, x := range t.parts {
		err = errors.Join(err, x.Close())
	}
	return err
}
