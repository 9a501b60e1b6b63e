package linear

import (
	"cmp"
	"hash/fnv"
	"maps"
	"slices"
)

// Folds assigns rows to k folds so that rows of one group stay together. Groups are assigned in the
// order of a hash of their names, each to the fold that is smallest: the same names give the same
// folds, in any order. The result has one fold, 0 to k−1, per row.
func Folds(groups []string, k int) []int {
	sizes := map[string]int{}
	for _, g := range groups {
		sizes[g]++
	}
	names := slices.Collect(maps.Keys(sizes))
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(hash(a), hash(b)), cmp.Compare(a, b)) })
	filled := make([]int, k)
	fold := map[string]int{}
	for _, name := range names {
		smallest := 0
		for i, n := range filled {
			if n < filled[smallest] {
				smallest = i
			}
		}
		fold[name] = smallest
		filled[smallest] += sizes[name]
	}
	out := make([]int, len(groups))
	for i, g := range groups {
		out[i] = fold[g]
	}
	return out
}

func hash(s string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(s)) // a hash's Write returns no error
	return h.Sum64()
}
