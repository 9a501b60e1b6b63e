// Package disk hides the differences between systems for files that several processes use:
// flushing, linking and replacing them, and the reasons for failures. On Windows a file cannot be
// removed or replaced while a process has it open, by any of its names. The package does not lock
// or repair files.
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

// Sync flushes a file, or the names in a folder, to the disk. Windows cannot flush a folder,
// because NTFS journals names itself; there Sync only checks that the folder exists.
func Sync(path string) error {
	flags := os.O_RDONLY
	if windows {
		flags = os.O_RDWR // without the right to write, a flush is refused
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

// Rename replaces a file by another, or renames a folder. On Windows it retries for two seconds
// while a process has the replaced file, or one in the folder, open. InUse recognises the error
// after that.
func Rename(from, to string) error {
	denied := func(err error) bool { return windows && errors.Is(err, os.ErrPermission) } // said of open files as well
	err := again.Do(context.Background(), again.Waits{First: 20 * time.Millisecond, Most: 20 * time.Millisecond, Total: 2 * time.Second},
		func() error { return os.Rename(from, to) }, func(err error) bool { return denied(err) || InUse(err) })
	if denied(err) {
		return fmt.Errorf("%w: %w", err, errInUse)
	}
	return err
}

var errInUse = errors.New("a process may have it open")

// Full reports whether an error means that a disk or a quota is full.
func Full(err error) bool {
	const handleDiskFull, diskFull, quotaExceeded = syscall.Errno(39), syscall.Errno(112), syscall.Errno(1295)
	if windows {
		return errors.Is(err, handleDiskFull) || errors.Is(err, diskFull) || errors.Is(err, quotaExceeded)
	}
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// InUse reports whether Windows refused an operation because a process has the file open. On other
// systems nothing is refused for that.
func InUse(err error) bool {
	const sharingViolation, lockViolation = syscall.Errno(32), syscall.Errno(33)
	return errors.Is(err, errInUse) || windows && (errors.Is(err, sharingViolation) || errors.Is(err, lockViolation))
}
