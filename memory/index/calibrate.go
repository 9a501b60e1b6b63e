package index

import (
	"context"
	"math"
)

// calibrationVersion changes with the raw similarity or the way its
// distribution is learnt.
const calibrationVersion = 1

// A calibration turns a raw similarity s into a confidence by a logistic
// curve, 1/(1+exp(-(Slope·s + Offset))). Slope is positive: the order of
// similarities stays.
type calibration struct {
	Version  int     `json:"version"`
	Slope    float64 `json:"slope"`
	Offset   float64 `json:"offset"`
	Held     int     `json:"held"`     // pseudo-questions that the corpus answers
	NotHeld  int     `json:"not_held"` // pseudo-questions that it does not answer
	Accuracy float64 `json:"accuracy"` // share of both on their side of .5
}

// The curve that a corpus with little to say gets, how far one with more may
// leave it (standard deviations), and the most observations that a class of
// questions counts for.
const (
	priorSlope  = 16.0
	priorMiddle = .48
	slopeSD     = 3.0
	shiftSD     = 1.5
	minSlope    = 1.0
	classWeight = 20.0
)

func (c calibration) confidence(similarity float64) float64 {
	if similarity <= 0 {
		return 0
	}
	return logistic(c.Slope*similarity + c.Offset)
}

func logistic(z float64) float64 { return 1 / (1 + math.Exp(-z)) }

// calibrate asks the corpus its pseudo-questions and fits the curve.
func (x *Index) calibrate(ctx context.Context, progress func(done, total int) error) (calibration, error) {
	questions, err := x.pseudoQuestions(ctx)
	if err != nil {
		return calibration{}, err
	}
	similarities := make([]float64, len(questions))
	for i, q := range questions {
		if i%50 == 0 {
			if err := progress(i, len(questions)); err != nil {
				return calibration{}, err
			}
		}
		if similarities[i], err = x.ask(ctx, q); err != nil {
			return calibration{}, err
		}
	}
	if err := progress(len(questions), len(questions)); err != nil {
		return calibration{}, err
	}
	return fitCalibration(questions, similarities), nil
}

// ask returns the raw similarity of a pseudo-question.
func (x *Index) ask(ctx context.Context, q pseudo) (float64, error) {
	var skip func(int32) bool
	if q.without >= 0 {
		skip = func(ord int32) bool { return x.table.rows[ord].doc == q.without }
	}
	var similarity float64
	err := guarded(func() error {
		found, err := x.searchTerms(ctx, q.terms, Query{}, skip)
		similarity = found.Similarity
		return err
	})
	return similarity, err
}

// fitCalibration is a logistic regression by Newton's method with both
// classes weighted alike and a Gaussian prior on the curve, so that a corpus
// that makes few questions, or questions that are easy to tell apart, gets a
// curve near the usual one.
func fitCalibration(questions []pseudo, similarities []float64) calibration {
	c := calibration{Version: calibrationVersion}
	for _, q := range questions {
		if q.held {
			c.Held++
		} else {
			c.NotHeld++
		}
	}
	data := make([]observation, len(questions))
	for i, q := range questions {
		n := c.NotHeld
		if q.held {
			n = c.Held
		}
		data[i] = observation{u: similarities[i] - priorMiddle, held: q.held, weight: min(1, classWeight/float64(n))}
	}
	k := curve{slope: priorSlope}
	for range 100 {
		step := k.newton(data)
		for k.plus(step).loss(data) > k.loss(data) && math.Abs(step.slope)+math.Abs(step.shift) > 1e-12 {
			step.slope, step.shift = step.slope/2, step.shift/2
		}
		k = k.plus(step)
		if math.Abs(step.slope)+math.Abs(step.shift) < 1e-9 {
			break
		}
	}
	c.Slope, c.Offset = k.slope, k.shift-k.slope*priorMiddle
	right := 0
	for i, q := range questions {
		if (c.confidence(similarities[i]) >= .5) == q.held {
			right++
		}
	}
	c.Accuracy = float64(right) / float64(max(1, len(questions)))
	return c
}

// An observation is a pseudo-question's similarity less priorMiddle.
type observation struct {
	u, weight float64
	held      bool
}

// A curve is logistic(slope·u + shift).
type curve struct{ slope, shift float64 }

func (k curve) plus(d curve) curve { return curve{max(minSlope, k.slope+d.slope), k.shift + d.shift} }

// loss is the negative log posterior.
func (k curve) loss(data []observation) float64 {
	a, b := (k.slope-priorSlope)/slopeSD, k.shift/shiftSD
	sum := (a*a + b*b) / 2
	for _, o := range data {
		z := k.slope*o.u + k.shift
		if o.held {
			z = -z
		}
		sum += o.weight * softplus(z)
	}
	return sum
}

// softplus is ln(1+eᶻ) without overflow.
func softplus(z float64) float64 { return max(z, 0) + math.Log1p(math.Exp(-math.Abs(z))) }

// newton is the step to the minimum of the loss's quadratic model.
func (k curve) newton(data []observation) curve {
	gs, gb := (priorSlope-k.slope)/(slopeSD*slopeSD), -k.shift/(shiftSD*shiftSD)
	hss, hsb, hbb := 1/(slopeSD*slopeSD), 0.0, 1/(shiftSD*shiftSD)
	for _, o := range data {
		p := logistic(k.slope*o.u + k.shift)
		y := 0.0
		if o.held {
			y = 1
		}
		gs += o.weight * (y - p) * o.u
		gb += o.weight * (y - p)
		v := o.weight * p * (1 - p)
		hss += v * o.u * o.u
		hsb += v * o.u
		hbb += v
	}
	det := hss*hbb - hsb*hsb
	return curve{slope: (hbb*gs - hsb*gb) / det, shift: (hss*gb - hsb*gs) / det}
}
