package ltr

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
)

// A trainer has the examples of all groups, one after the other.
type trainer struct {
	o        Options
	features int
	starts   []int // first example of each group, and the end
	grades   []int
	ideal    []float64 // best DCG of each group
	scores   []float64 // base and trees so far
	grad     []float64
	hess     []float64

	cuts   [][]float64 // upper bounds of each feature's bins but the last
	bins   [][]uint8   // per feature, per example
	rng    *rand.Rand
	rows   [][]float64
	active []bool // groups that the tree is grown on
}

func newTrainer(groups []Group, o Options) (*trainer, error) {
	features, err := check(groups)
	if err != nil {
		return nil, err
	}
	t := &trainer{o: o, features: features, rng: rand.New(rand.NewPCG(o.Seed, 0x6c7472))}
	for _, g := range groups {
		t.starts = append(t.starts, len(t.rows))
		grades := make([]int, g.Missed, g.Missed+len(g.Examples))
		for i := range grades {
			grades[i] = 1
		}
		for _, e := range g.Examples {
			t.rows = append(t.rows, e.Row)
			t.grades = append(t.grades, max(0, e.Grade))
			t.scores = append(t.scores, e.Base)
			grades = append(grades, max(0, e.Grade))
		}
		t.ideal = append(t.ideal, idealDCG(grades, o.K))
	}
	t.starts = append(t.starts, len(t.rows))
	t.grad, t.hess = make([]float64, len(t.rows)), make([]float64, len(t.rows))
	t.active = make([]bool, len(groups))
	t.quantise()
	return t, nil
}

func gain(grade int) float64 { return math.Exp2(float64(min(grade, 30))) - 1 }

// discount is the nDCG discount of a place, counted from 0; 0 from place k on.
func discount(place, k int) float64 {
	if place >= k {
		return 0
	}
	return 1 / math.Log2(float64(place)+2)
}

func idealDCG(grades []int, k int) float64 {
	slices.SortFunc(grades, func(a, b int) int { return cmp.Compare(b, a) })
	var sum float64
	for i, g := range grades[:min(k, len(grades))] {
		sum += gain(g) * discount(i, k)
	}
	return sum
}

// quantise puts every value of a feature into one of several bins of about equal size.
func (t *trainer) quantise() {
	t.cuts, t.bins = make([][]float64, t.features), make([][]uint8, t.features)
	values := make([]float64, len(t.rows))
	for f := range t.features {
		for i, row := range t.rows {
			values[i] = row[f]
		}
		slices.Sort(values)
		var cuts []float64
		for b := 1; b < t.o.Bins; b++ {
			v := values[b*(len(values)-1)/t.o.Bins]
			if (len(cuts) == 0 || v > cuts[len(cuts)-1]) && v < values[len(values)-1] {
				cuts = append(cuts, v)
			}
		}
		t.cuts[f] = cuts
		t.bins[f] = make([]uint8, len(t.rows))
		for i, row := range t.rows {
			t.bins[f][i] = uint8(sort.SearchFloat64s(cuts, row[f])) // value <= cuts[bin]
		}
	}
}

// gradients computes, for each example, how much its score should rise or fall: for each pair of a
// better and a worse one, the change of nDCG if they swapped places, times how wrong their scores
// are.
func (t *trainer) gradients() {
	clear(t.grad)
	clear(t.hess)
	for g := range t.active {
		t.active[g] = t.rng.Float64() < t.o.Share
		if t.active[g] && t.ideal[g] > 0 {
			t.groupGradients(g)
		}
	}
}

func (t *trainer) groupGradients(g int) {
	from, to := t.starts[g], t.starts[g+1]
	order := make([]int, to-from)
	for i := range order {
		order[i] = from + i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(t.scores[b], t.scores[a]), cmp.Compare(a, b)) })
	for i, a := range order {
		if t.grades[a] == 0 {
			continue
		}
		for j, b := range order {
			if t.grades[b] >= t.grades[a] || j >= against && i >= against {
				continue
			}
			if t.grades[b] == 0 && j >= against {
				break
			}
			delta := (gain(t.grades[a]) - gain(t.grades[b])) * math.Abs(discount(i, t.o.K)-discount(j, t.o.K)) / t.ideal[g]
			if delta == 0 {
				continue
			}
			wrong := 1 / (1 + math.Exp(t.scores[a]-t.scores[b]))
			t.grad[a] += wrong * delta
			t.grad[b] -= wrong * delta
			t.hess[a] += wrong * (1 - wrong) * delta
			t.hess[b] += wrong * (1 - wrong) * delta
		}
	}
}
