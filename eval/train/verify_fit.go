package main

import (
	"fmt"
	"math"
	"strconv"

	"example.com/assay/decide/claim/support"
	"example.com/assay/eval/train/linear"
)

// How the judge of claims is fitted. Each was chosen by cross-validation on a
// coarse grid, on which the scores are flat.
const (
	claimRidge = 30
	termRidge  = 10
	partWeight = .3 // of a judged word against a judged claim
	clip       = 4
	perClass   = 165 // claims that each class of each set counts as
	// alteredWeight is the weight of an altered claim against a real one when the probability is
	// fitted: real claims rarely differ from a true one in a single word.
	alteredWeight = .1
)

// A sample is a claim as the judge measures it.
type sample struct {
	set    string
	fold   int
	good   bool
	width  float64
	claim  []float64
	terms  [][]float64
	weight float64
}

// A judgedTerm is a word of a claim that people labelled as supported or not.
type judgedTerm struct {
	fold     int
	bad      bool
	width    float64
	features []float64
}

// weigh lets every set count alike, and in each the supported claims as much
// as the rest.
func weigh(samples []sample) {
	type class struct {
		set  string
		good bool
	}
	n := map[class]float64{}
	for _, s := range samples {
		n[class{s.set, s.good}]++
	}
	for i, s := range samples {
		samples[i].weight = perClass / n[class{s.set, s.good}]
	}
}

// fit trains both parts of the judge, without calibration.
func fit(samples []sample, terms []judgedTerm) (support.Weights, error) {
	weigh(samples)
	var out support.Weights
	if err := fitClaims(samples, &out.Claim); err != nil {
		return out, err
	}
	floor, err := fitTerms(samples, terms, &out.Term)
	if err != nil {
		return out, err
	}
	out.Floor = round(floor)
	return out, nil
}

func fitClaims(samples []sample, into *support.Part) error {
	rows, weights := make([][]float64, len(samples)), make([]float64, len(samples))
	good := make([]bool, len(samples))
	for i, s := range samples {
		rows[i], weights[i], good[i] = s.claim, s.weight, s.good
	}
	scale := linear.FitScaler(rows, weights, clip)
	for i, s := range samples {
		rows[i] = widened(scale.Apply(s.claim), s.width)
	}
	m, err := linear.FitLogistic(rows, good, weights, claimRidge)
	if err != nil {
		return err
	}
	*into = part(support.FeatureNames(), scale, m.Weights, m.Bias)
	return nil
}

func fitTerms(samples []sample, terms []judgedTerm, into *support.Part) (floor float64, err error) {
	var rows [][]float64
	for _, s := range samples {
		rows = append(rows, s.terms...)
	}
	for _, t := range terms {
		rows = append(rows, t.features)
	}
	if len(rows) == 0 {
		return 0, fmt.Errorf("fitting terms: no claim has one")
	}
	scale := linear.FitScaler(rows, nil, clip)
	bags := make([]linear.Bag, len(samples))
	for i, s := range samples {
		bags[i] = linear.Bag{Good: s.good, Weight: s.weight}
		for _, x := range s.terms {
			bags[i].Parts = append(bags[i].Parts, widened(scale.Apply(x), s.width))
		}
	}
	parts := make([]linear.Part, len(terms))
	for i, t := range terms {
		parts[i] = linear.Part{Features: widened(scale.Apply(t.features), t.width), Bad: t.bad}
	}
	m, err := linear.FitNoisyOr(bags, parts, termRidge, partWeight)
	if err != nil {
		return 0, err
	}
	*into = part(support.TermNames(), scale, m.Weights, m.Bias)
	return m.Floor, nil
}

// widened is a scaled row, the same times the width, and the width.
func widened(x []float64, width float64) []float64 {
	out := make([]float64, 0, 2*len(x)+1)
	out = append(out, x...)
	for _, v := range x {
		out = append(out, width*v)
	}
	return append(out, width)
}

// part takes the weights of widened rows apart.
func part(names []string, scale *linear.Scaler, weights []float64, bias float64) support.Part {
	n := len(names)
	out := support.Part{Clip: clip, Bias: round(bias), Wide: round(weights[2*n])}
	for j, name := range names {
		out.Features = append(out.Features, support.Feature{
			Name: name, Mean: round(scale.Mean[j]), Scale: round(scale.Scale[j]), Weight: round(weights[j]), Wide: round(weights[n+j]),
		})
	}
	return out
}

// calibrate fits the probability of scores that were given to claims the
// weights had not seen: Platt's sigmoid, with a slope and an offset for narrow
// and for wide evidence.
func calibrate(scores, widths, weights []float64, good []bool) (support.Calibration, error) {
	rows := make([][]float64, len(scores))
	for i, s := range scores {
		rows[i] = []float64{s, s * widths[i], widths[i]}
	}
	m, err := linear.FitLogistic(rows, good, weights, .1)
	if err != nil {
		return support.Calibration{}, fmt.Errorf("calibrating: %w", err)
	}
	return support.Calibration{A: round(m.Weights[0]), AWide: round(m.Weights[1]), BWide: round(m.Weights[2]), B: round(m.Bias)}, nil
}

// round keeps five significant digits: enough for every decision, and the same
// on machines that round the last bit of a product differently.
func round(v float64) float64 {
	if v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0
	}
	out, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 5, 64), 64)
	if err != nil {
		return v
	}
	return out
}
