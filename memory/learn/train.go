package learn

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"example.com/assay/memory/index"
	"example.com/assay/memory/ltr"
)

// A Question has known answers.
type Question struct {
	Text   string
	Grades map[string]int // passage ID → relevance; missing or ≤ 0: not relevant
}

// relevant lists the ids of the relevant passages, sorted.
func (q Question) relevant() []string {
	out := slices.Sorted(maps.Keys(q.Grades))
	return slices.DeleteFunc(out, func(id string) bool { return q.Grades[id] <= 0 })
}

// Enough is the number of judged questions that training needs. With half of them, gains and losses
// on one corpus were equally likely.
const Enough = 300

// Phases that Train reports.
const (
	PhaseCandidates = "finding candidates"
	PhaseTrain      = "training"
)

// Options say how to train. Nil and the zero value work.
type Options struct {
	Seed uint64 // of random choices; default 1

	// Progress is called during the work, never concurrently. Nil: not called.
	Progress func(phase string, done, total int)
}

// base is the weight of the fused score against the trees: that of a few of them, so that the
// ranking changes only where the trees are sure.
const base = 4.0

// workers find candidates at the same time.
const workers = 2

// Train trains a ranker on judged questions about the passages of an index. Equal
// indexes, questions and seeds give equal models. Errors come from the search, from
// cancellation and from [ltr.Train], such as [ltr.ErrNothing].
func Train(ctx context.Context, x *index.Index, questions []Question, opts *Options) (*Model, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	o.Seed = cmp.Or(o.Seed, 1)
	m := &Model{Version: modelVersion, Features: index.FeatureVersion, Base: base, Seed: o.Seed}
	for _, q := range questions {
		m.Judged = append(m.Judged, index.Judged{Question: q.Text, Passages: q.relevant()})
	}
	groups, err := candidates(ctx, x, questions, m.Judged, o)
	if err != nil {
		return nil, err
	}
	trees := &ltr.Options{Seed: o.Seed}
	if o.Progress != nil {
		trees.Progress = func(done, total int) { o.Progress(PhaseTrain, done, total) }
	}
	if m.Trees, err = ltr.Train(ctx, groups, trees); err != nil {
		return nil, err
	}
	return m, nil
}

// candidates makes a group of examples of each question.
func candidates(ctx context.Context, x *index.Index, questions []Question, judged []index.Judged, o Options) ([]ltr.Group, error) {
	if len(questions) == 0 {
		return nil, errors.New("there are no judged questions to train on")
	}
	lesson := x.Lesson(judged)
	groups := make([]ltr.Group, len(questions))
	var next atomic.Int64
	finished := make(chan struct{}, len(questions)) // never blocks
	work, inner := errgroup.WithContext(ctx)
	for range workers {
		work.Go(func() error {
			for i := int(next.Add(1)) - 1; i < len(questions); i = int(next.Add(1)) - 1 {
				found, err := lesson.Candidates(inner, questions[i].Text, i)
				if err != nil {
					return err
				}
				groups[i] = group(questions[i], found)
				finished <- struct{}{}
			}
			return nil
		})
	}
	failed := make(chan error, 1)
	go func() { failed <- work.Wait(); close(finished) }()
	done := 0
	for range finished {
		if done++; o.Progress != nil {
			o.Progress(PhaseCandidates, done, len(questions))
		}
	}
	if err := <-failed; err != nil {
		return nil, fmt.Errorf("finding candidates: %w", err)
	}
	return groups, nil
}

// group turns the candidates for a question into examples.
func group(q Question, found []index.Candidate) ltr.Group {
	g := ltr.Group{Missed: len(q.relevant())}
	for _, c := range found {
		grade := max(0, q.Grades[c.ID])
		if grade > 0 {
			g.Missed--
		}
		g.Examples = append(g.Examples, ltr.Example{Row: c.Row, Base: base * c.Fused, Grade: grade})
	}
	return g
}

// Folds distributes questions over k folds of nearly equal size and returns the fold of each, 0 to
// k-1. Equal texts get the same fold, so that no question is asked of a ranker trained on it.
func Folds(questions []Question, k int, seed uint64) []int {
	texts := make([]string, len(questions))
	for i, q := range questions {
		texts[i] = q.Text
	}
	slices.Sort(texts)
	texts = slices.Compact(texts)
	rng := rand.New(rand.NewPCG(cmp.Or(seed, 1), 0x666f6c64))
	rng.Shuffle(len(texts), func(i, j int) { texts[i], texts[j] = texts[j], texts[i] })
	fold := make(map[string]int, len(texts))
	for i, t := range texts {
		fold[t] = i % max(1, k)
	}
	out := make([]int, len(questions))
	for i, q := range questions {
		out[i] = fold[q.Text]
	}
	return out
}

// Without returns the questions that are not in a fold.
func Without(questions []Question, folds []int, fold int) []Question {
	var out []Question
	for i, q := range questions {
		if folds[i] != fold {
			out = append(out, q)
		}
	}
	return out
}
