package support

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"sync"

	"example.com/assay/memory/text/idf"
)

// A Part is one of the two linear parts of a model. Features are normalised to mean 0 and deviation
// 1, and clipped. The weight of a feature is Weight + Wide·w, where w is the width of the evidence,
// from −1 for a paragraph or an abstract to 1 for a page.
type Part struct {
	Features []Feature `json:"features"`
	Clip     float64   `json:"clip"`
	Bias     float64   `json:"bias"`
	Wide     float64   `json:"wide"`
}

// A Feature holds the weight and the normalisation of one feature.
type Feature struct {
	Name   string  `json:"name"`
	Mean   float64 `json:"mean"`
	Scale  float64 `json:"scale"` // one by the standard deviation; 0 for a feature that never varied
	Weight float64 `json:"weight"`
	Wide   float64 `json:"wide"`
}

// Calibration turns a score into a probability: the sigmoid of (A + AWide·w)·score + B + BWide·w.
type Calibration struct {
	A     float64 `json:"a"`
	B     float64 `json:"b"`
	AWide float64 `json:"a_wide"`
	BWide float64 `json:"b_wide"`
}

// Weights are the learned weights. The score of a claim is the mean of two logits: of a logistic
// regression over features of the whole claim, and of a noisy-or over its terms, which supports a
// claim only if each of its terms is supported.
type Weights struct {
	Trained     []Data      `json:"trained"` // the training data
	Claim       Part        `json:"claim"`
	Term        Part        `json:"term"`
	Floor       float64     `json:"floor"` // constant term of the noisy-or
	Calibration Calibration `json:"calibration"`
}

// Data identifies the training data.
type Data struct {
	Name   string `json:"name"`
	Items  int    `json:"items"`
	SHA256 string `json:"sha256"` // hash of the items' content
}

// Trained returns the data whose labels the model has seen.
func (m *Model) Trained() []Data { return slices.Clone(m.weights.Trained) }

// A Model judges claims. It does not change, and is safe for concurrent use.
type Model struct {
	idf     idf.Table
	weights Weights
}

// New checks that weights and IDF fit this program's features.
func New(w Weights, table idf.Table) (*Model, error) {
	if err := table.Check(); err != nil {
		return nil, err
	}
	for _, part := range []struct {
		name string
		part Part
		want []string
	}{{"claim", w.Claim, featureNames[:]}, {"term", w.Term, termNames[:]}} {
		names := make([]string, len(part.part.Features))
		for i, f := range part.part.Features {
			names[i] = f.Name
		}
		if !slices.Equal(names, part.want) {
			return nil, fmt.Errorf("weights of the %s are of %d features, not of the program's %d: run the training command again", part.name, len(names), len(part.want))
		}
	}
	return &Model{idf: table, weights: w}, nil
}

// Untrained returns a model that measures features and judges nothing.
func Untrained(table idf.Table) (*Model, error) {
	var w Weights
	for _, name := range featureNames {
		w.Claim.Features = append(w.Claim.Features, Feature{Name: name})
	}
	for _, name := range termNames {
		w.Term.Features = append(w.Term.Features, Feature{Name: name})
	}
	return New(w, table)
}

//go:embed weights.json
var weightsFile []byte

var shipped = sync.OnceValues(func() (*Model, error) {
	var w Weights
	decode := json.NewDecoder(bytes.NewReader(weightsFile))
	decode.DisallowUnknownFields()
	if err := decode.Decode(&w); err != nil {
		return nil, fmt.Errorf("reading the judge's weights: %w", err)
	}
	return New(w, idf.Default())
})

// Default returns the program's model. The error says that its weights do not fit the program's
// features; tests exclude that.
func Default() (*Model, error) { return shipped() }

// Width returns the width of the evidence: −1 up to ten sentences, 0 at twenty, 1 from forty.
func (e *Evidence) Width() float64 {
	return math.Max(-1, math.Min(1, math.Log2(math.Max(float64(len(e.sentences)), 1)/20)))
}

// logit returns the part's score for scaled features.
func (p *Part) logit(x []float64, width float64) float64 {
	sum := p.Bias + p.Wide*width
	for i := range p.Features {
		f := &p.Features[i]
		v := math.Max(-p.Clip, math.Min(p.Clip, (x[i]-f.Mean)*f.Scale))
		sum += v * (f.Weight + f.Wide*width)
	}
	return sum
}

// score returns the mean of both logits.
func (e *Evidence) score(c *claim) float64 {
	w, width := &e.model.weights, e.Width()
	doubt := softplus(w.Floor)
	for _, x := range e.termFeatures(c) {
		doubt += softplus(w.Term.logit(x, width))
	}
	return (w.Claim.logit(e.features(c), width) + noisyOr(doubt)) / 2
}

// noisyOr returns the logit of e^−doubt, the probability that none of several causes of doubt
// applies; doubt is the sum of their softplus.
func noisyOr(doubt float64) float64 {
	return -doubt - math.Log(-math.Expm1(-math.Max(doubt, 1e-9)))
}

// softplus is ln(1 + e^z).
func softplus(z float64) float64 {
	return math.Max(z, 0) + math.Log1p(math.Exp(-math.Abs(z)))
}

func sigmoid(z float64) float64 { return math.Exp(-softplus(-z)) }

// P returns the calibrated probability of a score.
func (c Calibration) P(score, width float64) float64 {
	return sigmoid((c.A+c.AWide*width)*score + c.B + c.BWide*width)
}
