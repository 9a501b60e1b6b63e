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

// A Part is one of the two linear parts of a model. Features are brought to
// mean 0 and deviation 1 and clipped; a feature's weight is Weight + Wide·w,
// where w says how wide the evidence is, from −1 for a paragraph or an abstract
// to 1 for a page.
type Part struct {
	Features []Feature `json:"features"`
	Clip     float64   `json:"clip"`
	Bias     float64   `json:"bias"`
	Wide     float64   `json:"wide"`
}

// A Feature is what a part knows of one feature.
type Feature struct {
	Name   string  `json:"name"`
	Mean   float64 `json:"mean"`
	Scale  float64 `json:"scale"` // one by the standard deviation; 0 for a feature that never varied
	Weight float64 `json:"weight"`
	Wide   float64 `json:"wide"`
}

// Calibration turns a score into a probability: the sigmoid of
// (A + AWide·w)·score + B + BWide·w.
type Calibration struct {
	A     float64 `json:"a"`
	B     float64 `json:"b"`
	AWide float64 `json:"a_wide"`
	BWide float64 `json:"b_wide"`
}

// Weights are what was learned. The score of a claim is the mean of two logits:
// that of a logistic regression over features of the whole claim, and that of
// a noisy-or over its terms, by which a claim is supported when each of its
// terms is.
type Weights struct {
	Trained     []Data      `json:"trained"` // on these
	Claim       Part        `json:"claim"`
	Term        Part        `json:"term"`
	Floor       float64     `json:"floor"` // of the noisy-or: a term that every claim has
	Calibration Calibration `json:"calibration"`
}

// Data names what was trained on.
type Data struct {
	Name   string `json:"name"`
	Items  int    `json:"items"`
	SHA256 string `json:"sha256"` // over what its items say
}

// Trained lists the data of which the model has seen the labels.
func (m *Model) Trained() []Data { return slices.Clone(m.weights.Trained) }

// A Model judges claims. It does not change, and may be used by many at once.
type Model struct {
	idf     idf.Table
	weights Weights
}

// New checks that weights and IDF are of this program's features.
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

// Untrained returns a model that measures features and has no opinion.
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

// Default returns the model that the program ships. The error is that its
// weights are not of this program's features, which its tests rule out.
func Default() (*Model, error) { return shipped() }

// Width says how wide the evidence is: −1 up to ten sentences, 0 at twenty, 1
// from forty.
func (e *Evidence) Width() float64 {
	return math.Max(-1, math.Min(1, math.Log2(math.Max(float64(len(e.sentences)), 1)/20)))
}

// logit is the part's score of scaled features.
func (p *Part) logit(x []float64, width float64) float64 {
	sum := p.Bias + p.Wide*width
	for i := range p.Features {
		f := &p.Features[i]
		v := math.Max(-p.Clip, math.Min(p.Clip, (x[i]-f.Mean)*f.Scale))
		sum += v * (f.Weight + f.Wide*width)
	}
	return sum
}

// score is the mean of both logits.
func (e *Evidence) score(c *claim) float64 {
	w, width := &e.model.weights, e.Width()
	doubt := softplus(w.Floor)
	for _, x := range e.termFeatures(c) {
		doubt += softplus(w.Term.logit(x, width))
	}
	return (w.Claim.logit(e.features(c), width) + noisyOr(doubt)) / 2
}

// noisyOr is the logit of e^−doubt, the probability that none of several
// causes of doubt holds, where doubt is the sum of their softplus.
func noisyOr(doubt float64) float64 {
	return -doubt - math.Log(-math.Expm1(-math.Max(doubt, 1e-9)))
}

// softplus is ln(1 + e^z).
func softplus(z float64) float64 {
	return math.Max(z, 0) + math.Log1p(math.Exp(-math.Abs(z)))
}

func sigmoid(z float64) float64 { return math.Exp(-softplus(-z)) }

// P is the calibrated probability of a score.
func (c Calibration) P(score, width float64) float64 {
	return sigmoid((c.A+c.AWide*width)*score + c.B + c.BWide*width)
}
