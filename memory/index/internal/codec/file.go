package codec

import (
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// Parallel runs fn for 0 … n-1 on all processors and waits. fn must write
// only what belongs to its index.
func Parallel(n int, fn func(i int)) {
	var next atomic.Int64
	work := func() {
		for i := next.Add(1); i <= int64(n); i = next.Add(1) {
			fn(int(i - 1))
		}
	}
	var others sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) - 1 {
		others.Go(work)
	}
	work()
	others.Wait()
}

// Write writes a file that holds some pieces one after the other.
func Write(dir, name string, pieces ...[]byte) error {
	f, err := os.OpenFile(filepath.Join(dir, name), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err == nil {
		for i := 0; i < len(pieces) && err == nil; i++ {
			_, err = f.Write(pieces[i])
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
