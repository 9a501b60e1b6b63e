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

// Remove deletes a corpus and the answers stored for it, never the ingested documents. Its
// directory is renamed first, so that it is gone at once or not at all; open readers keep their
// files, and on Windows they prevent the removal. An index on a server is deleted first. Errors:
// *UnknownCorpusError, *BusyError and *ServerError.
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
