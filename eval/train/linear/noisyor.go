package linear

import (
	"errors"
	"math"
)

// A Bag is a claim as its parts: it is supported (Good) if no part is bad.
type Bag struct {
	Parts  [][]float64
	Good   bool
	Weight float64
}

// A Part is a part that was judged separately.
type Part struct {
	Features []float64
	Bad      bool
}

// A NoisyOr gives the probability that a part is bad, sigmoid(Bias + Σ Weights·x), and from it the
// probability that a bag is good: the product of its parts' probabilities of being good, times that
// of one more part with the logit Floor, which every bag has.
type NoisyOr struct {
	Weights []float64
	Bias    float64
	Floor   float64
}

// Doubt is the negative logarithm of the probability that a bag is good.
func (m *NoisyOr) Doubt(parts [][]float64) float64 {
	sum := softplus(m.Floor)
	for _, x := range parts {
		sum += softplus(dot(m.Weights, x) + m.Bias)
	}
	return sum
}

// FitNoisyOr learns from bags, which were judged as a whole, and from parts that were judged
// separately: multiple-instance learning with a noisy-or (Zhang, Platt and Viola, "Multiple
// instance boosting for object detection", NIPS 2005), linear and fitted by L-BFGS. A bag has its
// own weight, and a part partWeight. Parts have equal length, and biases are not penalised. The
// result is deterministic. Without parts it returns an error.
func FitNoisyOr(bags []Bag, parts []Part, ridge, partWeight float64) (*NoisyOr, error) {
	n := -1
	for _, b := range bags {
		if len(b.Parts) > 0 {
			n = len(b.Parts[0])
		}
	}
	if len(parts) > 0 {
		n = len(parts[0].Features)
	}
	if n < 0 {
		return nil, errors.New("fitting a noisy-or: there are no parts")
	}
	start := make([]float64, n+2)
	start[n], start[n+1] = -3, -1 // most parts are good
	at := Minimize(start, func(at, gradient []float64) float64 {
		for j := range gradient {
			gradient[j] = 0
		}
		sum := 0.0
		for i := range bags {
			sum += bags[i].loss(at, gradient)
		}
		for _, p := range parts {
			y := 0.0
			if p.Bad {
				y = 1
			}
			z := dot(at[:n], p.Features) + at[n]
			sum += partWeight * (softplus(z) - y*z)
			push(gradient, p.Features, partWeight*(sigmoid(z)-y))
		}
		for j := range n {
			sum += ridge / 2 * at[j] * at[j]
			gradient[j] += ridge * at[j]
		}
		return sum
	}, 200)
	return &NoisyOr{Weights: at[:n:n], Bias: at[n], Floor: at[n+1]}, nil
}

// loss returns the negative weighted log-likelihood of the bag and adds its gradient.
func (b *Bag) loss(at, gradient []float64) float64 {
	n := len(at) - 2
	logits := make([]float64, len(b.Parts))
	doubt := softplus(at[n+1])
	for i, x := range b.Parts {
		logits[i] = dot(at[:n], x) + at[n]
		doubt += softplus(logits[i])
	}
	doubt = math.Max(doubt, 1e-9)
	loss, slope := doubt, 1.0
	if !b.Good {
		loss, slope = -math.Log(-math.Expm1(-doubt)), -1/math.Expm1(doubt)
	}
	for i, x := range b.Parts {
		push(gradient, x, b.Weight*slope*sigmoid(logits[i]))
	}
	gradient[n+1] += b.Weight * slope * sigmoid(at[n+1])
	return b.Weight * loss
}

// push adds the gradient of one part: of its weights, and of the bias.
func push(gradient, x []float64, by float64) {
	for j, v := range x {
		gradient[j] += by * v
	}
	gradient[len(x)] += by
}
