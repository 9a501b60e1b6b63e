package index

import (
	"context"
	"fmt"

	"example.com/assay/memory/index/internal/ranking"
	"example.com/assay/memory/retrieval"
)

// FeatureVersion changes whenever a feature means something else than before.
// A ranker that was trained on other features must not be used.
const FeatureVersion = ranking.FeatureVersion

// FeatureNames names what is in a row of features.
func FeatureNames() []string { return ranking.FeatureNames() }

// A Judged question is one of which a person has marked the passages that answer it.
type Judged = ranking.Judged

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

// A Candidate is a passage that may answer a question, with what a trained
// ranker knows of it.
type Candidate struct {
	ID    string    // of the passage
	Fused float64   // score of the index's own ranking
	Row   []float64 // by FeatureNames
}

// Use orders the hits of all later searches by a trained ranker; nil goes back
// to the index's own order. It must not be called while searches run.
// Confidences are still those of the index's own order, for which their curve was set.
func (x *Index) Use(t *Trained) {
	x.corpus.Trained = nil
	if t != nil {
		x.corpus.Trained = &ranking.Trained{ID: t.ID, Score: t.Scorer.Score, Base: t.Base, Precedents: x.corpus.NewPrecedents(t.Judged)}
	}
}

// A Lesson computes what a ranker is trained on. Judged are the questions
// that it may know of; it belongs to one index and is safe for concurrent use.
type Lesson struct {
	index      *Index
	precedents *ranking.Precedents
}

// Lesson prepares judged questions for training.
func (x *Index) Lesson(judged []Judged) *Lesson {
	return &Lesson{index: x, precedents: x.corpus.NewPrecedents(judged)}
}

// Candidates lists the candidates for a question, best first in the index's
// own order, as a trained ranker is shown them. A question that is one of the
// judged ones gives its number, so that it does not recall itself; others give
// -1. Errors are those of Search.
func (l *Lesson) Candidates(ctx context.Context, question string, number int) ([]Candidate, error) {
	x := l.index
	a := ranking.Asked{Terms: x.corpus.Reader.Terms(question)}
	if len(a.Terms) == 0 {
		return nil, nil
	}
	var out []Candidate
	var err error
	if a.Vectors, err = x.queryVectors(ctx, retrieval.Query{Primary: question}); err == nil {
		err = x.read(func() error {
			return x.corpus.Lesson(ctx, a, question, l.precedents, number, func(ord int32, fused float64, row []float64) {
				out = append(out, Candidate{ID: x.gen.table.ID(ord), Fused: fused, Row: row})
			})
		})
	}
	if err != nil {
		return nil, fmt.Errorf("searching %q: %w", question, err)
	}
	return out, nil
}

// IDs lists the ids of the passages, sorted.
func (x *Index) IDs() []string {
	out := make([]string, x.gen.table.Len())
	for i := range out {
		out[i] = x.gen.table.ID(int32(i))
	}
	return out
}

// Has reports whether the index holds a passage.
func (x *Index) Has(id string) bool {
	_, ok := x.gen.table.Find(id)
	return ok
}
