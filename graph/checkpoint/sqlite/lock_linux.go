package sqlite

import "golang.org/x/sys/unix"

// setLock locks for the open file. A classic POSIX lock belongs to the process, so it would not
// separate two savers.
const setLock = unix.F_OFD_SETLK
