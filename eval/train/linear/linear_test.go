package linear

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestMinimize(t *testing.T) {
	// A bowl that is a thousand times as steep one way as the other.
	loss := func(at, gradient []float64) float64 {
		gradient[0], gradient[1] = 2*(at[0]-3), 2000*(at[1]+1)
		return (at[0]-3)*(at[0]-3) + 1000*(at[1]+1)*(at[1]+1)
	}
	start := []float64{0, 0}
	got := Minimize(start, loss, 100)
	if math.Abs(got[0]-3) > 1e-4 || math.Abs(got[1]+1) > 1e-4 {
		t.Errorf("%v, want [3 -1]", got)
	}
	if start[0] != 0 || start[1] != 0 {
		t.Error("the start was changed")
	}
}

// rows are two overlapping clouds.
func rows(n int) (x [][]float64, y []bool) {
	random := rand.New(rand.NewPCG(1, 2))
	for i := range n {
		shift := float64(i % 2)
		x = append(x, []float64{random.NormFloat64() + shift, random.NormFloat64() - 2*shift, random.NormFloat64()})
		y = append(y, i%2 == 1)
	}
	return x, y
}

// The fit agrees with plain gradient descent, which shares no code with it.
func TestLogisticOracle(t *testing.T) {
	x, y := rows(200)
	weights := make([]float64, len(x))
	for i := range weights {
		weights[i] = 1 + float64(i%3)
	}
	got, err := FitLogistic(x, y, weights, 2)
	if err != nil {
		t.Fatal(err)
	}
	want := make([]float64, 4)
	for range 20_000 {
		g := make([]float64, 4)
		for i, row := range x {
			z := want[3]
			for j, v := range row {
				z += want[j] * v
			}
			d := 1 / (1 + math.Exp(-z))
			if y[i] {
				d--
			}
			for j, v := range row {
				g[j] += weights[i] * d * v
			}
			g[3] += weights[i] * d
		}
		for j := range want {
			if j < 3 {
				g[j] += 2 * want[j]
			}
			want[j] -= .002 * g[j]
		}
	}
	for j, w := range append(slices.Clone(got.Weights), got.Bias) {
		if math.Abs(w-want[j]) > 1e-3 {
			t.Errorf("weight %d is %.5f, by gradient descent %.5f", j, w, want[j])
		}
	}
	if got.Score([]float64{1, -2, 0}) < 0 || got.Score([]float64{0, 0, 0}) > 0 {
		t.Error("the middle of a cloud is on the wrong side")
	}
}

func TestFitErrors(t *testing.T) {
	for want, err := range map[string]error{
		"a logistic regression: there are no rows": second(FitLogistic(nil, nil, nil, 1)),
		"a softmax regression: there are no rows":  second(FitSoftmax(nil, nil, 2, 1, nil, 1, 1)),
		"there are no lists":                       second(FitListwise(nil, nil, ListwiseOptions{})),
		"all labels are alike":                     second(FitPlatt([]float64{1, 2}, []bool{true, true})),
		"2 scores and 1 labels":                    second(FitPlatt([]float64{1, 2}, []bool{true})),
		"there are no parts":                       second(FitNoisyOr(nil, nil, 1, 1)),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// Scores made with a known sigmoid give that sigmoid back.
func TestPlatt(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	var scores []float64
	var y []bool
	for range 20_000 {
		s := random.NormFloat64() * 2
		scores = append(scores, s)
		y = append(y, random.Float64() < sigmoid(.7*s-.5))
	}
	got, err := FitPlatt(scores, y)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(got.A-.7) > .05 || math.Abs(got.B+.5) > .05 {
		t.Errorf("%+v, want A .7, B -.5", got)
	}
	if p := got.P(0); math.Abs(p-sigmoid(-.5)) > .02 {
		t.Errorf("P(0) = %.3f", p)
	}
}

func TestScaler(t *testing.T) {
	s := FitScaler([][]float64{{1, 5, 0}, {3, 5, 9}}, []float64{1, 3}, 1.5)
	if s.Mean[0] != 2.5 || s.Mean[1] != 5 || s.Scale[1] != 0 {
		t.Errorf("%+v", s)
	}
	if got := s.Apply([]float64{2.5, 77, -1e9}); got[0] != 0 || got[1] != 0 || got[2] != -1.5 {
		t.Errorf("%v", got)
	}
}

// Groups stay together, folds are alike in size, and the order of the rows
// does not matter.
func TestFolds(t *testing.T) {
	var groups []string
	for i := range 200 {
		groups = append(groups, fmt.Sprintf("g%d", i%67))
	}
	folds := Folds(groups, 5)
	of := map[string]int{}
	sizes := make([]int, 5)
	for i, f := range folds {
		if was, ok := of[groups[i]]; ok && was != f {
			t.Fatalf("group %s is in folds %d and %d", groups[i], was, f)
		}
		of[groups[i]] = f
		sizes[f]++
	}
	if slices.Max(sizes)-slices.Min(sizes) > 3 {
		t.Errorf("sizes %v", sizes)
	}
	reversed := slices.Clone(groups)
	slices.Reverse(reversed)
	again := Folds(reversed, 5)
	for i, g := range reversed {
		if again[i] != of[g] {
			t.Fatalf("group %s changes its fold with the order of the rows", g)
		}
	}
}

// The slopes of the noisy-or are those of its loss.
func TestNoisyOrGradient(t *testing.T) {
	x, _ := rows(12)
	for _, good := range []bool{true, false} {
		b := Bag{Parts: x, Good: good, Weight: 1.5}
		at := []float64{.3, -.2, .1, -2, -1}
		gradient := make([]float64, len(at))
		b.loss(at, gradient)
		for j := range at {
			const h = 1e-6
			up, down := slices.Clone(at), slices.Clone(at)
			up[j] += h
			down[j] -= h
			waste := make([]float64, len(at))
			if want := (b.loss(up, waste) - b.loss(down, waste)) / (2 * h); math.Abs(want-gradient[j]) > 1e-5 {
				t.Errorf("good %v: slope %d is %.7f, by differences %.7f", good, j, gradient[j], want)
			}
		}
	}
}

// From bags alone it learns which feature makes a part bad.
func TestNoisyOr(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	var bags []Bag
	for range 400 {
		b := Bag{Good: true, Weight: 1}
		for range 5 {
			bad := random.Float64() < .15
			x := []float64{random.NormFloat64(), 0}
			if bad {
				x[1] = 1
				b.Good = false
			}
			b.Parts = append(b.Parts, x)
		}
		bags = append(bags, b)
	}
	m, err := FitNoisyOr(bags, nil, .1, 1)
	if err != nil {
		t.Fatal(err)
	}
	if m.Weights[1] < 3 || math.Abs(m.Weights[0]) > m.Weights[1]/4 {
		t.Errorf("%+v", m)
	}
	for i, b := range bags {
		if good := math.Exp(-m.Doubt(b.Parts)) > .5; good != b.Good {
			t.Fatalf("bag %d: good %v, want %v", i, good, b.Good)
		}
	}
}
