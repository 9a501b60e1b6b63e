package backup

import (
	"errors"
	"io/fs"
	"os"

	"example.com/assay/internal/disk"
)

// swapInTwo is swap where a system cannot exchange two folders. A kill between the steps leaves
// no home. The old folder and the new one are then both whole, next to where the home was.
func swapInTwo(made, place, before string) (kept string, err error) {
	if before == "" {
		err = os.Remove(place)
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
	} else {
		err = disk.Rename(place, before)
	}
	if err != nil {
		return "", err
	}
	err = disk.Rename(made, place)
	if err != nil && before != "" {
		err = errors.Join(err, disk.Rename(before, place))
	}
	return before, err
}
