package lsa

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Sizes below which the defaults of FitOptions change.
const (
	fewPassages  = 8000   // from here on Dimensions is 100
	tinyCorpus   = 1000   // below: terms of a single passage are kept
	manyTerms    = 50_000 // from here on they are not: so few passages of prose have fewer, and each term costs time and memory
	oversampling = 16
	seed         = 42
)

// DefaultSample is how many passages are decomposed at most where FitOptions
// does not say.
const DefaultSample = 50000

// FitOptions tunes Fit. Nil and the zero value mean the defaults.
type FitOptions struct {
	Dimensions int // at most this many; default a fifth of the passages between 50 and 250 below 8,000 of them, else 100
	MinDocs    int // terms of fewer passages are unknown to the model; default 1 below 1,000 passages and 50,000 terms, else 2
	PowerIters int // power iterations; default 3

	// Sample is how many passages are decomposed at most; default 50,000. Of
	// a larger corpus those with the lowest hashes of their content are, so
	// that a corpus that grows keeps most of its sample, and time and memory of
	// the decomposition do not grow with it. How many passages hold a term is
	// counted over all of them; terms of fewer than MinDocs of the sample are
	// unknown to the model.
	Sample int
}

func (o *FitOptions) withDefaults(docs, terms int) FitOptions {
	var out FitOptions
	if o != nil {
		out = *o
	}
	if out.Dimensions <= 0 {
		out.Dimensions = 100
		if docs < fewPassages {
			out.Dimensions = min(250, max(50, docs/5))
		}
	}
	if out.MinDocs <= 0 {
		out.MinDocs = 2
		if docs < tinyCorpus && terms < manyTerms {
			out.MinDocs = 1
		}
	}
	if out.PowerIters <= 0 {
		out.PowerIters = 3
	}
	if out.Sample <= 0 {
		out.Sample = DefaultSample
	}
	return out
}

// Fit trains a model on a corpus. The model has as many dimensions as asked
// for, or as the corpus has: a corpus without terms gives a model of no
// dimensions, which embeds everything as unknown. Errors are a corpus that
// breaks its contract and cancellation.
func Fit(ctx context.Context, c Corpus, opts *FitOptions) (*Model, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	if c.Passages == 0 {
		c.Passages = len(c.Docs)
	}
	o := opts.withDefaults(c.Passages, len(c.Terms))
	m, a := weigh(c, sample(c, o.Sample), o.MinDocs)
	if a.rows == 0 || a.cols == 0 {
		m.id = m.hash()
		return m, nil
	}
	basis, err := leftVectors(ctx, a, o)
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
	if c.DF != nil && len(c.DF) != len(c.Terms) {
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

// sample returns the rows to decompose, in order: all, or the n with the lowest content
// hashes; of equal hashes the first rows.
func sample(c Corpus, n int) []int {
	rows := make([]int, len(c.Docs))
	for d := range rows {
		rows[d] = d
	}
	if len(rows) <= n {
		return rows
	}
	hashes := make([]uint64, len(rows))
	inBlocks(len(rows), func(from, to int) {
		for d := from; d < to; d++ {
			hashes[d] = c.hash(d)
		}
	})
	slices.SortFunc(rows, func(a, b int) int { return cmp.Or(cmp.Compare(hashes[a], hashes[b]), cmp.Compare(a, b)) })
	rows = rows[:n]
	slices.Sort(rows)
	return rows
}

// weigh selects the model's terms and builds the weighted terms × passages
// matrix of some rows, whose columns have unit length.
func weigh(c Corpus, rows []int, minDocs int) (*Model, *sparse) {
	df, sampled := c.DF, make([]int, len(c.Terms))
	if df == nil {
		df = make([]int, len(c.Terms))
		for _, row := range c.Docs {
			for _, cell := range row {
				df[cell.Term]++
			}
		}
	}
	for _, d := range rows {
		for _, cell := range c.Docs[d] {
			sampled[cell.Term]++
		}
	}
	m := &Model{docs: c.Passages}
	local := make([]int32, len(c.Terms))
	for t, n := range sampled {
		local[t] = -1
		if n >= minDocs && n > 0 {
			local[t] = int32(len(m.terms))
			m.terms = append(m.terms, c.Terms[t])
			m.df = append(m.df, uint32(df[t]))
		}
	}
	m.finish()
	cols := make([][]entry, len(rows))
	for i, d := range rows {
		var col []entry
		var sum float64
		for _, cell := range c.Docs[d] {
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

// leftVectors returns the leading left singular vectors of a, a column each. The subspace is
// iterated on the side of a that is shorter, where a basis costs least to keep orthonormal:
// of a few hundred passages with thousands of terms that is the passages'.
func leftVectors(ctx context.Context, a *sparse, o FitOptions) (*mat.Dense, error) {
	short, long := a, a.transposed()
	if short.rows > long.rows {
		short, long = long, short
	}
	width := min(o.Dimensions+oversampling, short.rows)
	rng := rand.New(rand.NewPCG(seed, seed))
	basis := mat.NewDense(short.rows, width, nil)
	for i := range short.rows {
		row := basis.RawRowView(i)
		for j := range row {
			row[j] = rng.NormFloat64()
		}
	}
	for range o.PowerIters + 1 { // the first one turns noise into a basis
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
	k := max(1, min(o.Dimensions, rank(values)))
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
