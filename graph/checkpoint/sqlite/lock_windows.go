package sqlite

import (
	"errors"
	"os"

	"example.com/assay/graph"
	"golang.org/x/sys/windows"
)

// lockByte locks for the open file, as it does on Linux.
func lockByte(f *os.File, at int64) error {
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, place(at))
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return graph.ErrThreadBusy
	}
	return err
}

// unlockByte cannot fail for a locked byte; closing the file would free it too.
func unlockByte(f *os.File, at int64) {
	_ = windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, place(at))
}

func place(at int64) *windows.Overlapped {
	return &windows.Overlapped{Offset: uint32(at), OffsetHigh: uint32(at >> 32)}
}
