//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package flock

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// ErrLocked says that somebody else holds a lock.
var ErrLocked = errors.New("locked")

// Exclusive locks f for one holder, or fails with ErrLocked at once.
func Exclusive(f *os.File) error { return lock(f, syscall.LOCK_EX|syscall.LOCK_NB) }

// Shared locks f against Exclusive, or fails with ErrLocked at once.
func Shared(f *os.File) error { return lock(f, syscall.LOCK_SH|syscall.LOCK_NB) }

// Wait locks f for one holder, waiting for its turn.
func Wait(f *os.File) error { return lock(f, syscall.LOCK_EX) }

func lock(f *os.File, how int) error {
	for {
		err := syscall.Flock(int(f.Fd()), how)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, syscall.EINTR):
			continue
		case errors.Is(err, syscall.EWOULDBLOCK):
			return ErrLocked
		}
		return fmt.Errorf("locking %q: %w", f.Name(), err)
	}
}
