package obligation

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"sync"
)

// Weights are the learned weights: the logit of an obligation is Bias plus the weights of a
// sentence's features.
type Weights struct {
	Bias     float64   `json:"bias"`
	Features []Feature `json:"features"`
}

// A Feature is a feature's name and its weight.
type Feature struct {
	Name   string  `json:"name"`
	Weight float64 `json:"weight"`
}

// A Model reads sentences. It is safe for concurrent use.
type Model struct {
	bias    float64
	weights []float64
}

//go:embed weights.json
var shipped []byte

// Default returns the program's model.
var Default = sync.OnceValues(func() (*Model, error) {
	var w Weights
	if err := json.Unmarshal(shipped, &w); err != nil {
		return nil, fmt.Errorf("reading the weights of obligations: %w", err)
	}
	return New(w)
})

// New makes a model from weights. It refuses weights whose features are not FeatureNames, in order.
func New(w Weights) (*Model, error) {
	if len(w.Features) != len(featureNames) {
		return nil, fmt.Errorf("the weights of obligations have %d features and the program knows %d: train them again", len(w.Features), len(featureNames))
	}
	m := &Model{bias: w.Bias}
	for i, f := range w.Features {
		if f.Name != featureNames[i] {
			return nil, fmt.Errorf("feature %d of the weights of obligations is %q and the program's is %q: train them again", i, f.Name, featureNames[i])
		}
		m.weights = append(m.weights, f.Weight)
	}
	return m, nil
}

// A Reading says whether a sentence states a duty.
type Reading struct {
	P          float64 // probability of an obligation, 0..1
	Obligation bool    // P is at least .5
	Explicit   bool    // by an undenied word of duty or prohibition, not by an imperative or "should" alone
	Defines    bool    // it defines a word or says when a rule applies
	Imperative bool    // a rule in a list that begins with a verb
}

// mostRead is how many bytes of a sentence are read: later cues do not count.
const mostRead = 64 << 10

// Read reads one sentence, with its list marker. A blank sentence is not an obligation.
func (m *Model) Read(sentence string) Reading {
	if len(sentence) > mostRead {
		sentence = strings.ToValidUTF8(sentence[:mostRead], "")
	}
	if strings.TrimSpace(sentence) == "" {
		return Reading{}
	}
	x := Features(sentence)
	z := m.bias
	for i, v := range x {
		z += v * m.weights[i]
	}
	r := Reading{P: 1 / (1 + math.Exp(-z))}
	for i, name := range featureNames {
		switch name {
		case "strong":
			r.Explicit = x[i] > 0
		case "defines":
			r.Defines = x[i] > 0
		case "imperative":
			r.Imperative = x[i] > 0
		}
	}
	r.Obligation = r.P >= .5
	return r
}

// Cue returns the first words of a sentence that state a duty; ok is false if there are none. It
// reads as much of a sentence as Read does.
func Cue(sentence string) (start, end int, ok bool) {
	sentence = sentence[:min(len(sentence), mostRead)]
	for _, c := range cues {
		if !c.strong {
			continue
		}
		if at := c.re.FindStringIndex(sentence); at != nil && (!ok || at[0] < start) {
			start, end, ok = at[0], at[1], true
		}
	}
	return start, end, ok
}
