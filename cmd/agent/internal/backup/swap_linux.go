package backup

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

var errBusyPlace error = unix.EBUSY

// swap gives the folder made the name place. The folder that was there is kept as before, or
// removed if before is "", which is for a missing or empty folder. Kept is the name that it has
// in the end. The two exchange names in one step, so that there is a whole home at every moment.
func swap(made, place, before string) (kept string, err error) {
	if before == "" {
		return swapInTwo(made, place, before)
	}
	err = unix.Renameat2(unix.AT_FDCWD, made, unix.AT_FDCWD, place, unix.RENAME_EXCHANGE)
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EINVAL) {
		return swapInTwo(made, place, before)
	}
	if err != nil {
		return "", &os.LinkError{Op: "exchange", Old: made, New: place, Err: err}
	}
	if os.Rename(made, before) != nil { // the old home is kept under the name of the new one
		return made, nil
	}
	return before, nil
}
