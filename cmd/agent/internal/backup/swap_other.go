//go:build !linux

package backup

import "errors"

var errBusyPlace = errors.New("in use as a mount point") // systems without a name for it

func swap(made, place, before string) (kept string, err error) {
	return swapInTwo(made, place, before)
}
