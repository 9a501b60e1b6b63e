package index

import (
	"context"
	"errors"
	"math"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"example.com/assay/memory/retrieval"
)

// calibrationVersion changes with the evidence that a confidence is made of
// or the way its distribution is learnt.
const calibrationVersion = 2

// A Calibration turns what a search found into a confidence by a logistic
// curve, 1/(1+exp(-(PerSimilarity·similarity + PerStrength·strength +
// Offset))). Both factors are positive: more evidence never lowers a
// confidence. It is learnt when the embedder is.
type Calibration struct {
	Version       int          `json:"version"` // of what it is learnt from
	PerSimilarity float64      `json:"per_similarity"`
	PerStrength   float64      `json:"per_strength"`
	Offset        float64      `json:"offset"`
	Held          Distribution `json:"held"`     // pseudo-questions that the corpus answers
	NotHeld       Distribution `json:"not_held"` // pseudo-questions that it does not answer
	Accuracy      float64      `json:"accuracy"` // share of both whose confidence is on their side of .5; 0 without any
}

// A Distribution says what the pseudo-questions of a kind found. Where it and
// that of the other kind overlap, confidences are not to be relied on.
type Distribution struct {
	Questions  int       `json:"questions"`
	Similarity Quantiles `json:"similarity"`
	Strength   Quantiles `json:"strength"`
	Confidence Quantiles `json:"confidence"`
}

// Quantiles are the values that 5, 25, 50, 75 and 95 % of a sample do not
// exceed.
type Quantiles [5]float64

// middle is evidence that leaves it open whether the corpus holds what was
// asked, where the corpus itself does not say otherwise.
var middle = evidence{similarity: .52, strength: .71}

// prior is the curve that a corpus with little to say gets, set by design and
// checked on public collections; sd is how far one with more may leave it,
// least what its factors never fall below.
var (
	prior = curve{9, 15, 0}
	sd    = curve{2, 3, .5}
	least = curve{1, 1, math.Inf(-1)}
)

// classWeight is the most observations that a class of questions counts for.
const classWeight = 20.0

func (c Calibration) confidence(e evidence) float64 {
	if e.similarity <= 0 {
		return 0
	}
	return logistic(c.PerSimilarity*e.similarity + c.PerStrength*e.strength + c.Offset)
}

func logistic(z float64) float64 { return 1 / (1 + math.Exp(-z)) }

// calibrate asks the corpus its pseudo-questions and fits the curve.
func (x *Index) calibrate(ctx context.Context, progress func(done, total int) error) (Calibration, error) {
	questions, err := x.pseudoQuestions(ctx)
	if err != nil {
		return Calibration{}, err
	}
	questions, vectors, err := x.embedQuestions(ctx, questions)
	if err != nil {
		return Calibration{}, err
	}
	found, err := x.askAll(ctx, questions, vectors, progress)
	if err != nil {
		return Calibration{}, err
	}
	return fitCalibration(questions, found), nil
}

// askAll returns the evidence for each of the questions. They are asked on all processors, and
// each passage is read and taken apart once: many questions find the same.
func (x *Index) askAll(ctx context.Context, questions []pseudo, vectors [][]float32, progress func(done, total int) error) ([]evidence, error) {
	if x.store != nil {
		source := x.store
		x.store = &readOnce{source: source, shingles: kept[map[string]struct{}]{most: mostShingles}}
		defer func() { x.store = source }()
	}
	found := make([]evidence, len(questions))
	each, ctx := errgroup.WithContext(ctx)
	each.SetLimit(runtime.GOMAXPROCS(0))
	for i, q := range questions {
		if i%50 == 0 {
			if err := progress(i, len(questions)); err != nil {
				return nil, errors.Join(err, each.Wait())
			}
		}
		each.Go(func() (err error) {
			a := asked{terms: q.terms}
			if vectors != nil {
				a.vectors = vectors[i : i+1]
			}
			found[i], err = x.ask(ctx, q, a)
			return err
		})
	}
	if err := each.Wait(); err != nil {
		return nil, err
	}
	return found, progress(len(questions), len(questions))
}

// ask returns the evidence that is found for a pseudo-question.
func (x *Index) ask(ctx context.Context, q pseudo, a asked) (evidence, error) {
	var skip func(int32) bool
	if q.without >= 0 {
		skip = func(ord int32) bool { return x.table.doc(ord) == q.without }
	}
	var found retrieval.Result
	err := guarded(func() (err error) {
		found, err = x.searchTerms(ctx, a, retrieval.Query{}, skip)
		return err
	})
	return evidence{similarity: found.Similarity, strength: found.Strength}, err
}

// fitCalibration is a logistic regression with both classes weighted alike
// and a Gaussian prior on the curve, so that a corpus that makes few
// questions, or questions that are easy to tell apart, gets a curve near the
// usual one.
func fitCalibration(questions []pseudo, found []evidence) Calibration {
	var held, others []evidence
	for i, q := range questions {
		if q.held {
			held = append(held, found[i])
		} else {
			others = append(others, found[i])
		}
	}
	k := fitCurve(append(observations(held, true), observations(others, false)...))
	c := Calibration{
		Version: calibrationVersion, PerSimilarity: k[0], PerStrength: k[1],
		Offset: k[2] - k[0]*middle.similarity - k[1]*middle.strength,
	}
	right := 0
	for i, q := range questions {
		if (c.confidence(found[i]) >= .5) == q.held {
			right++
		}
	}
	c.Accuracy = float64(right) / float64(max(1, len(questions)))
	c.Held, c.NotHeld = c.distribution(held), c.distribution(others)
	return c
}

// observations are what one class of questions tells the fit.
func observations(found []evidence, held bool) []observation {
	out := make([]observation, len(found))
	weight := min(1, classWeight/float64(len(found)))
	for i, e := range found {
		out[i] = observation{x: curve{e.similarity - middle.similarity, e.strength - middle.strength, 1}, weight: weight, held: held}
	}
	return out
}

func (c Calibration) distribution(found []evidence) Distribution {
	return Distribution{
		Questions:  len(found),
		Similarity: quantiles(found, func(e evidence) float64 { return e.similarity }),
		Strength:   quantiles(found, func(e evidence) float64 { return e.strength }),
		Confidence: quantiles(found, c.confidence),
	}
}

func quantiles(found []evidence, value func(evidence) float64) (q Quantiles) {
	values := make([]float64, len(found))
	for i, e := range found {
		values[i] = value(e)
	}
	slices.Sort(values)
	if len(values) == 0 {
		return q
	}
	for i, percent := range []int{5, 25, 50, 75, 95} {
		q[i] = rounded(values[(percent*len(values)+99)/100-1])
	}
	return q
}
