package index

import (
	"cmp"
	"slices"
)

const (
	maxTitleWords  = 8 // longer titles are not looked for
	maxTitleSharer = 3 // a title of more passages names none of them
)

// A titleRef says that a passage has the title with a key.
type titleRef struct {
	key uint64
	ord int32
}

// indexTitles lists the titles that a text can mention. use counts the
// passages per title.
func (x *Index) indexTitles(use []int) {
	keys := x.table.keys
	sharers := make(map[uint64]int)
	for i, n := range use {
		if n > 0 {
			sharers[keys[i]] += n
		}
	}
	for ord, r := range x.table.rows {
		if key := keys[r.title]; key != 0 && sharers[key] <= maxTitleSharer {
			x.titles = append(x.titles, titleRef{key: key, ord: int32(ord)})
		}
	}
	slices.SortFunc(x.titles, func(a, b titleRef) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.ord, b.ord))
	})
}

// mentioned calls fn for every passage whose title s mentions, in any order
// and perhaps repeatedly.
func (x *Index) mentioned(s string, fn func(ord int32)) {
	if len(x.titles) == 0 {
		return
	}
	list := words(s)
	for i := range list {
		for n := 1; n <= maxTitleWords && i+n <= len(list); n++ {
			key := wordsKey(list[i : i+n])
			at, found := slices.BinarySearchFunc(x.titles, key, func(r titleRef, key uint64) int { return cmp.Compare(r.key, key) })
			for ; found && at < len(x.titles) && x.titles[at].key == key; at++ {
				fn(x.titles[at].ord)
			}
		}
	}
}
