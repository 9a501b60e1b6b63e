package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strings"
)

// A MissingKeyError says which variable must hold a key.
type MissingKeyError struct{ Variable, url string }

// MissingKey is the error of a provider without a key.
func (p Provider) MissingKey() error { return &MissingKeyError{p.KeyVariable, p.KeyURL} }

func (e *MissingKeyError) Error() string {
	return fmt.Sprintf("%s is not set: make a key at %s and export it", e.Variable, e.url)
}

const maxKey = 64 << 10 // bytes; a key of a service account is a few thousand

// ReadKey reads a file that holds only a key, and that only its owner may read. Errors
// show the path only once it is known to be one: it may be the key itself.
func ReadKey(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		if at, ok := errors.AsType[*fs.PathError](err); ok {
			err = at.Err
		}
		return "", fmt.Errorf("finding the file of the key: %w (the value must be the path of a file that holds the key, not the key itself)", err)
	}
	if !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s is not a regular file: write the key into one", path)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return "", fmt.Errorf("%s can be read by others (mode %04o): chmod 600 %s", path, info.Mode().Perm(), path)
	}
	if info.Size() > maxKey {
		return "", fmt.Errorf("%s holds %d bytes, too many for a key", path, info.Size())
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("reading a key: %w", err)
	}
	key := strings.TrimSpace(string(data))
	if key == "" {
		return "", fmt.Errorf("%s is empty: write the key into it", path)
	}
	return key, nil
}
