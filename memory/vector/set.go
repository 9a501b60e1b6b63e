package vector

import (
	"fmt"
	"math"
	"runtime"
	"sync"
)

// A Set is rows of one length. It is immutable and safe for concurrent use.
type Set struct {
	dims  int
	rows  []float32
	codes *codes
	lists *Lists  // nil for a set that is scanned whole
	order []int32 // with lists: the row that each coded row is, -1 of one that is gone; by list, then by row
	start []int   // with lists: where each list begins in order, and its end

	coded *coded // of a set that is read from a file; its rows are what their codes say
}

// NewSet makes a set of rows that lie one after the other. It keeps rows, which
// must not change. Lists, of the same rows, make Top look at the nearest of
// them only; nil makes it exact. The error is a length that does not fit.
func NewSet(rows []float32, dims int, lists *Lists) (*Set, error) {
	if dims < 0 || dims == 0 && len(rows) > 0 || dims > 0 && len(rows)%dims != 0 {
		return nil, fmt.Errorf("making a set of vectors: %d numbers are no rows of %d", len(rows), dims)
	}
	s := &Set{dims: dims, rows: rows}
	if lists != nil && (lists.dims != dims || len(lists.assigned) != s.Len()) {
		return nil, fmt.Errorf("making a set of vectors: lists of %d rows of %d dimensions do not fit %d rows of %d", len(lists.assigned), lists.dims, s.Len(), dims)
	}
	if lists != nil {
		s.lists = lists
		s.order, s.start = lists.order()
	}
	s.codes = encode(s.Len(), dims, s.inOrder)
	return s, nil
}

// inOrder returns the i-th row in the order of the codes.
func (s *Set) inOrder(i int) []float32 {
	if s.order != nil {
		return s.Row(s.order[i])
	}
	return s.Row(int32(i))
}

// Len is the number of rows.
func (s *Set) Len() int {
	if s.coded != nil {
		return len(s.coded.place)
	}
	if s.dims == 0 {
		return 0
	}
	return len(s.rows) / s.dims
}

// Dims is the length of a row.
func (s *Set) Dims() int { return s.dims }

// Lists are what NewSet was given.
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

// Top returns the k rows of the largest products with a query among those
// above a bound, best first and of equals the lower row first. Rows that skip
// reports are left out; nil leaves none out. It is called by several goroutines at
// once. A query of another length than the rows' has no matches.
func (s *Set) Top(query []float32, k int, above float64, skip func(row int32) bool) []Match {
	if k <= 0 || s.Len() == 0 || len(query) != s.dims {
		return nil
	}
	p := s.codes.probe(query)
	var lists []int32
	rows := s.Len()
	if s.lists != nil {
		lists = s.lists.nearest(query)
		rows = rows / s.lists.Count() * len(lists)
	}
	workers := max(1, min(runtime.GOMAXPROCS(0), rows/serial))
	parts := make([]best, workers)
	look := func(w int) {
		parts[w] = best{k: k, above: above}
		if lists == nil {
			s.scan(p, s.Len()*w/workers, s.Len()*(w+1)/workers, skip, &parts[w])
		}
		for i := w; i < len(lists); i += workers {
			s.scanList(p, lists[i], skip, &parts[w])
		}
	}
	var others sync.WaitGroup
	for w := 1; w < workers; w++ {
		others.Go(func() { look(w) })
	}
	look(0)
	others.Wait()
	for _, part := range parts[1:] { // what is found does not depend on how the rows are shared out
		for _, m := range part.list {
			parts[0].add(m)
		}
	}
	return parts[0].list
}

// serial is how many rows are not worth a second goroutine.
const serial = 8 * blockRows

// scanList shows found the rows of a list.
func (s *Set) scanList(p probe, list int32, skip func(row int32) bool, found *best) {
	s.load(list)
	s.scan(p, s.start[list], s.start[list+1], skip, found)
	if s.coded != nil && s.coded.added != nil {
		s.scan(p, s.coded.added[list], s.coded.added[list+1], skip, found)
	}
}

// scan shows found the rows of a range of coded rows. A row is passed over
// only when its product, by the codes and the most that they may be off, is
// below what found keeps.
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
