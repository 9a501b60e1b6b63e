package linear

import (
	"math"
	"slices"
	"testing"
)

// lessons are lists of three rows; the right one has the larger first feature. The
// second feature is the same in a list, the third varies in two lists only.
func lessons() (lists [][][]float64, right []int) {
	for i := range 30 {
		list := make([][]float64, 3)
		for k := range list {
			list[k] = []float64{float64((i+k)%3) - 1, float64(i), 0}
		}
		if i < 2 {
			list[0][2] = 1
		}
		lists, right = append(lists, list), append(right, 2-i%3)
	}
	return lists, right
}

func TestListwise(t *testing.T) {
	lists, right := lessons()
	o := ListwiseOptions{Ridge: 1, Rounds: 10, Rate: .1, Least: 3, Seed: 1}
	w, err := FitListwise(lists, right, o)
	if err != nil {
		t.Fatal(err)
	}
	if w[0] <= .5 || w[1] != 0 || w[2] != 0 {
		t.Errorf("weights %v: want the first positive, and 0 for what never varies or too seldom", w)
	}
	p := Listwise(w, lists[0])
	if sum := p[0] + p[1] + p[2]; math.Abs(sum-1) > 1e-12 || p[right[0]] <= .5 {
		t.Errorf("probabilities %v, right is %d", p, right[0])
	}
	if got := Listwise(w, lists[0][:1]); got[0] != 1 {
		t.Errorf("of one row: %v", got)
	}
	again, _ := FitListwise(lists, right, o)
	o.Seed = 2
	other, _ := FitListwise(lists, right, o)
	o.Seed, o.Ridge = 1, 500
	held, _ := FitListwise(lists, right, o)
	o.Ridge, o.Least = 1, 1
	all, _ := FitListwise(lists, right, o)
	if !slices.Equal(w, again) || held[0] >= w[0] || other[0] == w[0] || all[2] == 0 {
		t.Errorf("again %v, held back %v, another seed %v, all features %v; first %v", again, held, other, all, w)
	}
}
