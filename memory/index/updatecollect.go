package index

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// removed tells which passages of the earlier generation to leave out, by their
// ordinals; nil for none.
func (u *update) removed(sources []string) ([]bool, error) {
	var out []bool
	if len(sources)+len(u.opts.Remove) > 0 {
		out = make([]bool, u.old.table.len())
	}
	for _, id := range u.opts.Remove {
		ord, known := u.old.table.find(id)
		if !known {
			return nil, fmt.Errorf("removing passage %q: the index %q does not hold it", id, u.opts.From)
		}
		out[ord] = true
	}
	if out == nil {
		return nil, nil
	}
	u.old.table.ofSources(sources, out)
	return out, nil
}

// collect lists the rows of the new generation, sorted by id: those of the earlier
// one that stay, and the new ones. It returns their places.
func (u *update) collect(removed []bool) (places []int32, err error) {
	fresh := u.parts.fresh
	slices.SortFunc(fresh, func(a, b draft) int { return cmp.Or(strings.Compare(a.id, b.id), cmp.Compare(a.place, b.place)) })
	before := u.old.table.len()
	u.kept, places = make([]int32, 0, before+len(fresh)), make([]int32, 0, before+len(fresh))
	next := int32(0)
	keep := func(to int32) {
		for ; next < to; next++ {
			if removed == nil || !removed[next] {
				u.kept, places = append(u.kept, next), append(places, u.old.table.place(next))
			}
		}
	}
	for i := range fresh {
		d := &fresh[i]
		at, known := u.old.table.find(d.id)
		keep(at)
		if known && at == next && (removed == nil || !removed[at]) {
			if u.opts.Stream != nil {
				return nil, &DuplicateError{ID: d.id, Sources: [2]string{u.old.table.source(at), d.source}}
			}
			next++ // it is replaced
		}
		if i > 0 && d.id == fresh[i-1].id {
			return nil, &DuplicateError{ID: d.id, Sources: [2]string{fresh[i-1].source, d.source}}
		}
		u.kept, places = append(u.kept, -1), append(places, d.place)
	}
	keep(int32(before))
	u.fresh = len(fresh)
	u.gone = before + u.fresh - len(u.kept)
	return places, nil
}
