package index

import "slices"

// A top keeps the k passages with the highest positive values of those that it
// is shown in ascending order, best first; of equals, the one with the lower
// ordinal. k is small.
type top struct {
	k      int
	ords   []int32
	values []float64
}

// limit is what a value must be above to be kept.
func (t *top) limit() float64 {
	if len(t.values) == t.k {
		return t.values[t.k-1]
	}
	return 0
}

// add keeps a passage whose value is above the limit.
func (t *top) add(ord int32, value float64) {
	at, _ := slices.BinarySearchFunc(t.values, value, func(a, value float64) int {
		if a >= value {
			return -1
		}
		return 1
	})
	if len(t.values) == t.k {
		t.values, t.ords = t.values[:t.k-1], t.ords[:t.k-1]
	}
	t.values, t.ords = slices.Insert(t.values, at, value), slices.Insert(t.ords, at, ord)
}

// bestPlain is best of the scores by BM25, which the caller must not change. Without what
// is left out, one look at all passages answers up to backgroundTo of them.
func (sig *signals) bestPlain(k int, out func(ord int32) bool) []int32 {
	if sig.plainBest == nil {
		sig.plainBest = sig.lookPlain(backgroundTo, func(int32) bool { return false })
	}
	first := sig.plainBest[:min(k, len(sig.plainBest))]
	if k > backgroundTo || out != nil && slices.ContainsFunc(first, out) {
		return sig.lookPlain(k, out)
	}
	return first
}

func (s *scratch) lookPlain(k int, out func(ord int32) bool) []int32 {
	value := func(ord int32, _ float64) float64 { return s.plain[ord] }
	return bestOf(k, s.touched, value, func(float64) []int32 { return nil }, out)
}

type match struct {
	ord   int32
	value float64
}

// bestOf is what a top of k would be if it were shown all passages: those of list
// have their values, in any order, and others has what passages beside them may have
// that are worth a value, which it is told. Passages that out reports are left out. value
// may return anything below least for what is worth less.
func bestOf(k int, list []int32, value func(ord int32, least float64) float64, others func(least float64) []int32, out func(ord int32) bool) []int32 {
	least := top{k: k}
	limit := 0.0
	var good []match // that had a chance when they were seen: the limit only rises
	for _, ord := range list {
		v := value(ord, limit)
		if v < limit || v <= 0 {
			continue
		}
		good = append(good, match{ord, v})
		if v > limit && !out(ord) {
			least.add(ord, v)
			limit = least.limit()
		}
	}
	shown := others(limit)
	for _, m := range good {
		if m.value >= limit {
			shown = append(shown, m.ord)
		}
	}
	found := top{k: k}
	limit = 0
	for _, ord := range distinct(shown) {
		if v := value(ord, limit); v > limit && !out(ord) {
			found.add(ord, v)
			limit = found.limit()
		}
	}
	return found.ords
}

// best returns the k passages with the highest positive values, best first;
// of equals, the one with the lower ordinal. Those that out reports are left
// out; nil leaves none out.
func best(values []float64, k int, out func(ord int32) bool) []int32 {
	found := top{k: k}
	limit := 0.0
	for i, v := range values {
		if v > limit && (out == nil || !out(int32(i))) {
			found.add(int32(i), v)
			limit = found.limit()
		}
	}
	return found.ords
}
