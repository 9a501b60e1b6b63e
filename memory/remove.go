package memory

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"example.com/assay/internal/disk"
	"example.com/assay/memory/qa"
)

// Remove deletes a corpus and the answers remembered from it, never the
// documents that it was made from. Its directory is renamed first, so that it
// is gone at once or not at all; readers keep what they opened, and on Windows
// keep it from being removed. The errors to
// expect are *UnknownCorpusError, *BusyError and, of an index on a server, which is removed
// first, *ServerError.
func Remove(ctx context.Context, home, name string, servers Servers) (err error) {
	if err := CheckName(name); err != nil {
		return err
	}
	known, err := Names(home)
	if err != nil {
		return err
	}
	if !slices.Contains(known, name) {
		return &UnknownCorpusError{Name: name, Known: known}
	}
	s := &store{name: name, dir: corpusDir(home, name), step: func(string) {}}
	lock, err := s.lock()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	if err := s.dropCollections(ctx, servers, false); err != nil {
		return fmt.Errorf("removing corpus %q: %w", name, err)
	}
	gone, err := os.MkdirTemp(filepath.Dir(s.dir), ".removed-*")
	if err != nil {
		return fmt.Errorf("removing corpus %q: %w", name, err)
	}
	if runtime.GOOS == "windows" { // where no folder is renamed that has an open file, such as the lock
		err = lock.Close()
	}
	if err := errors.Join(err, disk.Rename(s.dir, filepath.Join(gone, name))); err != nil {
		return fmt.Errorf("removing corpus %q: %w", name, errors.Join(err, os.Remove(gone)))
	}
	err = qa.Remove(qa.Path(home, name))
	if err := errors.Join(err, os.RemoveAll(gone)); err != nil {
		return fmt.Errorf("removing corpus %q: %w", name, err)
	}
	return nil
}
