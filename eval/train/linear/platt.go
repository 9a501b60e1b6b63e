package linear

import (
	"errors"
	"fmt"
)

// Platt turns a score into a probability: sigmoid(A·score + B).
type Platt struct {
	A float64 `json:"a"`
	B float64 `json:"b"`
}

// P returns the probability of class 1.
func (p Platt) P(score float64) float64 { return sigmoid(p.A*score + p.B) }

// FitPlatt fits a sigmoid to scores of rows that the model was not trained on (Platt,
// "Probabilistic outputs for support vector machines", 1999), with his prior on the labels, which
// keeps both ends from 0 and 1. Unequal lengths and labels that are all equal are errors.
func FitPlatt(scores []float64, labels []bool) (Platt, error) {
	if len(scores) != len(labels) {
		return Platt{}, fmt.Errorf("fitting a sigmoid: %d scores and %d labels; give one each", len(scores), len(labels))
	}
	yes := 0.0
	for _, y := range labels {
		if y {
			yes++
		}
	}
	no := float64(len(labels)) - yes
	if yes == 0 || no == 0 {
		return Platt{}, errors.New("fitting a sigmoid: all labels are alike; both classes are needed")
	}
	high, low := (yes+1)/(yes+2), 1/(no+2)
	loss := func(at, gradient []float64) float64 {
		gradient[0], gradient[1] = 0, 0
		sum := 0.0
		for i, s := range scores {
			y := low
			if labels[i] {
				y = high
			}
			z := at[0]*s + at[1]
			sum += softplus(z) - y*z
			d := sigmoid(z) - y
			gradient[0] += d * s
			gradient[1] += d
		}
		return sum
	}
	at := Minimize([]float64{1, 0}, loss, 200)
	return Platt{A: at[0], B: at[1]}, nil
}
