package codec

import (
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"

	"golang.org/x/sync/errgroup"
)

// Parallel runs fn for 0 … n-1 on all processors and waits. fn must write
// only what belongs to its index.
func Parallel(n int, fn func(i int)) {
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i := range n {
		g.Go(func() error { fn(i); return nil })
	}
	_ = g.Wait()
}

// Write writes a file of what pieces hold one after the other.
func Write(dir, name string, pieces ...[]byte) error {
	f, err := os.OpenFile(filepath.Join(dir, name), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err == nil {
		for _, data := range pieces {
			if err == nil {
				_, err = f.Write(data)
			}
		}
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return fmt.Errorf("writing the index: %w", err)
	}
	return nil
}

// Castagnoli is the polynomial of all check sums.
var Castagnoli = crc32.MakeTable(crc32.Castagnoli)

// A Panicked is what stopped the reading of files that are not as they were written.
type Panicked struct{ value any }

func (p *Panicked) Error() string { return fmt.Sprintf("reading the stored index: %v", p.value) }

// Guarded runs fn, which reads memory-mapped files, and turns bleve's panics, and
// the faults of a file that was cut while it was mapped, into errors. It covers
// fn's own goroutine only.
func Guarded(fn func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			err = &Panicked{r}
		}
	}()
	return fn()
}
