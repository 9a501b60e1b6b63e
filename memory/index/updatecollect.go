package index

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"example.com/assay/memory/index/internal/storage"
)

// removed tells which passages of the earlier generation to leave out, by their
// ordinals; nil for none.
func (u *update) removed(sources []string) ([]bool, error) {
	var out []bool
	if len(sources)+len(u.opts.Remove) > 0 {
		out = make([]bool, u.old.table.Len())
	}
	for _, id := range u.opts.Remove {
		ord, known := u.old.table.Find(id)
		if !known {
			return nil, fmt.Errorf("removing passage %q: the index %q does not hold it", id, u.opts.From)
		}
		out[ord] = true
	}
	if out == nil {
		return nil, nil
	}
	u.old.table.OfSources(sources, out)
	return out, nil
}

// collect lists the rows of the new generation, sorted by id: those of the earlier
// one that stay, and the new ones. It returns their places.
func (u *update) collect(removed []bool) (places []int32, err error) {
	fresh := u.parts.Fresh
	slices.SortFunc(fresh, func(a, b storage.Draft) int {
		return cmp.Or(strings.Compare(a.ID, b.ID), cmp.Compare(a.Place, b.Place))
	})
	before := u.old.table.Len()
	u.kept, places = make([]int32, 0, before+len(fresh)), make([]int32, 0, before+len(fresh))
	next := int32(0)
	keep := func(to int32) {
		for ; next < to; next++ {
			if removed == nil || !removed[next] {
				u.kept, places = append(u.kept, next), append(places, u.old.table.Place(next))
			}
		}
	}
	for i := range fresh {
		d := &fresh[i]
		at, known := u.old.table.Find(d.ID)
		keep(at)
		if known && at == next && (removed == nil || !removed[at]) {
			if u.opts.Stream != nil {
				return nil, &DuplicateError{ID: d.ID, Sources: [2]string{u.old.table.Source(at), d.Source}}
			}
			next++ // it is replaced
		}
		if i > 0 && d.ID == fresh[i-1].ID {
			return nil, &DuplicateError{ID: d.ID, Sources: [2]string{fresh[i-1].Source, d.Source}}
		}
		u.kept, places = append(u.kept, -1), append(places, d.Place)
	}
	keep(int32(before))
	u.fresh = len(fresh)
	u.gone = before + u.fresh - len(u.kept)
	return places, nil
}
