package memory

import (
	"context"

	"example.com/assay/memory/index"
	"example.com/assay/memory/retrieval"
	"example.com/assay/state"
)

const (
	// covered is the share of a hit's word sequences that better hits of other sources must have
	// for it to count as a copy. The formats of one manual are split at different places. One
	// differing word in a hundred changes nothing.
	covered    = .95
	coverTries = 3 // times that hits in place of covered ones are asked for
)

// uncovered searches the index and lists hits that repeat better ones as their copies. Further hits
// take their place. The confidence is that of the first search.
func (c *Corpus) uncovered(ctx context.Context, q retrieval.Query) (retrieval.Result, error) {
	first, err := c.index.Search(ctx, q)
	if err != nil || q.Repeats {
		return first, err
	}
	k := q.K
	if k <= 0 {
		k = index.DefaultK
	}
	asked, hits := len(first.Hits), first.Hits
	first.Hits = withoutCovered(hits)
	for try := 0; try < coverTries && len(first.Hits) < k && len(hits) >= asked && asked >= k; try++ {
		q.K = asked + k - len(first.Hits)
		more, err := c.index.Search(ctx, q)
		if err != nil {
			return retrieval.Result{}, err
		}
		asked, hits = q.K, more.Hits
		first.Hits = withoutCovered(hits)
	}
	first.Hits = first.Hits[:min(k, len(first.Hits))]
	return first, nil
}

// withoutCovered leaves out hits that better ones of other sources nearly repeat.
func withoutCovered(hits []state.Hit) []state.Hit {
	var out []state.Hit
	var runs []map[string]struct{}
	for _, h := range hits {
		own := index.Shingles(h.Passage.Text)
		held := map[string]bool{}
		best, most := 0, 0
		for i, better := range out {
			if better.Passage.Source == h.Passage.Source {
				continue
			}
			n := 0
			for run := range own {
				if _, ok := runs[i][run]; ok {
					held[run] = true
					n++
				}
			}
			if n > most {
				best, most = i, n
			}
		}
		if most > 0 && float64(len(held)) >= covered*float64(len(own)) {
			out[best].Copies = append(append(out[best].Copies, h.Passage.ID), h.Copies...)
			continue
		}
		h.Rank = len(out) + 1
		out, runs = append(out, h), append(runs, own)
	}
	return out
}
