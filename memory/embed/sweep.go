package embed

import (
	"cmp"
	"errors"
	"os"
	"slices"
	"time"
)

// sweep deletes segments, those first that were used the longest ago, until
// the cache is within its bound. The one that is written to stays. The caller
// holds the lock.
//
// Whole segments go and not single vectors: a corpus's vectors are written
// together and are needed together, and deleting a file moves no data.
func (c *Cache) sweep() error {
	type aged struct {
		number int
		size   int64
		at     time.Time
	}
	var total int64
	var old []aged
	for i, n := range c.order {
		s := c.segments[n]
		total += s.end
		info, err := os.Stat(s.path)
		if err != nil {
			return err
		}
		if i < len(c.order)-1 {
			old = append(old, aged{n, s.end, info.ModTime()})
		}
	}
	slices.SortFunc(old, func(a, b aged) int { return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.number, b.number)) })
	for _, a := range old {
		if total <= c.max {
			return nil
		}
		if err := os.Remove(c.segments[a.number].path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		if err := c.drop(a.number); err != nil {
			return err
		}
		c.order = slices.DeleteFunc(c.order, func(n int) bool { return n == a.number })
		total -= a.size
	}
	return nil
}
