package ranking

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"example.com/assay/memory/retrieval"
)

// trainedDepth is how many of the best candidates a trained ranker orders, and
// how many it is shown when it is trained. What answers the judged questions
// that are most like the question comes on top.
const trainedDepth = 100

// A Trained ranker was trained on judged questions about the corpus.
type Trained struct {
	ID         string
	Score      func(row []float64) float64
	Base       float64 // what a fused score counts for beside the ranker's own
	Precedents *Precedents
}

// Lesson calls each for the candidates for a question, best first, with what a trained
// ranker is shown of them. number is that of the question among the precedents, or -1.
func (x *Corpus) Lesson(ctx context.Context, a Asked, question string, known *Precedents, number int, each func(ord int32, fused float64, row []float64)) error {
	s := x.scratch.Get().(*scratch)
	defer x.scratch.Put(s)
	f, err := x.find(ctx, a, retrieval.Query{Primary: question}, func(int32) bool { return false }, known, number, s)
	if err != nil {
		return err
	}
	ranked, rows, err := x.shown(ctx, question, a.Terms, f)
	if err != nil {
		return err
	}
	for i, c := range ranked {
		each(c.ord, c.fused, rows[i])
	}
	return nil
}

// shown lists the candidates that a trained ranker orders, with their features.
func (x *Corpus) shown(ctx context.Context, question string, list []string, f *found) ([]candidate, [][]float64, error) {
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
func (x *Corpus) reorder(ctx context.Context, question string, list []string, f *found) error {
	ranked, rows, err := x.shown(ctx, question, list, f)
	if err != nil {
		return err
	}
	seen := make(map[int32]bool, len(ranked))
	for i := range ranked {
		c := &ranked[i]
		seen[c.ord] = true
		c.trained = x.Trained.Base*c.fused + x.Trained.Score(rows[i])
		c.ordered = true
		if math.IsNaN(c.trained) {
			return fmt.Errorf("ranking with %q: it scored passage %q as no number", x.Trained.ID, x.Table.ID(c.ord))
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
