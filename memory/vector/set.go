package vector

import (
	"fmt"
	"math"
	"math/bits"
	"runtime"
	"slices"
	"sync"
)

// A Set is rows of one length. It is immutable and safe for concurrent use.
type Set struct {
	dims  int
	rows  []float32
	codes *codes
	lists *Lists  // nil for a set that is scanned whole
	order []int32 // with lists: the row of each coded row, -1 for a deleted one; by list, then by row
	start []int   // with lists: where each list begins in order, and its end
	place []int32 // with lists: of each row among the codes

	coded *coded // of a set that is read from a file; its rows are decoded
}

// NewSet makes a set of rows given one after the other. It refers to rows, which must not change.
// With lists of the same rows Top examines only the nearest lists; with nil it is exact. The error
// is a wrong length.
func NewSet(rows []float32, dims int, lists *Lists) (*Set, error) {
	if dims < 0 || dims == 0 && len(rows) > 0 || dims > 0 && len(rows)%dims != 0 {
		return nil, fmt.Errorf("making a set of vectors: %d numbers are not a multiple of the row length %d", len(rows), dims)
	}
	s := &Set{dims: dims, rows: rows}
	if lists != nil && (lists.dims != dims || len(lists.assigned) != s.Len()) {
		return nil, fmt.Errorf("making a set of vectors: lists of %d rows of %d dimensions do not fit %d rows of %d", len(lists.assigned), lists.dims, s.Len(), dims)
	}
	if lists != nil {
		s.arrange(lists)
	}
	s.codes = encode(s.Len(), dims, s.inOrder)
	return s, nil
}

// arrange puts the rows in the order of lists.
func (s *Set) arrange(lists *Lists) {
	s.lists = lists
	s.order, s.start = lists.order()
	s.place = make([]int32, len(s.order))
	for i, row := range s.order {
		s.place[row] = int32(i)
	}
}

// inOrder returns the i-th row in the order of the codes.
func (s *Set) inOrder(i int) []float32 {
	if s.order != nil {
		return s.Row(s.order[i])
	}
	return s.Row(int32(i))
}

// Len returns the number of rows.
func (s *Set) Len() int {
	if s.lists != nil {
		return len(s.place)
	}
	if s.dims == 0 {
		return 0
	}
	return len(s.rows) / s.dims
}

// Dims returns the length of a row.
func (s *Set) Dims() int { return s.dims }

// Lists returns the lists passed to NewSet.
func (s *Set) Lists() *Lists { return s.lists }

// Row returns a row, which the caller must not change.
func (s *Set) Row(i int32) []float32 {
	if s.coded == nil {
		return s.rows[int(i)*s.dims : (int(i)+1)*s.dims]
	}
	codes, step := s.codeOf(i)
	out := make([]float32, s.dims)
	for j := range out {
		out[j] = step * float32(codes[j])
	}
	return out
}

// Dot is the dot product of a query and a row.
func (s *Set) Dot(query []float32, i int32) float64 {
	if s.coded == nil {
		return Dot(query, s.Row(i))
	}
	codes, step := s.codeOf(i)
	var sum float32
	for j, q := range query[:s.dims] {
		sum += q * float32(codes[j])
	}
	return float64(step) * float64(sum)
}

// Top returns the k rows with the greatest products above a bound, best first and of equals the
// lower row first. Rows for which skip returns true are left out; nil skips none. It is safe for
// concurrent use. A query of another length than the rows' has no matches.
func (s *Set) Top(query []float32, k int, above float64, skip func(row int32) bool) []Match {
	return s.TopOfEach([][]float32{query}, k, above, skip)[0]
}

// TopOfEach is Top for up to 64 queries. Together they take less time, because the rows examined
// for one query are in the processor's cache for the next.
func (s *Set) TopOfEach(queries [][]float32, k int, above float64, skip func(row int32) bool) [][]Match {
	out := make([][]Match, len(queries))
	if k <= 0 || s.Len() == 0 {
		return out
	}
	order, wanted := s.stretches(queries)
	probes := make([]probe, len(queries))
	for q, query := range queries {
		if len(query) == s.dims {
			probes[q] = s.codes.probe(query)
		}
	}
	workers := max(1, min(runtime.GOMAXPROCS(0), len(order)*s.Len()/len(wanted)/serial))
	parts := make([][]best, workers)
	look := func(w int) {
		parts[w] = slices.Repeat([]best{{k: k, above: above}}, len(queries))
		for i := w; i < len(order); i += workers {
			for asked := wanted[order[i]]; asked != 0; asked &= asked - 1 {
				q := bits.TrailingZeros64(asked)
				s.scanStretch(probes[q], order[i], skip, &parts[w][q])
			}
		}
	}
	var others sync.WaitGroup
	for w := 1; w < workers; w++ {
		others.Go(func() { look(w) })
	}
	look(0)
	others.Wait()
	for q := range out { // the result does not depend on the distribution of the rows
		for _, part := range parts[1:] {
			for _, m := range part[q].list {
				parts[0][q].add(m)
			}
		}
		out[q] = parts[0][q].list
	}
	return out
}

// serial is the number of rows that are not worth a second goroutine.
const serial = 8 * blockRows

// stretches returns the lists that queries examine, the nearest first; without lists, blocks of all
// rows. wanted has, for each list or block, the bits of the queries that examine it.
func (s *Set) stretches(queries [][]float32) (order []int32, wanted []uint64) {
	count := blocks(s.Len())
	if s.lists != nil {
		count = s.lists.Count()
	}
	wanted = make([]uint64, count)
	nearest := make([][]int32, len(queries))
	for q, query := range queries {
		switch {
		case len(query) != s.dims:
		case s.lists != nil:
			nearest[q] = s.lists.nearest(query)
		default:
			for at := range int32(count) {
				nearest[q] = append(nearest[q], at)
			}
		}
	}
	for i := range count {
		for q, list := range nearest {
			if i >= len(list) {
				continue
			}
			if wanted[list[i]] == 0 {
				order = append(order, list[i])
			}
			wanted[list[i]] |= 1 << q
		}
	}
	return order, wanted
}

// scanStretch offers the rows of a list or block to found.
func (s *Set) scanStretch(p probe, at int32, skip func(row int32) bool, found *best) {
	if s.lists == nil {
		s.scan(p, int(at)*blockRows, min((int(at)+1)*blockRows, s.Len()), skip, found)
		return
	}
	s.load(at)
	s.scan(p, s.start[at], s.start[at+1], skip, found)
	if s.coded != nil && s.coded.added != nil {
		s.scan(p, s.coded.added[at], s.coded.added[at+1], skip, found)
	}
}

// scan offers a range of coded rows to found. A row is skipped only if its product, by the codes
// and their greatest error, is below found's limit.
func (s *Set) scan(p probe, from, to int, skip func(row int32) bool, found *best) {
	var products [256]int32
	width := s.codes.width
	for ; from < to; from += len(products) {
		out := products[:min(len(products), to-from)]
		dotRows(p.codes, s.codes.data[from*width:(from+len(out))*width], out)
		limit := found.limit() - p.slack
		steps := s.codes.step[from : from+len(out)]
		for i, product := range out {
			if p.step*float64(steps[i])*float64(product) < limit {
				continue
			}
			row := int32(from + i)
			if s.order != nil {
				row = s.order[from+i]
			}
			if row < 0 {
				continue
			}
			m := Match{Row: row, Value: s.Dot(p.vector, row)}
			if !found.admits(m) || math.IsNaN(m.Value) || skip != nil && skip(row) {
				continue
			}
			found.add(m)
			limit = found.limit() - p.slack
		}
	}
}
