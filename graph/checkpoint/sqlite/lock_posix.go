//go:build darwin || freebsd || netbsd || openbsd

package sqlite

import "golang.org/x/sys/unix"

// setLock locks for the process: x/sys has no lock of an open file here.
const setLock = unix.F_SETLK
