package extract

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"example.com/assay/decide/fields"
	"example.com/assay/eval/train/linear"
	"example.com/assay/memory/text/values"
	"example.com/assay/nodes/extract"
	"example.com/assay/skills"
)

// A recipe has the parameters of fitting a ranker: the weight of the penalty, the rounds over the
// documents, and the least number of documents with a feature.
type recipe struct {
	ridge  float64
	rounds int
	least  int
}

var recipes = map[string]recipe{
	fields.KindCompany: {.5, 15, 5}, fields.KindAddress: {.05, 10, 2}, fields.KindTotal: {2, 15, 5},
}

// A Training has the candidates of a collection, computed once for any number of fits.
type Training struct {
	kinds  map[string]*lists
	groups []string // of the documents
}

// lists are the candidates of one kind of field, by document, with their features as numbers.
type lists struct {
	names []string
	docs  [][]ranked
}

type ranked struct {
	key      string
	features []int32
	right    bool
}

// Prepare makes the candidates of every document for the kinds of fields that are
// trained. The fields are found by the names of the kinds.
func Prepare(ctx context.Context, d *Dataset) (*Training, error) {
	t := &Training{kinds: map[string]*lists{}}
	for _, item := range d.Items {
		t.groups = append(t.groups, item.Group)
	}
	for _, kind := range fields.Kinds() {
		l := &lists{}
		ids := map[string]int32{}
		for _, item := range d.Items {
			if err := context.Cause(ctx); err != nil {
				return nil, err
			}
			var doc []ranked
			for _, c := range fields.Candidates(item.Doc.Text, laidOut(item.Doc), kind) {
				r := ranked{key: c.Key, right: slices.ContainsFunc(item.Gold[kind], func(g string) bool { return goldKey(kind, g) == c.Key })}
				for _, f := range c.Features {
					id, ok := ids[f]
					if !ok {
						id = int32(len(l.names))
						ids[f], l.names = id, append(l.names, f)
					}
					r.features = append(r.features, id)
				}
				doc = append(doc, r)
			}
			l.docs = append(l.docs, doc)
		}
		t.kinds[kind] = l
	}
	return t, nil
}

func goldKey(kind, gold string) string {
	if kind == fields.KindTotal {
		n, _ := values.Number(gold)
		return n
	}
	return fields.Key(gold)
}

// laidOut returns the boxes of a document as skills expect them.
func laidOut(doc extract.FieldDocument) []skills.LaidOut {
	out := make([]skills.LaidOut, len(doc.Boxes))
	for i, b := range doc.Boxes {
		out[i] = skills.LaidOut{Row: b.Row, Start: b.Start, End: b.End, X1: b.Box.X1, Y1: b.Box.Y1, X2: b.Box.X2, Y2: b.Box.Y2}
	}
	return out
}

// Fit trains the rankers on the documents for which keep returns true, in order: a listwise softmax
// over the candidates of a document (Cao et al., "Learning to rank: from pairwise approach to
// listwise approach", 2007, with one correct list), by AdaGrad (Duchi et al., 2011) in an order
// shuffled with a fixed seed. Documents without a right candidate are skipped. Equal input gives
// equal bits.
func (t *Training) Fit(keep func(doc int) bool) fields.Weights {
	w := fields.Weights{Trained: []fields.Data{}, Rankers: map[string]map[string]float64{}, Calibration: map[string]fields.Calibration{}}
	for _, kind := range slices.Sorted(maps.Keys(t.kinds)) {
		w.Rankers[kind] = t.kinds[kind].fit(recipes[kind], keep)
		if c, ok := t.calibrate(kind, keep); ok {
			w.Calibration[kind] = c
		}
	}
	return w
}

const calibrationFolds = 5

// calibrate fits a sigmoid to the probabilities that rankers give to their first choices in
// documents of groups that they were not fitted on. It is not ok if there are too few groups, or if
// all choices are right, or all wrong.
func (t *Training) calibrate(kind string, keep func(doc int) bool) (fields.Calibration, bool) {
	var docs []int
	var groups []string
	distinct := map[string]bool{}
	for i, g := range t.groups {
		if keep(i) {
			docs, groups, distinct[g] = append(docs, i), append(groups, g), true
		}
	}
	if len(distinct) < calibrationFolds {
		return fields.Calibration{}, false
	}
	fold := make([]int, len(t.groups))
	for k, f := range linear.Folds(groups, calibrationFolds) {
		fold[docs[k]] = f
	}
	l := t.kinds[kind]
	var scores []float64
	var labels []bool
	for f := range calibrationFolds {
		weights := l.fit(recipes[kind], func(i int) bool { return keep(i) && fold[i] != f })
		for _, i := range docs {
			if fold[i] != f {
				continue
			}
			if p, right, ok := l.first(l.docs[i], weights); ok {
				scores, labels = append(scores, fields.LogOdds(p)), append(labels, right)
			}
		}
	}
	c, err := linear.FitPlatt(scores, labels)
	if err != nil || c.A <= 0 { // all equal, or higher for wrong choices
		return fields.Calibration{}, false
	}
	return fields.Calibration{A: math.Round(c.A*1e4) / 1e4, B: math.Round(c.B*1e4) / 1e4}, true
}

// first returns the probability of a ranker's first choice among candidates, and whether it is
// right.
func (l *lists) first(doc []ranked, weights map[string]float64) (p float64, right, ok bool) {
	list := make([]fields.Candidate, len(doc))
	rightKeys := map[string]bool{}
	for k, c := range doc {
		list[k].Key = c.key
		for _, f := range c.features {
			list[k].Features = append(list[k].Features, l.names[f])
		}
		if c.right {
			rightKeys[c.key] = true
		}
	}
	choices := fields.Rank(list, weights)
	if len(choices) == 0 {
		return 0, false, false
	}
	return choices[0].P, rightKeys[choices[0].Key], true
}

const (
	learningRate = .2
	fitSeed      = 1
)

func (l *lists) fit(r recipe, keep func(int) bool) map[string]float64 {
	count := make([]float64, len(l.names)) // documents with the feature
	seen := make([]int, len(l.names))
	var docs []int
	for i, doc := range l.docs {
		if !keep(i) {
			continue
		}
		if slices.ContainsFunc(doc, func(c ranked) bool { return c.right }) {
			docs = append(docs, i)
		}
		for _, c := range doc {
			for _, f := range c.features {
				if seen[f] != i+1 {
					seen[f] = i + 1
					count[f]++
				}
			}
		}
	}
	weights, squares, gradient := make([]float64, len(l.names)), make([]float64, len(l.names)), make([]float64, len(l.names))
	random := rand.New(rand.NewPCG(fitSeed, fitSeed))
	var touched []int32
	for range r.rounds {
		random.Shuffle(len(docs), func(i, j int) { docs[i], docs[j] = docs[j], docs[i] })
		for _, i := range docs {
			doc := l.docs[i]
			pulls := slopes(doc, weights)
			touched = touched[:0]
			for k, c := range doc {
				for _, f := range c.features {
					if count[f] < float64(r.least) {
						continue
					}
					if seen[f] != -1 {
						seen[f] = -1
						touched = append(touched, f)
					}
					gradient[f] += pulls[k]
				}
			}
			for _, f := range touched {
				g := gradient[f] + r.ridge*weights[f]/count[f]
				gradient[f], seen[f] = 0, 0
				if g != 0 {
					squares[f] += g * g
					weights[f] -= learningRate * g / math.Sqrt(squares[f])
				}
			}
		}
	}
	out := map[string]float64{}
	for f, w := range weights {
		if w = math.Round(w*1e4) / 1e4; w != 0 {
			out[l.names[f]] = w
		}
	}
	return out
}

// slopes returns the derivatives of the loss by the candidates' scores: their probability, less
// that among the right ones.
func slopes(doc []ranked, weights []float64) []float64 {
	scores := make([]float64, len(doc))
	top := math.Inf(-1)
	for k, c := range doc {
		for _, f := range c.features {
			scores[k] += weights[f]
		}
		top = max(top, scores[k])
	}
	all, right := 0.0, 0.0
	for k := range scores {
		scores[k] = math.Exp(scores[k] - top)
		all += scores[k]
		if doc[k].right {
			right += scores[k]
		}
	}
	for k, e := range scores {
		scores[k] = e / all
		if doc[k].right && right > 0 {
			scores[k] -= e / right
		}
	}
	return scores
}

// Trained describes a collection in weights.
func (d *Dataset) Trained() fields.Data {
	return fields.Data{Name: d.Format, Items: len(d.Items), SHA256: d.Hash}
}

// Saw reports whether weights were trained on a collection.
func (d *Dataset) Saw(w fields.Weights) bool {
	return slices.ContainsFunc(w.Trained, func(t fields.Data) bool { return t.SHA256 == d.Hash })
}

// errFolds returns the error for an invalid number of folds.
func errFolds(folds, groups int) error {
	return fmt.Errorf("cross-validating in %d folds: there are %d groups of documents; choose from 2 to that", folds, groups)
}
