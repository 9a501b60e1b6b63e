package ltr

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// drawn makes groups in which an example is relevant when its first two
// features are on the same side of a half: no weighted sum says that. The
// base order is drawn, too.
func drawn(n int, seed uint64) []Group {
	rng := rand.New(rand.NewPCG(seed, 0))
	out := make([]Group, n)
	for i := range out {
		for range 20 {
			row := []float64{rng.Float64(), rng.Float64(), rng.Float64(), float64(rng.IntN(3))}
			e := Example{Row: row, Base: rng.Float64()}
			if (row[0] < .5) == (row[1] < .5) && rng.Float64() < .3 {
				e.Grade = 1 + rng.IntN(2)
			}
			out[i].Examples = append(out[i].Examples, e)
		}
	}
	return out
}

// ndcg is the mean nDCG@10 of groups under a score.
func ndcg(groups []Group, score func(Example) float64) float64 {
	var sum, n float64
	for _, g := range groups {
		list := slices.Clone(g.Examples)
		slices.SortStableFunc(list, func(a, b Example) int {
			if score(a) > score(b) {
				return -1
			}
			return 1
		})
		var grades []int
		var dcg float64
		for i, e := range list {
			grades = append(grades, e.Grade)
			if i < 10 {
				dcg += (math.Exp2(float64(e.Grade)) - 1) / math.Log2(float64(i+2))
			}
		}
		if ideal := idealDCG(grades, 10); ideal > 0 {
			sum += dcg / ideal
			n++
		}
	}
	return sum / n
}

func TestLearnsWhatNoSumSays(t *testing.T) {
	model, err := Train(t.Context(), drawn(300, 1), nil)
	if err != nil {
		t.Fatal(err)
	}
	unseen := drawn(200, 2)
	before := ndcg(unseen, func(e Example) float64 { return e.Base })
	after := ndcg(unseen, func(e Example) float64 { return e.Base + model.Score(e.Row) })
	t.Logf("nDCG@10 %.3f before, %.3f after", before, after)
	if after < before+.15 {
		t.Errorf("nDCG@10 on unseen groups went from %.3f to %.3f", before, after)
	}
	if err := model.Check(); err != nil {
		t.Error(err)
	}
}

func TestTrainingIsDeterministic(t *testing.T) {
	var want []byte
	for _, procs := range []int{1, 2, 8} {
		previous := runtime.GOMAXPROCS(procs)
		model, err := Train(t.Context(), drawn(60, 3), &Options{Trees: 20})
		runtime.GOMAXPROCS(previous)
		if err != nil {
			t.Fatal(err)
		}
		got, err := json.Marshal(model)
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = got
		}
		if !bytes.Equal(got, want) {
			t.Errorf("with %d processors the model differs", procs)
		}
	}
	other, err := Train(t.Context(), drawn(60, 3), &Options{Trees: 20, Seed: 9})
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := json.Marshal(other); bytes.Equal(got, want) {
		t.Error("another seed gives the same model: nothing is drawn")
	}
}

// What the trainer adds to its scores is what the model will score: the bins
// that examples were split by and the thresholds that rows are agree.
func TestScoresAreWhatWasTrained(t *testing.T) {
	groups := drawn(40, 4)
	tr, err := newTrainer(groups, (&Options{Bins: 8}).withDefaults())
	if err != nil {
		t.Fatal(err)
	}
	for range 10 {
		tr.gradients()
		before := slices.Clone(tr.scores)
		tree := tr.grow()
		root := &leaf{}
		for i := range tr.rows {
			root.examples = append(root.examples, int32(i))
			if diff := tr.scores[i] - before[i] - tree.score(tr.rows[i]); math.Abs(diff) > 1e-12 {
				t.Fatalf("example %d: off by %g", i, diff)
			}
		}
		// Dividing by bins and by the threshold gives the same sides.
		root.split = split{feature: tree[0].Feature, bin: slices.Index(tr.cuts[tree[0].Feature], tree[0].Threshold)}
		left, right := tr.divide(root)
		for _, i := range right.examples {
			if tr.rows[i][tree[0].Feature] <= tree[0].Threshold {
				t.Fatalf("example %d is right of a threshold that it does not exceed", i)
			}
		}
		for _, i := range left.examples {
			if tr.rows[i][tree[0].Feature] > tree[0].Threshold {
				t.Fatalf("example %d is left of a threshold that it exceeds", i)
			}
		}
	}
}

// slowGradients is the definition, pair by pair, without anything left out.
func slowGradients(grades []int, scores []float64, k int) (grad, hess []float64) {
	n := len(grades)
	grad, hess = make([]float64, n), make([]float64, n)
	place := make([]int, n)
	for i := range n {
		for j := range n {
			if scores[j] > scores[i] || scores[j] == scores[i] && j < i {
				place[i]++
			}
		}
	}
	ideal := idealDCG(slices.Clone(grades), k)
	for i := range n {
		for j := range n {
			if grades[i] <= grades[j] {
				continue
			}
			swap := math.Abs((gain(grades[i])-gain(grades[j]))*(discount(place[i], k)-discount(place[j], k))) / ideal
			rho := 1 / (1 + math.Exp(scores[i]-scores[j]))
			grad[i] += swap * rho
			grad[j] -= swap * rho
			hess[i] += swap * rho * (1 - rho)
			hess[j] += swap * rho * (1 - rho)
		}
	}
	return grad, hess
}

func TestGradientsAgainstSlow(t *testing.T) {
	groups := drawn(30, 5)
	tr, err := newTrainer(groups, (&Options{Share: 1, K: 6}).withDefaults())
	if err != nil {
		t.Fatal(err)
	}
	tr.gradients()
	for g := range groups {
		from, to := tr.starts[g], tr.starts[g+1]
		if tr.ideal[g] == 0 {
			continue
		}
		grad, hess := slowGradients(tr.grades[from:to], tr.scores[from:to], 6)
		for i := range grad {
			if math.Abs(grad[i]-tr.grad[from+i]) > 1e-12 || math.Abs(hess[i]-tr.hess[from+i]) > 1e-12 {
				t.Fatalf("group %d example %d: %g %g, want %g %g", g, i, tr.grad[from+i], tr.hess[from+i], grad[i], hess[i])
			}
		}
	}
}

// bestSplit tries every threshold of every feature by brute force.
func bestSplit(tr *trainer, examples []int32, f int) float64 {
	best := 0.0
	for _, cut := range tr.cuts[f] {
		var l, r cell
		for _, i := range examples {
			c := &r
			if tr.rows[i][f] <= cut {
				c = &l
			}
			c.grad += tr.grad[i]
			c.hess += tr.hess[i]
		}
		if l.hess < leastHess || r.hess < leastHess {
			continue
		}
		s := func(c cell) float64 { return c.grad * c.grad / (c.hess + l2) }
		best = max(best, s(l)+s(r)-s(cell{grad: l.grad + r.grad, hess: l.hess + r.hess}))
	}
	return best
}

func TestSplitsAgainstSlow(t *testing.T) {
	tr, err := newTrainer(drawn(50, 6), (&Options{Share: 1}).withDefaults())
	if err != nil {
		t.Fatal(err)
	}
	tr.gradients()
	l := &leaf{}
	for i := range tr.rows {
		l.examples = append(l.examples, int32(i))
		l.total.grad += tr.grad[i]
		l.total.hess += tr.hess[i]
		l.total.n++
	}
	for f := range tr.features {
		if got, want := tr.bestOf(l, f).gain, bestSplit(tr, l.examples, f); math.Abs(got-want) > 1e-9 {
			t.Errorf("feature %d: gain %g, want %g", f, got, want)
		}
	}
}

func TestTrainRefuses(t *testing.T) {
	row := func(grade int, values ...float64) Example { return Example{Row: values, Grade: grade} }
	for _, tt := range []struct {
		name   string
		groups []Group
		want   string
	}{
		{"nothing", nil, "no group has both"},
		{"no relevant one", []Group{{Examples: []Example{row(0, 1), row(0, 2)}}}, "no group has both"},
		{"only relevant ones", []Group{{Examples: []Example{row(1, 1)}}, {Examples: []Example{row(0, 1)}}}, "no group has both"},
		{"unequal rows", []Group{{Examples: []Example{row(1, 1), row(0, 2, 3)}}}, "has 2 features, others have 1"},
		{"no features", []Group{{Examples: []Example{row(1), row(0)}}}, "has 0 features"},
		{"no number", []Group{{Examples: []Example{row(1, math.NaN()), row(0, 1)}}}, "not a finite number"},
		{"infinite base", []Group{{Examples: []Example{{Row: []float64{1}, Base: math.Inf(1)}, row(1, 1)}}}, "not a finite number"},
		{"nothing to tell by", []Group{{Examples: []Example{row(1, 1), row(0, 1)}}}, "give more judged questions"},
	} {
		if _, err := Train(t.Context(), tt.groups, nil); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want one with %q", tt.name, err, tt.want)
		}
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	gone := errors.New("gone")
	_, err := Train(ctx, drawn(50, 7), &Options{Progress: func(done, _ int) {
		if done == 3 {
			cancel(gone)
		}
	}})
	if !errors.Is(err, gone) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestCheck(t *testing.T) {
	leafy := Tree{{Feature: 1, Threshold: .5, Left: 1, Right: 2}, {Value: 1}, {Value: -1}}
	for _, tt := range []struct {
		name  string
		model Model
		want  string
	}{
		{"whole", Model{Features: 2, Trees: []Tree{leafy}}, ""},
		{"no trees", Model{Features: 2}, "no trees"},
		{"no features", Model{Trees: []Tree{leafy}}, "no features"},
		{"empty tree", Model{Features: 2, Trees: []Tree{{}}}, "tree 0 is empty"},
		{"feature out of range", Model{Features: 1, Trees: []Tree{leafy}}, "malformed"},
		{"a loop", Model{Features: 2, Trees: []Tree{{{Left: 1, Right: 1}, {Left: 1, Right: 1}}}}, "malformed"},
		{"half a split", Model{Features: 2, Trees: []Tree{{{Left: 1}, {}}}}, "malformed"},
		{"child out of range", Model{Features: 2, Trees: []Tree{{{Left: 1, Right: 9}, {}}}}, "malformed"},
		{"negative feature", Model{Features: 2, Trees: []Tree{{{Feature: -1, Left: 1, Right: 2}, {}, {}}}}, "malformed"},
		{"no number", Model{Features: 2, Trees: []Tree{{{Value: math.Inf(1)}}}}, "not a number"},
	} {
		err := tt.model.Check()
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
	whole := Model{Features: 2, Trees: []Tree{leafy, leafy}}
	for _, tt := range []struct {
		row  []float64
		want float64
	}{{[]float64{9, .5}, 2}, {[]float64{9, .51}, -2}, {[]float64{9}, 0}, {nil, 0}} {
		if got := whole.Score(tt.row); got != tt.want {
			t.Errorf("score of %v is %g, want %g", tt.row, got, tt.want)
		}
	}
}
