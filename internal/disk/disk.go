// Package disk has the operations on shared files in which systems differ: flush a file, give it a
// second place, replace it, and tell why that failed.
//
// On Windows a file cannot be removed or replaced while a process has it open, by any of its names.
// The package takes no locks, and repairs nothing.
package disk

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"syscall"
	"time"

	"example.com/assay/internal/again"
)

const windows = runtime.GOOS == "windows"

// Sync flushes a file, or the names in a folder, to the disk. Windows has no flush of a folder:
// NTFS writes names to its journal itself, so there Sync only says whether the folder exists.
func Sync(path string) error {
	flags := os.O_RDONLY
	if windows {
		flags = os.O_RDWR // Windows flushes only a file that may be written
		if info, err := os.Stat(path); err != nil || info.IsDir() {
			return err
		}
	}
	f, err := os.OpenFile(path, flags, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// Link gives a file that does not change a second place, which must be free: by a hard link, else
// by a copy, flushed to the disk. On Windows it copies, since a link could not be removed while
// somebody reads the file at its other place.
func Link(from, to string) (err error) {
	if !windows && os.Link(from, to) == nil {
		return nil
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	if _, err = io.Copy(out, in); err != nil {
		return err
	}
	return out.Sync()
}

// Rename puts a file in the place of another, or gives a folder a new name. On Windows it tries for
// two seconds while a process has the other file, or a file in the folder, open. InUse recognises
// the error after that.
func Rename(from, to string) error {
	denied := func(err error) bool { return windows && errors.Is(err, os.ErrPermission) } // Windows says so of open files, too
	err := again.Do(context.Background(), again.Waits{First: 20 * time.Millisecond, Most: 20 * time.Millisecond, Total: 2 * time.Second},
		func() error { return os.Rename(from, to) }, func(err error) bool { return denied(err) || InUse(err) })
	if denied(err) {
		return fmt.Errorf("%w: %w", err, errInUse)
	}
	return err
}

var errInUse = errors.New("a process may have it open")

// Full reports whether a disk or a quota has no room left.
func Full(err error) bool {
	const handleDiskFull, diskFull, quotaExceeded = syscall.Errno(39), syscall.Errno(112), syscall.Errno(1295)
	if windows {
		return errors.Is(err, handleDiskFull) || errors.Is(err, diskFull) || errors.Is(err, quotaExceeded)
	}
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// InUse reports whether Windows refused an operation because a process has the file open. Other
// systems do not refuse that.
func InUse(err error) bool {
	const sharingViolation, lockViolation = syscall.Errno(32), syscall.Errno(33)
	return errors.Is(err, errInUse) || windows && (errors.Is(err, sharingViolation) || errors.Is(err, lockViolation))
}
