package metrics

import (
	"cmp"
	"slices"
)

// A Span is a run of characters of a document: Start to End, exclusive. Compared spans must
// use the same unit. A span that ends at or before its start is empty.
type Span struct {
	Doc        string
	Start, End int
}

// CharRecall is the share of the characters of gold that are in the first k of ranked. A character
// counts once, however many spans contain it. Without gold it is 0. The measure is from Pipitone
// and Alami, "LegalBench-RAG", arXiv:2408.10343, who assume that spans do not overlap.
func CharRecall(ranked, gold []Span, k int) float64 {
	return Rate(Overlap(first(ranked, k), gold), length(union(gold)))
}

// CharPrecision is the share of the characters in the first k of ranked that are gold. A character
// counts once, however many spans contain it. If nothing was ranked it is 0. For its source see
// CharRecall.
func CharPrecision(ranked, gold []Span, k int) float64 {
	return Rate(Overlap(first(ranked, k), gold), length(union(first(ranked, k))))
}

// Overlap is the number of characters that are in both lists.
func Overlap(a, b []Span) int {
	a, b = union(a), union(b)
	n := 0
	for len(a) > 0 && len(b) > 0 {
		x, y := a[0], b[0]
		if x.Doc == y.Doc {
			n += max(0, min(x.End, y.End)-max(x.Start, y.Start))
		}
		if cmp.Or(cmp.Compare(x.Doc, y.Doc), cmp.Compare(x.End, y.End)) <= 0 {
			a = a[1:]
		} else {
			b = b[1:]
		}
	}
	return n
}

// union returns the spans sorted, without empty ones, and with overlapping ones merged. It does not
// change its argument.
func union(spans []Span) []Span {
	sorted := slices.DeleteFunc(slices.Clone(spans), func(s Span) bool { return s.End <= s.Start })
	slices.SortFunc(sorted, func(a, b Span) int {
		return cmp.Or(cmp.Compare(a.Doc, b.Doc), cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
	})
	out := sorted[:0]
	for _, s := range sorted {
		if n := len(out); n > 0 && out[n-1].Doc == s.Doc && s.Start <= out[n-1].End {
			out[n-1].End = max(out[n-1].End, s.End)
			continue
		}
		out = append(out, s)
	}
	return out
}

func length(spans []Span) int {
	n := 0
	for _, s := range spans {
		n += s.End - s.Start
	}
	return n
}
