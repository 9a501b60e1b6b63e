package fields

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"example.com/assay/skills"
)

// Kinds of fields whose rankers are trained.
const (
	KindCompany = "company"
	KindAddress = "address"
	KindTotal   = "total"
)

// Kinds lists them.
func Kinds() []string { return []string{KindCompany, KindAddress, KindTotal} }

// Weights are what was learned: the weight of each feature by kind of field.
type Weights struct {
	Trained     []Data                        `json:"trained"` // on these
	Rankers     map[string]map[string]float64 `json:"rankers"`
	Calibration map[string]Calibration        `json:"calibration"` // by kind; without one a ranker's own probability counts
}

// A Calibration turns a ranker's probability of its first choice into how often
// such a choice is right: a sigmoid of its log-odds, as they are on documents that
// the ranker has not seen.
type Calibration struct {
	A float64 `json:"a"`
	B float64 `json:"b"`
}

// P is how often a choice of a ranker's probability is right.
func (c Calibration) P(p float64) float64 { return 1 / (1 + math.Exp(-c.A*LogOdds(p)-c.B)) }

// LogOdds of a probability, which is kept from 0 and 1.
func LogOdds(p float64) float64 {
	p = max(1e-4, min(1-1e-4, p))
	return math.Log(p / (1 - p))
}

// confidence is that of a ranker's first choice.
func (w *Weights) confidence(kind string, p float64) float64 {
	if c, ok := w.Calibration[kind]; ok {
		return c.P(p)
	}
	return p
}

// Data names what was trained on.
type Data struct {
	Name   string `json:"name"`
	Items  int    `json:"items"`
	SHA256 string `json:"sha256"` // of the file's lines
}

//go:embed weights.json
var weightsFile []byte

var shipped = sync.OnceValues(func() (Weights, error) {
	var w Weights
	if err := json.Unmarshal(weightsFile, &w); err != nil {
		return w, fmt.Errorf("reading the rankers' weights: %w", err)
	}
	return w, nil
})

// Default returns the weights that the program ships.
func Default() (Weights, error) { return shipped() }

// Candidates returns the values that a field of a kind may have in a text, with
// their features, for training. An unknown kind has none.
func Candidates(text string, boxes []skills.LaidOut, kind string) []Candidate {
	return newPage(text, boxes).candidates(kind)
}

func (p *page) candidates(kind string) []Candidate {
	switch kind {
	case KindCompany:
		return p.companies()
	case KindAddress:
		return p.addresses()
	case KindTotal:
		return p.totals()
	}
	return nil
}

// A Choice is a candidate with the probability that it is the value.
type Choice struct {
	Candidate
	P float64
}

// Rank orders candidates by a listwise softmax over their scores; those of one
// key share their probability, and the best of them stands for all.
func Rank(list []Candidate, weights map[string]float64) []Choice {
	if len(list) == 0 {
		return nil
	}
	scores := make([]float64, len(list))
	for i, c := range list {
		for _, f := range c.Features {
			scores[i] += weights[f]
		}
	}
	top := slices.Max(scores)
	total := 0.0
	for i := range scores {
		scores[i] = math.Exp(scores[i] - top)
		total += scores[i]
	}
	at := map[string]int{}
	var out []Choice
	var own []float64
	for i, c := range list {
		p := scores[i] / total
		k, ok := at[c.Key]
		if !ok {
			at[c.Key] = len(out)
			out, own = append(out, Choice{c, p}), append(own, p)
			continue
		}
		out[k].P += p
		if p > own[k] {
			own[k], out[k].Candidate = p, c
		}
	}
	slices.SortStableFunc(out, func(a, b Choice) int {
		switch {
		case a.P > b.P:
			return -1
		case a.P < b.P:
			return 1
		}
		return strings.Compare(a.Key, b.Key)
	})
	return out
}
