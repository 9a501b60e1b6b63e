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
