package index

import (
	"cmp"
	"context"
	"slices"
)

// withOther adds to the postings of a term those of the other form of what it is part
// of: all terms of an abbreviated phrase are where its abbreviation is, and an
// abbreviation is where all words of the phrase follow each other.
func (x *corpus) withOther(ctx context.Context, term string, list []posting, same []otherForm) ([]posting, error) {
	for _, o := range same {
		if !slices.Contains(o.terms, term) {
			continue
		}
		more, err := x.phrase(ctx, o.other)
		if err != nil {
			return nil, err
		}
		list = united(list, more)
	}
	return list, nil
}

// phrase are the postings of terms that follow each other, how often at most.
func (x *corpus) phrase(ctx context.Context, list []string) ([]posting, error) {
	if len(list) == 1 {
		return x.store.postings(ctx, bodyField, list[0], nil)
	}
	var out []posting
	for i, pair := range bigrams(list) {
		found, err := x.store.postings(ctx, bigramField, pair, nil)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			out = found
			continue
		}
		times := make(map[int32]int32, len(found))
		for _, p := range found {
			times[p.ord] = p.tf
		}
		kept := out[:0]
		for _, p := range out {
			if n := min(p.tf, times[p.ord]); n > 0 {
				kept = append(kept, posting{ord: p.ord, tf: n})
			}
		}
		out = kept
	}
	return out, nil
}

// united adds postings to others, one for each passage, in the order of the passages.
func united(list, more []posting) []posting {
	list = append(list, more...)
	slices.SortFunc(list, func(a, b posting) int { return cmp.Compare(a.ord, b.ord) })
	out := list[:0]
	for _, p := range list {
		if n := len(out); n > 0 && out[n-1].ord == p.ord {
			out[n-1].tf += p.tf
			continue
		}
		out = append(out, p)
	}
	return out
}
