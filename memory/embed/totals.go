package embed

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"example.com/assay/memory/internal/flock"
)

// totalsName is the file that counts what all openings of a cache were asked:
// two numbers, hits and misses. It is replaced whole, by whoever holds the
// lock; one that cannot be read counts as none, since nothing but a report
// depends on it.
const totalsName = "totals"

func (c *Cache) readTotals() (hits, misses int64, err error) {
	data, err := os.ReadFile(filepath.Join(c.dir, totalsName))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, 0, nil
	}
	if err != nil {
		return 0, 0, err
	}
	if n, _ := fmt.Sscanf(string(data), "%d %d\n", &hits, &misses); n != 2 || hits < 0 || misses < 0 {
		return 0, 0, nil
	}
	return hits, misses, nil
}

// addTotals adds what this opening was asked to the file.
func (c *Cache) addTotals() (err error) {
	if c.hits+c.misses == 0 {
		return nil
	}
	lock, err := os.OpenFile(filepath.Join(c.dir, lockName), os.O_RDWR|os.O_CREATE, 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // the cache was deleted while it was open
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Close()) }() // which ends the lock
	if err := flock.Wait(lock); err != nil {
		return err
	}
	hits, misses, err := c.readTotals()
	if err != nil {
		return err
	}
	path := filepath.Join(c.dir, totalsName)
	if err := os.WriteFile(path+".new", fmt.Appendf(nil, "%d %d\n", hits+c.hits, misses+c.misses), 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}
