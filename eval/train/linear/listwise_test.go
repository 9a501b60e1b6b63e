package linear

import (
	"math"
	"slices"
	"strings"
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
	w, err := FitListwise(lists, right, &ListwiseOptions{Rate: .1, Least: 3, Seed: 1})
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
	again, _ := FitListwise(lists, right, &ListwiseOptions{Rate: .1, Least: 3, Seed: 1})
	held, _ := FitListwise(lists, right, &ListwiseOptions{Rate: .1, Least: 3, Seed: 1, Ridge: 500})
	other, _ := FitListwise(lists, right, &ListwiseOptions{Rate: .1, Least: 3, Seed: 2})
	all, _ := FitListwise(lists, right, &ListwiseOptions{Rate: .1, Seed: 1})
	if !slices.Equal(w, again) || held[0] >= w[0] || other[0] == w[0] || all[2] == 0 {
		t.Errorf("again %v, held back %v, another seed %v, all features %v; first %v", again, held, other, all, w)
	}
}

func TestListwiseFaults(t *testing.T) {
	for want, in := range map[string]struct {
		lists [][][]float64
		right []int
	}{
		"there are no lists":                    {},
		"1 lists and 2 right rows":              {[][][]float64{{{1}}}, []int{0, 0}},
		"list 0 has 1 rows and the right one":   {[][][]float64{{{1}}}, []int{1}},
		"row 1 of list 0 has 2 features and th": {[][][]float64{{{1}, {1, 2}}}, []int{0}},
		"list 0 has 0 rows":                     {[][][]float64{{}}, []int{0}},
	} {
		if _, err := FitListwise(in.lists, in.right, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
