package vector

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// Sizes of the training. They bound its time: rounds · perList · lists² ·
// dimensions products of eight bits.
const (
	seed       = 44
	listShare  = 2    // lists are this many times the root of the rows
	mostLists  = 4096 // at most
	perList    = 32   // rows of the sample per list
	rounds     = 8    // of k-means
	asked      = 100  // pairs of rows that ask for neighbours, to learn the probes
	neighbours = 10
	enough     = .98 // the required share of them
)

// Train makes lists of rows given one after the other, by spherical k-means: centroids of unit
// length, started from rows chosen with a fixed seed. The number of lists that a query examines is
// learnt: the fewest, in steps of a half, with which queries, the sums of a row and half of another
// (a question is not a passage), find .98 of their ten nearest. The same rows give the same bytes
// on any number of processors. Errors are a wrong length and cancellation.
func Train(ctx context.Context, rows []float32, dims int) (*Lists, error) {
	if dims <= 0 {
		return TrainFor(ctx, rows, dims, 0)
	}
	return TrainFor(ctx, rows, dims, len(rows)/dims)
}

// TrainFor is Train with a sample of that many rows. The lists have the sample's rows.
func TrainFor(ctx context.Context, sample []float32, dims, rows int) (*Lists, error) {
	l, err := train(ctx, sample, dims, rows)
	if err != nil {
		return nil, fmt.Errorf("training lists of vectors: %w", err)
	}
	return l, nil
}

func train(ctx context.Context, rows []float32, dims, all int) (*Lists, error) {
	if dims <= 0 || len(rows) == 0 || len(rows)%dims != 0 {
		return nil, fmt.Errorf("%d numbers are not a multiple of the row length %d", len(rows), dims)
	}
	n := len(rows) / dims
	count := max(1, min(mostLists, int(listShare*math.Sqrt(float64(all))), n))
	rng := rand.New(rand.NewPCG(seed, uint64(n)))
	l := &Lists{dims: dims, centroids: make([]float32, 0, count*dims)}
	sample := draw(rng, n, perList*count)
	picked := make([]float32, 0, len(sample)*dims)
	for _, row := range sample {
		picked = append(picked, rows[row*dims:(row+1)*dims]...)
	}
	for _, at := range draw(rng, len(sample), count) {
		l.centroids = append(l.centroids, picked[at*dims:(at+1)*dims]...)
	}
	assigned := make([]int32, len(sample))
	for range rounds {
		if err := assign(ctx, encode(l.Count(), dims, l.centroid), picked, dims, assigned); err != nil {
			return nil, err
		}
		l.move(picked, assigned)
	}
	l, err := l.Assign(ctx, rows)
	if err != nil {
		return nil, err
	}
	return l, l.learnProbes(ctx, rows, mixed(rng, rows, dims))
}

// draw returns k of the numbers below n, or all of them, in ascending order.
func draw(rng *rand.Rand, n, k int) []int {
	out := rng.Perm(n)[:min(n, k)]
	slices.Sort(out)
	return out
}

// move puts every centroid in the middle of its rows. One without rows, or
// whose rows cancel out, stays.
func (l *Lists) move(rows []float32, assigned []int32) {
	sums := make([]float64, len(l.centroids))
	for i, list := range assigned {
		sum := sums[int(list)*l.dims : (int(list)+1)*l.dims]
		for j, v := range rows[i*l.dims : (i+1)*l.dims] {
			sum[j] += float64(v)
		}
	}
	for i := range l.Count() {
		sum := sums[i*l.dims : (i+1)*l.dims]
		var norm float64
		for _, v := range sum {
			norm += v * v
		}
		if norm = math.Sqrt(norm); norm < 1e-9 || math.IsNaN(norm) {
			continue
		}
		for j, v := range sum {
			l.centroids[i*l.dims+j] = float32(v / norm)
		}
	}
}

// mixed makes queries with near rows of which none is nearest by far.
func mixed(rng *rand.Rand, rows []float32, dims int) [][]float32 {
	n := len(rows) / dims
	out := make([][]float32, asked)
	for i := range out {
		a, b := rng.IntN(n), rng.IntN(n)
		out[i] = make([]float32, dims)
		for j := range out[i] {
			out[i][j] = rows[a*dims+j] + rows[b*dims+j]/2
		}
	}
	return out
}

// learnProbes raises the probes by halves until the queries find enough.
func (l *Lists) learnProbes(ctx context.Context, rows []float32, queries [][]float32) error {
	flat, err := NewSet(rows, l.dims, nil)
	if err != nil {
		return err
	}
	set, err := NewSet(rows, l.dims, l)
	if err != nil {
		return err
	}
	want := make([][]Match, len(queries))
	for i, q := range queries {
		want[i] = flat.Top(q, neighbours, math.Inf(-1), nil)
	}
	for l.probes = 1; ; l.probes = min(l.probes+(l.probes+1)/2, l.Count()) {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		found, all := 0, 0
		for i, q := range queries {
			got := set.Top(q, neighbours, math.Inf(-1), nil)
			found, all = found+common(got, want[i]), all+len(want[i])
		}
		if all == 0 {
			return errors.New("no row is made of numbers")
		}
		l.recall = float64(found) / float64(all)
		if l.recall >= enough || l.probes == l.Count() {
			return nil
		}
	}
}

// common counts the rows that are in both.
func common(a, b []Match) int {
	n := 0
	for _, m := range a {
		if slices.ContainsFunc(b, func(o Match) bool { return o.Row == m.Row }) {
			n++
		}
	}
	return n
}
