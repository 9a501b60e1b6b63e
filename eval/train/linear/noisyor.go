package linear

import (
	"errors"
	"fmt"
	"math"
)

// A Bag is a claim as its parts: it holds (Good) when no part is bad.
type Bag struct {
	Parts  [][]float64
	Good   bool
	Weight float64
}

// A Part is a part that was judged by itself.
type Part struct {
	Features []float64
	Bad      bool
}

// NoisyOrOptions say how to fit. Nil and the zero value work.
type NoisyOrOptions struct {
	Ridge      float64 // λ of the penalty λ/2·‖w‖²; biases are not penalised; default 1
	PartWeight float64 // of each judged part beside the bags; default 1
	Iterations int     // default 200
}

// A NoisyOr says how likely a part is bad, sigmoid(Bias + Σ Weights·x), and by
// it how likely a bag is good: the product over its parts of their being good,
// times that of one more part with the logit Floor, which every bag has.
type NoisyOr struct {
	Weights []float64
	Bias    float64
	Floor   float64
}

// Doubt is minus the logarithm of the probability that a bag is good.
func (m *NoisyOr) Doubt(parts [][]float64) float64 {
	sum := softplus(m.Floor)
	for _, x := range parts {
		sum += softplus(dot(m.Weights, x) + m.Bias)
	}
	return sum
}

// FitNoisyOr learns from bags, of which only the whole was judged, and from
// parts that were judged by themselves: multiple-instance learning with a
// noisy-or (Zhang, Platt and Viola, "Multiple instance boosting for object
// detection", NIPS 2005), linear and fitted by L-BFGS. Nothing in it is random.
// The errors are no bags, and features that are not of one number.
func FitNoisyOr(bags []Bag, parts []Part, opts *NoisyOrOptions) (*NoisyOr, error) {
	o := NoisyOrOptions{Ridge: 1, PartWeight: 1, Iterations: 200}
	if opts != nil {
		if opts.Ridge > 0 {
			o.Ridge = opts.Ridge
		}
		if opts.PartWeight > 0 {
			o.PartWeight = opts.PartWeight
		}
		if opts.Iterations > 0 {
			o.Iterations = opts.Iterations
		}
	}
	n, err := widthOf(bags, parts)
	if err != nil {
		return nil, fmt.Errorf("fitting a noisy-or: %w", err)
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
			sum += o.PartWeight * (softplus(z) - y*z)
			push(gradient, p.Features, o.PartWeight*(sigmoid(z)-y))
		}
		for j := range n {
			sum += o.Ridge / 2 * at[j] * at[j]
			gradient[j] += o.Ridge * at[j]
		}
		return sum
	}, o.Iterations)
	return &NoisyOr{Weights: at[:n:n], Bias: at[n], Floor: at[n+1]}, nil
}

// loss is minus the weighted log-likelihood of the bag; its gradient is added.
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

func widthOf(bags []Bag, parts []Part) (int, error) {
	n := -1
	check := func(x []float64) bool {
		if n < 0 {
			n = len(x)
		}
		return n == len(x)
	}
	for i, b := range bags {
		for _, x := range b.Parts {
			if !check(x) {
				return 0, fmt.Errorf("a part of bag %d has %d features, the first one %d", i, len(x), n)
			}
		}
	}
	for i, p := range parts {
		if !check(p.Features) {
			return 0, fmt.Errorf("part %d has %d features, the first one %d", i, len(p.Features), n)
		}
	}
	if n < 0 {
		return 0, errors.New("there are no parts")
	}
	return n, nil
}
