package vector

import "slices"

// A Match is a row and its dot product with a query.
type Match struct {
	Row   int32
	Value float64
}

// before orders matches: larger products first, of equals the lower row.
func (m Match) before(o Match) bool {
	if m.Value != o.Value {
		return m.Value > o.Value
	}
	return m.Row < o.Row
}

// A best collects the k first of the matches offered to it, in order. k is small.
type best struct {
	k     int
	above float64 // matches must be above it
	list  []Match
}

// limit is the bound below which a match is not collected.
func (b *best) limit() float64 {
	if len(b.list) == b.k {
		return max(b.above, b.list[b.k-1].Value)
	}
	return b.above
}

// admits reports whether add would collect a match.
func (b *best) admits(m Match) bool {
	return m.Value > b.above && (len(b.list) < b.k || m.before(b.list[b.k-1]))
}

func (b *best) add(m Match) {
	if !b.admits(m) {
		return
	}
	at, _ := slices.BinarySearchFunc(b.list, m, func(a, m Match) int {
		if a.before(m) {
			return -1
		}
		return 1
	})
	if len(b.list) == b.k {
		b.list = b.list[:b.k-1]
	}
	b.list = slices.Insert(b.list, at, m)
}
