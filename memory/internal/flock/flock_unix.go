//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package flock

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// ErrLocked says that somebody else holds a lock.
var ErrLocked = errors.New("locked")

// Exclusive locks f for one holder, or fails with ErrLocked at once.
func Exclusive(f *os.File) error { return lock(f, syscall.LOCK_EX|syscall.LOCK_NB) }

// Shared locks f against Exclusive, or fails with ErrLocked at once.
func Shared(f *os.File) error { return lock(f, syscall.LOCK_SH|syscall.LOCK_NB) }

// Wait locks f for one holder, waiting for its turn until the context ends. It asks
// again and again: the system's own wait cannot be ended.
func Wait(ctx context.Context, f *os.File) error {
	const first, longest = time.Millisecond, 50 * time.Millisecond
	for pause := first; ; pause = min(2*pause, longest) {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("waiting for the lock of %q: %w", f.Name(), err)
		}
		if err := Exclusive(f); !errors.Is(err, ErrLocked) {
			return err
		}
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
			timer.Stop()
		case <-timer.C:
		}
	}
}

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
