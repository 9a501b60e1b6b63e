package index

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"example.com/assay/memory/retrieval"
	"example.com/assay/state"
)

// trainedDepth is how many of the best candidates a trained ranker orders, and
// how many it is shown when it is trained. What answers the judged questions
// that are most like the question comes on top.
const trainedDepth = 100

// RankerTrained is the name of a trained ranker's score in a hit. It orders
// the hits, and is no summand of the fused score.
const RankerTrained = retrieval.RankerTrained

// A Scorer gives a row of features a score: the higher, the better. Scores of
// one question are compared with each other only.
type Scorer interface {
	Score(row []float64) float64
}

// Trained is a ranker that was trained on judged questions about the corpus.
type Trained struct {
	ID     string // what it is called in a Result
	Scorer Scorer
	Base   float64  // what a fused score counts for beside the scorer's
	Judged []Judged // the questions that it was trained on
}

// trained is a Trained that is ready for use.
type trained struct {
	Trained
	precedents *precedents
}

// A Candidate is a passage that may answer a question, with what a trained
// ranker knows of it.
type Candidate struct {
	ID    string    // of the passage
	Fused float64   // score of the index's own ranking
	Row   []float64 // by FeatureNames
}

// FeatureNames names what is in a row of features.
func FeatureNames() []string {
	out := make([]string, len(featureTable))
	for i, f := range featureTable {
		out[i] = f.name
	}
	return out
}

// Use orders the hits of all later searches by a trained ranker; nil goes back
// to the index's own order. It must not be called while searches run.
// Confidences are still those of the index's own order, for which their curve was set.
func (x *Index) Use(t *Trained) {
	x.trained = nil
	if t != nil {
		x.trained = &trained{Trained: *t, precedents: x.newPrecedents(t.Judged)}
	}
}

// A Lesson computes what a ranker is trained on. Judged are the questions
// that it may know of; it belongs to one index and is safe for concurrent use.
type Lesson struct {
	index      *Index
	precedents *precedents
}

// Lesson prepares judged questions for training.
func (x *Index) Lesson(judged []Judged) *Lesson {
	return &Lesson{index: x, precedents: x.newPrecedents(judged)}
}

// Candidates lists the candidates for a question, best first in the index's
// own order, as a trained ranker is shown them. A question that is one of the
// judged ones gives its number, so that it does not recall itself; others give
// -1. Errors are those of Search.
func (l *Lesson) Candidates(ctx context.Context, question string, number int) ([]Candidate, error) {
	x := l.index
	var out []Candidate
	list := x.terms(question)
	q := retrieval.Query{Primary: question}
	vectors, err := x.queryVectors(ctx, list, q)
	if err == nil && len(list) > 0 && x.store != nil {
		err = x.read(func() error {
			s := x.scratch.Get().(*scratch)
			defer x.scratch.Put(s)
			none := func(int32) bool { return false }
			found, err := x.find(ctx, asked{terms: list, vectors: vectors}, q, none, l.precedents, number, s)
			if err != nil {
				return err
			}
			ranked, rows, err := x.shown(ctx, question, list, found)
			if err != nil {
				return err
			}
			for i, c := range ranked {
				out = append(out, Candidate{ID: x.table.id(c.ord), Fused: c.fused, Row: rows[i]})
			}
			return nil
		})
	}
	if err != nil {
		return nil, fmt.Errorf("searching %q: %w", question, err)
	}
	return out, nil
}

// shown lists the candidates that a trained ranker orders, with their features.
func (x *Index) shown(ctx context.Context, question string, list []string, f *found) ([]candidate, [][]float64, error) {
	ranked := slices.Clone(f.ranked[:min(trainedDepth, len(f.ranked))])
	if f.recalled != nil {
		reached := f.recalled.candidates(func(int32) bool { return false })
		slices.Sort(reached)
		for _, c := range f.ranked[len(ranked):] {
			if _, ok := slices.BinarySearch(reached, c.ord); ok {
				ranked = append(ranked, c)
			}
		}
	}
	rows, err := x.features(ctx, question, list, f.signals, ranked)
	if err != nil {
		return nil, nil, err
	}
	if f.recalled == nil {
		return ranked, rows, nil
	}
	for i, c := range ranked {
		f.recalled.fill(rows[i], c.ord, f.without)
	}
	return ranked, rows, nil
}

// reorder ranks the candidates by the trained ranker; those that it is not
// shown stay behind.
func (x *Index) reorder(ctx context.Context, question string, list []string, f *found) error {
	ranked, rows, err := x.shown(ctx, question, list, f)
	if err != nil {
		return err
	}
	seen := make(map[int32]bool, len(ranked))
	for i := range ranked {
		c := &ranked[i]
		seen[c.ord] = true
		c.trained = x.trained.Base*c.fused + x.trained.Scorer.Score(rows[i])
		c.ordered = true
		if math.IsNaN(c.trained) {
			return fmt.Errorf("ranking with %q: it scored passage %q as no number", x.trained.ID, x.table.id(c.ord))
		}
	}
	slices.SortStableFunc(ranked, func(a, b candidate) int { return cmp.Compare(b.trained, a.trained) })
	for _, c := range f.ranked {
		if !seen[c.ord] {
			ranked = append(ranked, c)
		}
	}
	f.ranked = ranked
	return nil
}

// trainedScore is the score of a hit that a trained ranker placed.
func (c *candidate) trainedScore() []state.Score {
	if !c.ordered {
		return nil
	}
	return []state.Score{{Ranker: RankerTrained, Value: c.trained}}
}

// IDs lists the ids of the passages, sorted.
func (x *Index) IDs() []string {
	out := make([]string, x.table.len())
	for i := range out {
		out[i] = x.table.id(int32(i))
	}
	return out
}

// Has reports whether the index holds a passage.
func (x *Index) Has(id string) bool {
	_, ok := x.table.find(id)
	return ok
}
