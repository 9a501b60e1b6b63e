//go:build !linux

package backup

import "errors"

var errBusyPlace = errors.New("in use as a mount point") // these systems return no such error

func swap(made, place, before string) (kept string, err error) {
	return swapInTwo(made, place, before)
}
