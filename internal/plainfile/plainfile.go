// Package plainfile opens files that a person named. No such file can block the program or fill its
// memory.
//
//	data, err := plainfile.Read("schema.json", 0)
//
// It reads regular files and pipes. It does not wait for a pipe that nobody writes: that is empty. It
// does not check the content, and does not keep paths inside a folder.
package plainfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// DefaultLimit bounds a file that is read as a whole, in bytes, if its reader gives no bound.
const DefaultLimit = 64 << 20

// Open opens a file. For a folder, a device or a socket, the error says what to give instead.
func Open(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return os.Open(path) // its error has the usual words
	}
	flags := os.O_RDONLY
	switch mode := info.Mode(); {
	case mode&fs.ModeNamedPipe != 0:
		flags |= syscall.O_NONBLOCK // else opening waits for a writer
	case mode.IsDir():
		return nil, fmt.Errorf("%q is a folder; name a file in it", path)
	case !mode.IsRegular():
		return nil, fmt.Errorf("%q is a device or a socket; copy what it holds to a file, and name that", path)
	}
	return os.OpenFile(path, flags, 0)
}

// Read reads a file of at most limit bytes; 0 means [DefaultLimit].
func Read(path string, limit int64) ([]byte, error) {
	if limit <= 0 {
		limit = DefaultLimit
	}
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	if int64(len(data)) > limit {
		return nil, fmt.Errorf("%q is longer than %d bytes; split it", path, limit)
	}
	return data, nil
}
