package ranking

import (
	"cmp"
	"context"
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

// A link says that a passage's title is mentioned by a good passage: by how
// good a one, relative to the best.
type link struct {
	ord   int32
	value float64
}

// links follows the titles that the best passages mention; passages that
// may not be returned are followed too, they are why the next hop is asked.
func (x *Corpus) links(ctx context.Context, sig *signals) ([]link, error) {
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
	out := make([]link, 0, len(found))
	for ord, value := range found {
		out = append(out, link{ord: ord, value: value})
	}
	slices.SortFunc(out, func(a, b link) int { return cmp.Or(cmp.Compare(b.value, a.value), cmp.Compare(a.ord, b.ord)) })
	return out, nil
}

func linked(links []link, out func(int32) bool) []int32 {
	var pool []int32
	for _, l := range links {
		if len(pool) == poolLinks {
			break
		}
		if !out(l.ord) {
			pool = append(pool, l.ord)
		}
	}
	return pool
}
