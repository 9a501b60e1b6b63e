package claims

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"example.com/assay/eval/metrics"
	"example.com/assay/eval/train/linear"
	"example.com/assay/llm"
	"example.com/assay/llm/classify"
	"example.com/assay/skills"
	"example.com/assay/state"
)

// A heard is the pipeline's judge. It records the probabilities of its model, before code
// overrules a verdict. It judges one claim at a time.
type heard struct {
	verified *Verified
	tap      *tap
	heard    []float64 // the model's probabilities, in the order of Judge; NaN where it gave none
}

// newHeard returns the pipeline's judge with a model. The error is that the
// embedded skills cannot be read.
func newHeard(m llm.Model) (*heard, error) {
	t := &tap{model: m}
	v, err := NewVerified(t)
	return &heard{verified: v, tap: t}, err
}

// Judge asks the pipeline's judge.
func (h *heard) Judge(ctx context.Context, text string, evidence []state.Evidence) (state.Verdict, error) {
	h.tap.last = math.NaN()
	v, err := h.verified.Judge(ctx, text, evidence)
	h.heard = append(h.heard, h.tap.last)
	return v, err
}

// Heard returns the probabilities so far.
func (h *heard) Heard() []float64 { return h.heard }

// A tap records the probability of a model's last verdict.
type tap struct {
	model llm.Model
	last  float64
}

func (t *tap) Generate(ctx context.Context, req llm.Request) (llm.Response, error) {
	resp, err := t.model.Generate(ctx, req)
	var out skills.JudgeOutput
	if err == nil && json.Unmarshal([]byte(resp.Text), &out) == nil {
		t.last = out.Confidence
	}
	return resp, err
}

const (
	calibrationFolds = 5
	// fewestCalibrated is the least number of claims for fitting two parameters.
	fewestCalibrated = 20
)

// A fit is a calibration of a judge's probabilities on a dataset.
type fit struct {
	Calibration classify.Calibration // fitted on all claims
	N           int
	ECE         float64 // of the probabilities as the judge gives them
	Calibrated  float64 // ECE of each fifth, calibrated on the other four
}

// calibrate fits a calibration of a judge's probabilities to a dataset. There is one probability
// per item, in order; NaN skips the item. Too few claims, claims of only one label, and
// probabilities that do not rise with the truth are errors.
func calibrate(d *Dataset, probabilities []float64) (fit, error) {
	if len(probabilities) != len(d.Items) {
		return fit{}, fmt.Errorf("calibrating: %d probabilities for %d items; give one each", len(probabilities), len(d.Items))
	}
	var scores, given []float64
	var gold []bool
	var groups []string
	for i, p := range probabilities {
		if !math.IsNaN(p) {
			scores, given = append(scores, classify.LogOdds(p)), append(given, p)
			gold, groups = append(gold, d.Items[i].Gold == Supported), append(groups, d.Items[i].Group)
		}
	}
	if len(scores) < fewestCalibrated {
		return fit{}, fmt.Errorf("calibrating: the judge was asked about %d claims; at least %d are needed", len(scores), fewestCalibrated)
	}
	all, err := platt(scores, gold, func(int) bool { return true })
	if err != nil {
		return fit{}, err
	}
	fold, calibrated := linear.Folds(groups, calibrationFolds), make([]float64, len(scores))
	for f := range calibrationFolds {
		c, err := platt(scores, gold, func(i int) bool { return fold[i] != f })
		if err != nil {
			return fit{}, fmt.Errorf("%w, without one of %d parts", err, calibrationFolds)
		}
		for i := range scores {
			if fold[i] == f {
				calibrated[i] = c.P(given[i])
			}
		}
	}
	return fit{Calibration: all, N: len(scores), ECE: metrics.ECE(gold, given), Calibrated: metrics.ECE(gold, calibrated)}, nil
}

// platt fits a sigmoid to some of the scores.
func platt(scores []float64, gold []bool, keep func(int) bool) (classify.Calibration, error) {
	var s []float64
	var g []bool
	for i := range scores {
		if keep(i) {
			s, g = append(s, scores[i]), append(g, gold[i])
		}
	}
	c, err := linear.FitPlatt(s, g)
	if err != nil {
		return classify.Calibration{}, fmt.Errorf("calibrating: %w", err)
	}
	out := classify.Calibration{A: math.Round(c.A*1e4) / 1e4, B: math.Round(c.B*1e4) / 1e4}
	if out.A <= 0 {
		return out, errors.New("calibrating: the judge's probabilities do not rise with the truth")
	}
	return out, nil
}
