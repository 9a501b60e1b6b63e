package lsa

import (
	"errors"
	"math"
	"runtime"
	"sync"

	"gonum.org/v1/gonum/mat"
)

// An entry is a non-zero of a sparse row or column.
type entry struct {
	at    int32
	value float64
}

// A sparse is a sparse matrix stored both by row and by column, so that it and
// its transpose multiply by adding whole rows.
type sparse struct {
	rows, cols    int
	byRow, byCols [][]entry
}

func newSparse(rows int, cols [][]entry) *sparse {
	count := make([]int, rows)
	total := 0
	for _, col := range cols {
		for _, e := range col {
			count[e.at]++
			total++
		}
	}
	flat := make([]entry, total)
	byRow := make([][]entry, rows)
	for r, n := range count {
		byRow[r], flat = flat[:0:n], flat[n:]
	}
	for c, col := range cols {
		for _, e := range col {
			byRow[e.at] = append(byRow[e.at], entry{at: int32(c), value: e.value})
		}
	}
	return &sparse{rows: rows, cols: len(cols), byRow: byRow, byCols: cols}
}

// transposed returns aᵀ, which shares a's entries.
func (a *sparse) transposed() *sparse {
	return &sparse{rows: a.cols, cols: a.rows, byRow: a.byCols, byCols: a.byRow}
}

// mul returns a · x. Each row of the result is summed by one goroutine in the order of the
// entries, so the number of processors does not change a bit of it.
func (a *sparse) mul(x *mat.Dense) *mat.Dense {
	_, width := x.Dims()
	out := mat.NewDense(a.rows, width, nil)
	inBlocks(a.rows, func(from, to int) {
		for r := from; r < to; r++ {
			dst := out.RawRowView(r)
			for _, e := range a.byRow[r] {
				src := x.RawRowView(int(e.at))[:len(dst)]
				for j := range dst {
					dst[j] += e.value * src[j]
				}
			}
		}
	})
	return out
}

// inBlocks runs fn over [0, n) in blocks on all processors and waits.
func inBlocks(n int, fn func(from, to int)) {
	const block = 256
	var wg sync.WaitGroup
	limit := make(chan struct{}, runtime.GOMAXPROCS(0))
	for from := 0; from < n; from += block {
		limit <- struct{}{}
		wg.Go(func() {
			defer func() { <-limit }()
			fn(from, min(from+block, n))
		})
	}
	wg.Wait()
}

// orthonormal returns an orthonormal basis of y's columns. It goes through the
// eigenvectors of yᵀy instead of its Cholesky factor, which does not exist
// when the columns are dependent: those directions are dropped.
func orthonormal(y *mat.Dense) (*mat.Dense, error) {
	values, vectors, err := eigen(y)
	if err != nil {
		return nil, err
	}
	return onto(y, values, vectors, max(rank(values), 1)), nil
}

// onto returns the first k left singular vectors of y, by the eigenvalues and eigenvectors of yᵀy.
func onto(y *mat.Dense, values []float64, vectors *mat.Dense, k int) *mat.Dense {
	scaled := mat.DenseCopyOf(vectors.Slice(0, vectors.RawMatrix().Rows, 0, k))
	for j := range k {
		if values[j] > 0 {
			scale := 1 / math.Sqrt(values[j])
			for i := range scaled.RawMatrix().Rows {
				scaled.Set(i, j, scaled.At(i, j)*scale)
			}
		}
	}
	var q mat.Dense
	q.Mul(y, scaled)
	return &q
}

// eigen returns the eigenvalues of yᵀy, largest first, and its eigenvectors
// in the same order. A vector's sign is fixed: its largest entry is positive.
func eigen(y *mat.Dense) ([]float64, *mat.Dense, error) {
	_, n := y.Dims()
	var gram mat.Dense
	gram.Mul(y.T(), y)
	sym := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			sym.SetSym(i, j, gram.At(i, j))
		}
	}
	var es mat.EigenSym
	if !es.Factorize(sym, true) {
		return nil, nil, errors.New("the eigenvalues did not converge")
	}
	ascending := es.Values(nil)
	var vectors mat.Dense
	es.VectorsTo(&vectors)
	values := make([]float64, n)
	sorted := mat.NewDense(n, n, nil)
	for j := range n {
		from := n - 1 - j
		values[j] = max(ascending[from], 0)
		big := 0.0
		for i := range n {
			if v := vectors.At(i, from); math.Abs(v) > math.Abs(big) {
				big = v
			}
		}
		for i := range n {
			sorted.Set(i, j, math.Copysign(1, big)*vectors.At(i, from))
		}
	}
	return values, sorted, nil
}
