//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package memory

import (
	"errors"
	"fmt"
	"os"
	"runtime"
)

var errLocked = errors.New("locked")

func lockExclusive(f *os.File) error {
	return fmt.Errorf("locking %q: %s has no file locks that end with their process; ingest on a Unix system", f.Name(), runtime.GOOS)
}

// lockShared has nothing to guard against where nobody can ingest.
func lockShared(*os.File) error { return nil }

func lockWait(f *os.File) error { return lockExclusive(f) }
