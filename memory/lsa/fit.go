package lsa

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"
)

const (
	fewPassages  = 8000   // from here on a model has 100 dimensions
	tinyCorpus   = 1000   // below, terms of a single passage are included
	manyTerms    = 50_000 // from here on they are not: prose has fewer in so few passages, and each term costs time and memory
	powerIters   = 3
	oversampling = 16
	seed         = 42
)

// Sample is the number of passages of a large corpus that a model is trained on. More of them would
// change little and cost time and memory.
const Sample = 50_000

// Fit trains a model on a corpus. The model has a fifth as many dimensions as the corpus has
// passages, between 50 and 250, and 100 from 8,000 passages on, or fewer if the corpus has
// fewer. A corpus without terms gives a model of no dimensions, which embeds everything as
// unknown. Errors are a corpus that breaks its contract and cancellation.
func Fit(ctx context.Context, c Corpus) (*Model, error) {
	return fit(ctx, c, dimensions(c.Passages), powerIters)
}

func dimensions(passages int) int {
	if passages >= fewPassages {
		return 100
	}
	return min(250, max(50, passages/5))
}

// leastDocs is the least number of passages with a term for the model to include it.
func leastDocs(passages, terms int) int {
	if passages < tinyCorpus && terms < manyTerms {
		return 1
	}
	return 2
}

func fit(ctx context.Context, c Corpus, dimensions, iterations int) (*Model, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	m, a := weigh(c)
	if a.rows == 0 || a.cols == 0 {
		m.id = m.hash()
		return m, nil
	}
	basis, err := leftVectors(ctx, a, dimensions, iterations)
	if err != nil {
		return nil, fmt.Errorf("fitting the embedder: %w", err)
	}
	m.setRows(basis)
	m.id = m.hash()
	return m, nil
}

func (c Corpus) check() error {
	for i := 1; i < len(c.Terms); i++ {
		if c.Terms[i-1] >= c.Terms[i] {
			return fmt.Errorf("fitting the embedder: terms %d and %d are not in order; sort them and keep each once", i-1, i)
		}
	}
	if len(c.DF) != len(c.Terms) {
		return fmt.Errorf("fitting the embedder: %d terms and the passages of %d of them", len(c.Terms), len(c.DF))
	}
	for d, row := range c.Docs {
		last := int32(-1)
		for _, cell := range row {
			if cell.Term <= last || int(cell.Term) >= len(c.Terms) || cell.N <= 0 {
				return fmt.Errorf("fitting the embedder: row %d is not sorted, names an unknown term or counts less than one", d)
			}
			last = cell.Term
		}
	}
	return nil
}

// weigh selects the model's terms and builds the weighted terms × passages matrix, whose
// columns have unit length.
func weigh(c Corpus) (*Model, *sparse) {
	sampled := make([]int, len(c.Terms))
	for _, row := range c.Docs {
		for _, cell := range row {
			sampled[cell.Term]++
		}
	}
	least := leastDocs(c.Passages, len(c.Terms))
	m := &Model{docs: c.Passages}
	local := make([]int32, len(c.Terms))
	for t, n := range sampled {
		local[t] = -1
		if n >= least {
			local[t] = int32(len(m.terms))
			m.terms = append(m.terms, c.Terms[t])
			m.df = append(m.df, uint32(c.DF[t]))
		}
	}
	m.finish()
	cols := make([][]entry, len(c.Docs))
	for i, row := range c.Docs {
		var col []entry
		var sum float64
		for _, cell := range row {
			if t := local[cell.Term]; t >= 0 {
				v := m.weight(int(t), int(cell.N))
				col = append(col, entry{at: t, value: v})
				sum += v * v
			}
		}
		if sum > 0 {
			norm := math.Sqrt(sum)
			for j := range col {
				col[j].value /= norm
			}
			cols[i] = col
		}
	}
	return m, newSparse(len(m.terms), cols)
}

// leftVectors returns the leading left singular vectors of a, one per column. The subspace
// iteration works on the shorter side of a, where orthonormalising costs least: for a few hundred
// passages with thousands of terms that is the passages' side.
func leftVectors(ctx context.Context, a *sparse, dimensions, iterations int) (*mat.Dense, error) {
	short, long := a, a.transposed()
	if short.rows > long.rows {
		short, long = long, short
	}
	width := min(dimensions+oversampling, short.rows)
	rng := rand.New(rand.NewPCG(seed, seed))
	basis := mat.NewDense(short.rows, width, nil)
	for i := range short.rows {
		row := basis.RawRowView(i)
		for j := range row {
			row[j] = rng.NormFloat64()
		}
	}
	for range iterations + 1 { // the first one turns noise into a basis
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		var err error
		if basis, err = orthonormal(short.mul(long.mul(basis))); err != nil {
			return nil, err
		}
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	basis, err := orthonormal(basis) // twice is enough
	if err != nil {
		return nil, err
	}
	image := long.mul(basis) // of its singular vectors one side is a's, the other turns the basis into a's
	values, vectors, err := eigen(image)
	if err != nil {
		return nil, err
	}
	k := max(1, min(dimensions, rank(values)))
	if short != a {
		return onto(image, values, vectors, k), nil
	}
	var u mat.Dense
	u.Mul(basis, vectors.Slice(0, vectors.RawMatrix().Rows, 0, k))
	return &u, nil
}

// rank counts the values that are not noise compared with the first.
func rank(values []float64) int {
	n, _ := slices.BinarySearchFunc(values, values[0]*1e-10, func(v, limit float64) int {
		if v > limit {
			return -1
		}
		return 1
	})
	return n
}
