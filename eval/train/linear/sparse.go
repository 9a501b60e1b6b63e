package linear

import (
	"errors"
	"fmt"
	"math"
)

// A Sparse row has values at ascending indices.
type Sparse struct {
	Index []uint32
	Value []float32
}

// SoftmaxOptions say how to fit. Nil and the zero value work.
type SoftmaxOptions struct {
	// Ridge is λ of the penalty λ/2·‖w‖²; biases are not penalised. Default 1.
	Ridge float64
	// Iterations is the most steps of L-BFGS. Default 80.
	Iterations int
	// Rows is in how many rows a feature must be to count. Default 2.
	Rows int
}

// A Softmax is a fitted multinomial logistic regression over sparse rows. Of two
// classes it keeps one score, that of class 1.
type Softmax struct {
	Classes int
	Weights [][]float64 // by score, then by index
	Bias    []float64   // by score
}

// P is the probability of each class.
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

// probabilities of one score are those of two classes.
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

// FitSoftmax minimises Σ weight·logloss + λ/2·‖w‖² from zero by L-BFGS. Indices
// lie below dimensions; labels are 0 to classes−1. A nil weights counts every row
// once. Nothing in it is random, and sums run over rows in their order: equal rows
// give equal bits. The errors are rows, labels and weights that do not fit.
func FitSoftmax(rows []Sparse, labels []int, classes, dimensions int, weights []float64, opts *SoftmaxOptions) (*Softmax, error) {
	o := SoftmaxOptions{Ridge: 1, Iterations: 80, Rows: 2}
	if opts != nil {
		if opts.Ridge > 0 {
			o.Ridge = opts.Ridge
		}
		if opts.Iterations > 0 {
			o.Iterations = opts.Iterations
		}
		if opts.Rows > 0 {
			o.Rows = opts.Rows
		}
	}
	if err := checkSparse(rows, labels, classes, dimensions, weights); err != nil {
		return nil, fmt.Errorf("fitting a softmax regression: %w", err)
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
		if n >= o.Rows {
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
				sum += o.Ridge / 2 * at[j] * at[j]
				gradient[j] += o.Ridge * at[j]
			}
		}
		return sum
	}
	at := Minimize(make([]float64, scores*width), loss, o.Iterations)
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

func checkSparse(rows []Sparse, labels []int, classes, dimensions int, weights []float64) error {
	switch {
	case len(rows) == 0:
		return errors.New("there are no rows")
	case len(labels) != len(rows):
		return fmt.Errorf("%d rows and %d labels; give one label each", len(rows), len(labels))
	case weights != nil && len(weights) != len(rows):
		return fmt.Errorf("%d weights for %d rows; give one each", len(weights), len(rows))
	case classes < 2:
		return fmt.Errorf("%d classes: at least two are needed", classes)
	}
	for i, x := range rows {
		if len(x.Index) != len(x.Value) {
			return fmt.Errorf("row %d has %d indices and %d values", i, len(x.Index), len(x.Value))
		}
		for _, at := range x.Index {
			if int(at) >= dimensions {
				return fmt.Errorf("row %d has a feature %d; there are %d", i, at, dimensions)
			}
		}
		if labels[i] < 0 || labels[i] >= classes {
			return fmt.Errorf("row %d has the label %d; there are %d classes", i, labels[i], classes)
		}
	}
	return nil
}
