package linear

import (
	"errors"
	"math"
)

// A Sparse row has values at ascending indices.
type Sparse struct {
	Index []uint32
	Value []float32
}

// A Softmax is a fitted multinomial logistic regression over sparse rows. For two classes it has
// only the score of class 1.
type Softmax struct {
	Classes int
	Weights [][]float64 // by score, then by index
	Bias    []float64   // by score
}

// P returns the probability of each class.
func (m *Softmax) P(x Sparse) []float64 {
	z := make([]float64, len(m.Bias))
	copy(z, m.Bias)
	for i, at := range x.Index {
		for k := range z {
			z[k] += m.Weights[k][at] * float64(x.Value[i])
		}
	}
	return probabilities(z)
}

// probabilities treats a single score as that of two classes.
func probabilities(z []float64) []float64 {
	if len(z) == 1 {
		p := sigmoid(z[0])
		return []float64{1 - p, p}
	}
	most := math.Inf(-1)
	for _, v := range z {
		most = math.Max(most, v)
	}
	out, sum := make([]float64, len(z)), 0.0
	for k, v := range z {
		out[k] = math.Exp(v - most)
		sum += out[k]
	}
	for k := range out {
		out[k] /= sum
	}
	return out
}

// rarest is in how many rows a feature must be to count.
const rarest = 2

// FitSoftmax minimises Σ weight·logloss + ridge/2·‖w‖² from zero by L-BFGS in at most steps steps;
// biases are not penalised. Indices are below dimensions; labels are 0 to classes−1, one for each
// row. Nil weights count every row once. The result is deterministic, and sums run over rows in
// order: equal rows give equal bits. Without rows it returns an error.
func FitSoftmax(rows []Sparse, labels []int, classes, dimensions int, weights []float64, ridge float64, steps int) (*Softmax, error) {
	if len(rows) == 0 {
		return nil, errors.New("fitting a softmax regression: there are no rows")
	}
	seen := make([]int, dimensions)
	for _, x := range rows {
		for _, at := range x.Index {
			seen[at]++
		}
	}
	place, kept := make([]int, dimensions), 0 // of features that are in enough rows
	for at, n := range seen {
		place[at] = -1
		if n >= rarest {
			place[at] = kept
			kept++
		}
	}
	scores := classes
	if classes == 2 {
		scores = 1
	}
	width := kept + 1 // the bias is last
	z := make([]float64, scores)
	loss := func(at, gradient []float64) float64 {
		clear(gradient)
		sum := 0.0
		for i, x := range rows {
			for k := range z {
				z[k] = at[k*width+kept]
				for j, index := range x.Index {
					if p := place[index]; p >= 0 {
						z[k] += at[k*width+p] * float64(x.Value[j])
					}
				}
			}
			weight := 1.0
			if weights != nil {
				weight = weights[i]
			}
			p := probabilities(z)
			sum -= weight * math.Log(math.Max(p[labels[i]], 1e-300))
			for k := range z {
				class := k
				if scores == 1 {
					class = 1
				}
				d := weight * p[class]
				if labels[i] == class {
					d -= weight
				}
				for j, index := range x.Index {
					if p := place[index]; p >= 0 {
						gradient[k*width+p] += d * float64(x.Value[j])
					}
				}
				gradient[k*width+kept] += d
			}
		}
		for k := range z {
			for j := k * width; j < k*width+kept; j++ {
				sum += ridge / 2 * at[j] * at[j]
				gradient[j] += ridge * at[j]
			}
		}
		return sum
	}
	at := Minimize(make([]float64, scores*width), loss, steps)
	out := &Softmax{Classes: classes, Weights: make([][]float64, scores), Bias: make([]float64, scores)}
	for k := range z {
		out.Weights[k] = make([]float64, dimensions)
		for index, p := range place {
			if p >= 0 {
				out.Weights[k][index] = at[k*width+p]
			}
		}
		out.Bias[k] = at[k*width+kept]
	}
	return out, nil
}
