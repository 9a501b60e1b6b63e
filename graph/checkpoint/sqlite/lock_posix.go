//go:build darwin || freebsd || netbsd || openbsd

package sqlite

import "golang.org/x/sys/unix"

// setLock locks for the process: x/sys has no locks of open files here.
const setLock = unix.F_SETLK
