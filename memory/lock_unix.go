//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package memory

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// errLocked says that somebody else holds a lock.
var errLocked = errors.New("locked")

// lockExclusive locks f for one holder, or fails with errLocked at once.
func lockExclusive(f *os.File) error { return flock(f, syscall.LOCK_EX|syscall.LOCK_NB) }

// lockShared locks f against lockExclusive, or fails with errLocked at once.
func lockShared(f *os.File) error { return flock(f, syscall.LOCK_SH|syscall.LOCK_NB) }

// lockWait locks f for one holder, waiting for its turn.
func lockWait(f *os.File) error { return flock(f, syscall.LOCK_EX) }

func flock(f *os.File, how int) error {
	for {
		err := syscall.Flock(int(f.Fd()), how)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, syscall.EINTR):
			continue
		case errors.Is(err, syscall.EWOULDBLOCK):
			return errLocked
		}
		return fmt.Errorf("locking %q: %w", f.Name(), err)
	}
}
