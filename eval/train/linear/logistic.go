package linear

import (
	"errors"
	"math"
)

// A Logistic is a fitted logistic regression: the probability of class 1 is
// sigmoid(Bias + Σ Weights·x).
type Logistic struct {
	Weights []float64
	Bias    float64
}

// Score returns the logit of x.
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

// FitLogistic minimises Σ weight·logloss + ridge/2·‖w‖² from zero by L-BFGS; the bias is not
// penalised. Rows have equal length, and each has a label. Nil weights count every row once. The
// result is deterministic, and sums run over rows in order: equal rows give equal bits. Without
// rows it returns an error.
func FitLogistic(rows [][]float64, labels []bool, weights []float64, ridge float64) (*Logistic, error) {
	if len(rows) == 0 {
		return nil, errors.New("fitting a logistic regression: there are no rows")
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
			sum += ridge / 2 * at[j] * at[j]
			gradient[j] += ridge * at[j]
		}
		return sum
	}
	at := Minimize(make([]float64, width+1), loss, 300)
	return &Logistic{Weights: at[:width:width], Bias: at[width]}, nil
}

// softplus is ln(1 + e^z).
func softplus(z float64) float64 {
	return math.Max(z, 0) + math.Log1p(math.Exp(-math.Abs(z)))
}
