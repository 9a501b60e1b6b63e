// Package durable makes sure that what was written is still there after a loss of power.
//
// It writes nothing and renames nothing, and knows no more than one path at a time.
package durable

import (
	"errors"
	"os"
	"runtime"
)

// Sync flushes a file, or the names in a folder, to the disk. Windows has no flush of a folder:
// NTFS writes names to its journal itself, so there Sync only says whether the folder exists.
func Sync(path string) error {
	flags := os.O_RDONLY
	if runtime.GOOS == "windows" {
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
