package index

import (
	"fmt"

	"example.com/assay/memory/vector"
)

// arrange makes the set of the vectors, and the lists of a large one.
func (u *update) arrange() error {
	var before *vector.Lists
	if u.old != nil && !u.manifest.Stats.Refit {
		before = u.old.vectors.Lists()
	}
	lists, err := u.lists(listsFile, u.vectors, u.model.Dims(), before)
	if err != nil {
		return err
	}
	u.set, err = vector.NewSet(u.vectors, u.model.Dims(), lists)
	return err
}

// lists writes the lists of vectors that are too many to be scanned, made of
// the earlier generation's where there are some that still fit; else there
// are none.
func (u *update) lists(name string, rows []float32, dims int, before *vector.Lists) (lists *vector.Lists, err error) {
	if dims == 0 || len(rows)/dims <= u.flatUpTo {
		return nil, nil
	}
	if before != nil {
		lists, err = before.Assign(u.ctx, rows)
	} else {
		lists, err = vector.Train(u.ctx, rows, dims)
	}
	if err != nil {
		return nil, err
	}
	data, err := lists.MarshalBinary()
	if err != nil {
		return nil, fmt.Errorf("encoding the lists of vectors: %w", err)
	}
	return lists, writeFile(u.opts.Dir, name, data)
}
