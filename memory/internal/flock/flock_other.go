//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package flock

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
)

// ErrLocked says that somebody else holds a lock.
var ErrLocked = errors.New("locked")

// Exclusive fails: a lock that outlives its process is none to rely on.
func Exclusive(f *os.File) error {
	return fmt.Errorf("locking %q: %s has no file locks that end with their process; use a Unix system", f.Name(), runtime.GOOS)
}

// Shared has nothing to guard against where nobody can ingest.
func Shared(*os.File) error { return nil }

// Wait fails as Exclusive does.
func Wait(_ context.Context, f *os.File) error { return Exclusive(f) }
