package linear

import (
	"math"
	"testing"
)

// A softmax of two classes over sparse rows is the logistic regression over the
// same rows written out.
func TestSoftmaxIsLogistic(t *testing.T) {
	dense := [][]float64{{1, 0, .5}, {0, 1, 0}, {1, 1, 0}, {0, 0, 2}, {1, 0, 1}, {0, 1, 1}}
	labels, classes := []bool{true, false, true, false, true, false}, []int{1, 0, 1, 0, 1, 0}
	weights := []float64{1, 2, 1, 1, .5, 1}
	var rows []Sparse
	for _, x := range dense {
		var s Sparse
		for j, v := range x {
			if v != 0 {
				s.Index, s.Value = append(s.Index, uint32(j)), append(s.Value, float32(v))
			}
		}
		rows = append(rows, s)
	}
	want, err := FitLogistic(dense, labels, weights, .3)
	if err != nil {
		t.Fatal(err)
	}
	got, err := FitSoftmax(rows, classes, 2, 3, weights, .3, 300)
	if err != nil {
		t.Fatal(err)
	}
	for j, w := range want.Weights {
		if math.Abs(w-got.Weights[0][j]) > 1e-4 {
			t.Errorf("weight %d is %v, want %v", j, got.Weights[0][j], w)
		}
	}
	for i, x := range rows {
		if p := sigmoid(want.Score(dense[i])); math.Abs(p-got.P(x)[1]) > 1e-4 {
			t.Errorf("row %d has the probability %v, want %v", i, got.P(x)[1], p)
		}
	}
}

func TestSoftmaxOfThree(t *testing.T) {
	var rows []Sparse
	var labels []int
	for i := range 30 {
		rows, labels = append(rows, Sparse{[]uint32{uint32(i % 3), 3}, []float32{1, 1}}), append(labels, i%3)
	}
	rows[0].Index[1], labels[0] = 4, 1 // feature 4 is in one row: it does not count
	m, err := FitSoftmax(rows, labels, 3, 5, nil, .1, 80)
	if err != nil {
		t.Fatal(err)
	}
	for k := range 3 {
		p := m.P(Sparse{[]uint32{uint32(k), 3}, []float32{1, 1}})
		if p[k] < .7 || math.Abs(p[0]+p[1]+p[2]-1) > 1e-12 {
			t.Errorf("class %d: %v", k, p)
		}
		if m.Weights[k][4] != 0 {
			t.Errorf("a feature of one row weighs %v", m.Weights[k][4])
		}
	}
}
