package linear

import (
	"errors"
	"fmt"
	"math"
)

// LogisticOptions say how to fit. Nil and the zero value work.
type LogisticOptions struct {
	// Ridge is λ of the penalty λ/2·‖w‖²; the bias is not penalised. Default 1.
	Ridge float64
	// Iterations is the most steps of L-BFGS. Default 300.
	Iterations int
}

// A Logistic is a fitted logistic regression: the probability of class 1 is
// sigmoid(Bias + Σ Weights·x).
type Logistic struct {
	Weights []float64
	Bias    float64
}

// Score is the logit of x.
func (m *Logistic) Score(x []float64) float64 {
	sum := m.Bias
	for i, w := range m.Weights {
		sum += w * x[i]
	}
	return sum
}

// sigmoid is 1 / (1 + e^−z).
func sigmoid(z float64) float64 {
	if z >= 0 {
		return 1 / (1 + math.Exp(-z))
	}
	e := math.Exp(z)
	return e / (1 + e)
}

// FitLogistic minimises Σ weight·logloss + λ/2·‖w‖² from zero by L-BFGS. A nil
// weights counts every row once. Nothing in it is random, and sums run over
// rows in their order: equal rows give equal bits. The errors are rows of
// unequal length, labels or weights that are not one per row, and no rows.
func FitLogistic(rows [][]float64, labels []bool, weights []float64, opts *LogisticOptions) (*Logistic, error) {
	o := LogisticOptions{Ridge: 1, Iterations: 300}
	if opts != nil {
		if opts.Ridge > 0 {
			o.Ridge = opts.Ridge
		}
		if opts.Iterations > 0 {
			o.Iterations = opts.Iterations
		}
	}
	if err := checkRows(rows, len(labels)); err != nil {
		return nil, fmt.Errorf("fitting a logistic regression: %w", err)
	}
	if weights != nil && len(weights) != len(rows) {
		return nil, fmt.Errorf("fitting a logistic regression: %d weights for %d rows; give one each", len(weights), len(rows))
	}
	width := len(rows[0])
	loss := func(at, gradient []float64) float64 {
		for j := range gradient {
			gradient[j] = 0
		}
		sum := 0.0
		for i, x := range rows {
			z := at[width]
			for j, v := range x {
				z += at[j] * v
			}
			weight, y := 1.0, 0.0
			if weights != nil {
				weight = weights[i]
			}
			if labels[i] {
				y = 1
			}
			sum += weight * (softplus(z) - y*z)
			d := weight * (sigmoid(z) - y)
			for j, v := range x {
				gradient[j] += d * v
			}
			gradient[width] += d
		}
		for j := range width {
			sum += o.Ridge / 2 * at[j] * at[j]
			gradient[j] += o.Ridge * at[j]
		}
		return sum
	}
	at := Minimize(make([]float64, width+1), loss, o.Iterations)
	return &Logistic{Weights: at[:width:width], Bias: at[width]}, nil
}

// softplus is ln(1 + e^z).
func softplus(z float64) float64 {
	return math.Max(z, 0) + math.Log1p(math.Exp(-math.Abs(z)))
}

func checkRows(rows [][]float64, labels int) error {
	if len(rows) == 0 {
		return errors.New("there are no rows")
	}
	if len(rows) != labels {
		return fmt.Errorf("%d rows and %d labels; give one label each", len(rows), labels)
	}
	for i, x := range rows {
		if len(x) != len(rows[0]) {
			return fmt.Errorf("row %d has %d features and row 0 has %d", i, len(x), len(rows[0]))
		}
	}
	return nil
}
