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

// Kinds returns all kinds.
func Kinds() []string { return []string{KindCompany, KindAddress, KindTotal} }

// Weights are the learned weights of the features, by kind of field.
type Weights struct {
	Trained     []Data                        `json:"trained"` // the training data
	Rankers     map[string]map[string]float64 `json:"rankers"`
	Calibration map[string]Calibration        `json:"calibration"` // by kind; without it the ranker's own probability is used
}

// A Calibration turns a ranker's probability of its first choice into the observed rate of right
// choices: a sigmoid of its log-odds, fitted on documents that the ranker has not seen.
type Calibration struct {
	A float64 `json:"a"`
	B float64 `json:"b"`
}

// P returns the calibrated probability of a choice.
func (c Calibration) P(p float64) float64 { return 1 / (1 + math.Exp(-c.A*LogOdds(p)-c.B)) }

// LogOdds returns the log-odds of a probability, limited to stay finite.
func LogOdds(p float64) float64 {
	p = max(1e-4, min(1-1e-4, p))
	return math.Log(p / (1 - p))
}

// confidence returns the confidence in a ranker's first choice.
func (w *Weights) confidence(kind string, p float64) float64 {
	if c, ok := w.Calibration[kind]; ok {
		return c.P(p)
	}
	return p
}

// Data identifies the training data.
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

// Default returns the program's weights.
func Default() (Weights, error) { return shipped() }

// Candidates returns the possible values of a kind of field in a text, with their features, for
// training. An unknown kind has none.
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

// A Choice is a candidate with the probability of being the value.
type Choice struct {
	Candidate
	P float64
}

// Rank sorts candidates by a listwise softmax over their scores. Candidates with one key share
// their probability; the best one represents them.
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
