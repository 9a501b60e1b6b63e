package sqlite

import "golang.org/x/sys/unix"

// setLock locks for the open file. The classic lock of POSIX is a process's:
// it would not tell two savers apart.
const setLock = unix.F_OFD_SETLK
