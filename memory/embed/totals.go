package embed

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
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

// longestClose bounds how long a closing cache waits for others to have written.
const longestClose = 2 * time.Second

// addTotals adds what this opening was asked to the file. Where the lock does not
// come free the counts are lost: nobody waits for a report.
func (c *Cache) addTotals() error {
	if c.hits+c.misses == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), longestClose)
	defer cancel()
	err := c.locked(ctx, func() error {
		hits, misses, err := c.readTotals()
		if err != nil {
			return err
		}
		path := filepath.Join(c.dir, totalsName)
		if err := os.WriteFile(path+".new", fmt.Appendf(nil, "%d %d\n", hits+c.hits, misses+c.misses), 0o600); err != nil {
			return err
		}
		return os.Rename(path+".new", path)
	})
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, fs.ErrNotExist) { // deleted while it was open
		return nil
	}
	return err
}
