//go:build linux || darwin || freebsd || netbsd || openbsd

package sqlite

import (
	"errors"
	"io"
	"os"

	"example.com/assay/graph"
	"golang.org/x/sys/unix"
)

func lockByte(f *os.File, at int64) error {
	err := unix.FcntlFlock(f.Fd(), setLock, &unix.Flock_t{Type: unix.F_WRLCK, Whence: io.SeekStart, Start: at, Len: 1})
	if errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EACCES) {
		return graph.ErrThreadBusy
	}
	return err
}

// unlockByte can fail for a locked byte only when memory runs out; closing the file then frees it.
func unlockByte(f *os.File, at int64) {
	_ = unix.FcntlFlock(f.Fd(), setLock, &unix.Flock_t{Type: unix.F_UNLCK, Whence: io.SeekStart, Start: at, Len: 1})
}
