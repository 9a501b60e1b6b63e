package answer

import "math"

// Least is the chance from which the best quote is an answer. Below it the question is
// refused.
const Least = 0.35

// chance is the share of best quotes like this one that answered, by a curve that was fitted
// on questions of four kinds of corpora and measured on those left out: docs/measurements.md.
func (r *Ranking) chance() float64 {
	return sigmoid(-3 + .35*r.Top + .3*r.Lead - 4*r.Absent)
}

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
