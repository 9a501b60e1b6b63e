package ranking

import (
	"cmp"
	"context"
	"slices"

	"example.com/assay/memory/index/internal/analysis"
	"example.com/assay/memory/index/internal/queryterms"
	"example.com/assay/memory/index/internal/storage"
)

// withOther adds to the postings of a term those of the other form of what it is part
// of: all terms of an abbreviated phrase are where its abbreviation is, and an
// abbreviation is where all words of the phrase follow each other.
func (x *Corpus) withOther(ctx context.Context, term string, list []storage.Posting, same []queryterms.OtherForm) ([]storage.Posting, error) {
	for _, o := range same {
		if !slices.Contains(o.Terms, term) {
			continue
		}
		more, err := x.phrase(ctx, o.Other)
		if err != nil {
			return nil, err
		}
		list = united(list, more)
	}
	return list, nil
}

// phrase are the postings of terms that follow each other, how often at most.
func (x *Corpus) phrase(ctx context.Context, list []string) ([]storage.Posting, error) {
	if len(list) == 1 {
		return x.Store.Postings(ctx, storage.BodyField, list[0], nil)
	}
	var out []storage.Posting
	for i, pair := range analysis.Bigrams(list) {
		found, err := x.Store.Postings(ctx, storage.BigramField, pair, nil)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			out = found
			continue
		}
		times := make(map[int32]int32, len(found))
		for _, p := range found {
			times[p.Ord] = p.TF
		}
		kept := out[:0]
		for _, p := range out {
			if n := min(p.TF, times[p.Ord]); n > 0 {
				kept = append(kept, storage.Posting{Ord: p.Ord, TF: n})
			}
		}
		out = kept
	}
	return out, nil
}

// united adds postings to others, one for each passage, in the order of the passages.
func united(list, more []storage.Posting) []storage.Posting {
	list = append(list, more...)
	slices.SortFunc(list, func(a, b storage.Posting) int { return cmp.Compare(a.Ord, b.Ord) })
	out := list[:0]
	for _, p := range list {
		if n := len(out); n > 0 && out[n-1].Ord == p.Ord {
			out[n-1].TF += p.TF
			continue
		}
		out = append(out, p)
	}
	return out
}
