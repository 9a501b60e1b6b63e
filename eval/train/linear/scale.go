package linear

import "math"

// A Scaler brings features to mean 0 and standard deviation 1, and clips them
// at Clip standard deviations. A feature that never varies becomes 0.
type Scaler struct {
	Mean, Scale []float64
	Clip        float64
}

// FitScaler takes means and standard deviations of rows, weighted; nil weights
// count every row once. There must be a row, and weights with a positive sum.
func FitScaler(rows [][]float64, weights []float64, clip float64) *Scaler {
	n := len(rows[0])
	s := &Scaler{Mean: make([]float64, n), Scale: make([]float64, n), Clip: clip}
	total := 0.0
	weight := func(i int) float64 {
		if weights == nil {
			return 1
		}
		return weights[i]
	}
	for i, x := range rows {
		total += weight(i)
		for j, v := range x {
			s.Mean[j] += weight(i) * v
		}
	}
	for j := range s.Mean {
		s.Mean[j] /= total
	}
	for i, x := range rows {
		for j, v := range x {
			s.Scale[j] += weight(i) * (v - s.Mean[j]) * (v - s.Mean[j])
		}
	}
	for j, v := range s.Scale {
		s.Scale[j] = 0
		if v/total > 1e-12 {
			s.Scale[j] = 1 / math.Sqrt(v/total)
		}
	}
	return s
}

// Apply returns the scaled row.
func (s *Scaler) Apply(x []float64) []float64 {
	out := make([]float64, len(x))
	for j, v := range x {
		out[j] = math.Max(-s.Clip, math.Min(s.Clip, (v-s.Mean[j])*s.Scale[j]))
	}
	return out
}
