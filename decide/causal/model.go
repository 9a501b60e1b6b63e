package causal

import (
	"encoding/json"
	"fmt"
	"math"
)

// Dimensions is the number of hashed features of a shipped model.
const Dimensions = 1 << 15

// A Linear is a logistic regression over hashed features. Its weights are multiples of Scale.
type Linear struct {
	Name      string  `json:"name"`
	Bias      float64 `json:"bias"`
	Scale     float64 `json:"scale"`
	Threshold float64 `json:"threshold"` // minimum probability for a yes; chosen by cross-validation
	Weights   []byte  `json:"weights"`   // signed, one per feature
}

// Data identifies the training data.
type Data struct {
	Name   string `json:"name"`
	Items  int    `json:"items"`
	SHA256 string `json:"sha256"` // hash of the items' content
}

// Weights are the learned models: for pairs, for news sentences, and for the tokens that join a
// cause to its effect in them.
type Weights struct {
	Trained []Data `json:"trained"`
	Pair    Linear `json:"pair"`
	News    Linear `json:"news"`
	Joint   Linear `json:"joint"`
}

// ReadWeights parses weights that the training command wrote.
func ReadWeights(data []byte) (*Weights, error) {
	var w Weights
	if err := json.Unmarshal(data, &w); err != nil {
		return nil, fmt.Errorf("reading weights of causal language: %w", err)
	}
	for _, m := range []Linear{w.Pair, w.News, w.Joint} {
		if len(m.Weights) != Dimensions {
			return nil, fmt.Errorf("reading weights of causal language: %q has %d of the program's %d; run the training command again", m.Name, len(m.Weights), Dimensions)
		}
	}
	return &w, nil
}

// NewLinear rounds weights to signed bytes, scaled by the largest.
func NewLinear(name string, weights []float64, bias, threshold float64) Linear {
	m := Linear{Name: name, Bias: bias, Threshold: threshold, Weights: make([]byte, len(weights))}
	for _, w := range weights {
		m.Scale = math.Max(m.Scale, math.Abs(w)/127)
	}
	for i, w := range weights {
		if m.Scale > 0 {
			m.Weights[i] = byte(int8(math.Round(w / m.Scale)))
		}
	}
	return m
}

// P returns the probability of class 1.
func (m *Linear) P(v Vector) float64 {
	z := 0.0
	for i, at := range v.Index {
		z += float64(int8(m.Weights[at])) * float64(v.Value[i])
	}
	return 1 / (1 + math.Exp(-(z*m.Scale + m.Bias)))
}
