package causal

import (
	"math"
	"testing"
)

// One joint is enough, a sentence without any is doubted, and no probability is
// certain.
func TestNewsP(t *testing.T) {
	for _, c := range []struct {
		whole  float64
		joints []float64
		want   float64
	}{
		{.5, []float64{.5}, .5},
		{.5, []float64{0, .9, 0}, .75},
		{.8, []float64{.5, .6}, .8}, // together .8
		{.5, nil, 1 / (1 + math.Sqrt(999))},
		{1, []float64{1}, .999},
	} {
		if got := NewsP(c.whole, c.joints); math.Abs(got-c.want) > 1e-3 {
			t.Errorf("%v with %v is %.4f, want %.4f", c.whole, c.joints, got, c.want)
		}
	}
}

// A token's features carry its neighbours, on their sides.
func TestJointFeatures(t *testing.T) {
	a, b := Read("rain so floods"), Read("floods so rain")
	left, right := JointFeatures(a, 1, Dimensions), JointFeatures(b, 1, Dimensions)
	if len(left.Index) == 0 || len(left.Index) != len(left.Value) {
		t.Fatalf("the features are %+v", left)
	}
	same := map[uint32]bool{}
	for _, at := range left.Index {
		same[at] = true
	}
	shared := 0
	for _, at := range right.Index {
		if same[at] {
			shared++
		}
	}
	if shared == 0 || shared == len(right.Index) {
		t.Errorf("turned round, %d of %d features are the same", shared, len(right.Index))
	}
}
