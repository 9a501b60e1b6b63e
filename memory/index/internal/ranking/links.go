package ranking

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"example.com/assay/memory/index/internal/analysis"
	"example.com/assay/memory/index/internal/storage"
)

// mentioned calls fn for every passage whose title s mentions, in any order
// and perhaps repeatedly.
func (x *Corpus) mentioned(s string, fn func(ord int32)) {
	if len(x.Table.Titles) == 0 {
		return
	}
	analysis.EachRun(s, func(key uint64) {
		at, found := slices.BinarySearchFunc(x.Table.Titles, key, func(r storage.TitleRef, key uint64) int { return cmp.Compare(r.Key, key) })
		for ; found && at < len(x.Table.Titles) && x.Table.Titles[at].Key == key; at++ {
			fn(x.Table.Titles[at].Ord)
		}
	})
}

// links follows the titles that the best passages mention; passages that
// may not be returned are followed too, they are why the next hop is asked. It returns how
// good the best passage is that mentions each, relative to the best of all.
func (x *Corpus) links(ctx context.Context, sig *signals) (map[int32]float64, error) {
	if len(x.Table.Titles) == 0 {
		return nil, nil
	}
	found := make(map[int32]float64)
	top := sig.bestPlain(bridges, nil)
	for _, from := range top {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		p, err := x.Store.Passage(from)
		if err != nil {
			return nil, err
		}
		value := sig.plain[from] / sig.plain[top[0]]
		x.mentioned(p.Text, func(ord int32) {
			if ord != from {
				found[ord] = max(found[ord], value)
			}
		})
	}
	return found, nil
}

// linked lists the passages that the best ones mention, the best first.
func linked(links map[int32]float64, out func(int32) bool) []int32 {
	pool := slices.DeleteFunc(slices.Collect(maps.Keys(links)), out)
	slices.SortFunc(pool, func(a, b int32) int { return cmp.Or(cmp.Compare(links[b], links[a]), cmp.Compare(a, b)) })
	return pool[:min(poolLinks, len(pool))]
}
