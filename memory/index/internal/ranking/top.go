package ranking

import (
	"context"
	"slices"

	"example.com/assay/memory/index/internal/analysis"
	"example.com/assay/memory/index/internal/queryterms"
)

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

// bestPlain lists the k passages with the highest BM25, best first. The caller must not
// change the list. Without what
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
	return bestOf(k, s.touched, scoring{scores: s.plain, largest: 1}, out)
}

// A scoring gives passages their values: the score divided by the largest, and more.
type scoring struct {
	scores  []float64
	largest float64
	more    func(ord int32) float64     // nil for nothing
	most    float64                     // that more returns
	others  func(least float64) []int32 // passages without a score that may be worth a value; nil for none
}

func (s scoring) value(ord int32) float64 {
	v := s.scores[ord] / s.largest
	if s.more != nil {
		v += s.more(ord)
	}
	return v
}

// floor is a score below which no passage is worth a value, whatever is rounded.
func (s scoring) floor(value float64) float64 {
	return (value - s.most*(1+1e-9)) * s.largest * (1 - 1e-9)
}

type match struct {
	ord   int32
	value float64
}

// bestOf returns the k passages with the highest values, best first. Those of list have a
// score, and are in any order. Passages that out reports are left out.
func bestOf(k int, list []int32, s scoring, out func(ord int32) bool) []int32 {
	least := top{k: k}
	limit, floor := 0.0, s.floor(0)
	var good []match // that had a chance when they were seen: the limit only rises
	for _, ord := range list {
		if s.scores[ord] < floor {
			continue
		}
		v := s.value(ord)
		if v < limit || v <= 0 {
			continue
		}
		good = append(good, match{ord, v})
		if v > limit && !out(ord) {
			least.add(ord, v)
			limit = least.limit()
			floor = s.floor(limit)
		}
	}
	var shown []int32
	if s.others != nil {
		shown = s.others(limit)
	}
	for _, m := range good {
		if m.value >= limit {
			shown = append(shown, m.ord)
		}
	}
	found := top{k: k}
	for _, ord := range analysis.Distinct(shown) {
		if v := s.value(ord); v > found.limit() && !out(ord) {
			found.add(ord, v)
		}
	}
	return found.ords
}

// ByWords returns the k passages with the highest BM25 of terms, and their scores.
func (x *Corpus) ByWords(ctx context.Context, terms []string, same []queryterms.OtherForm, k int) (ords []int32, scores []float64, err error) {
	s := x.scratch.Get().(*scratch)
	defer x.scratch.Put(s)
	s.lists.reset(same)
	sig, _, err := x.score(ctx, terms, nil, s)
	if err != nil {
		return nil, nil, err
	}
	ords = sig.lookPlain(k, func(int32) bool { return false })
	for _, ord := range ords {
		scores = append(scores, sig.plain[ord])
	}
	return ords, scores, nil
}
