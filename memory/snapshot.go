package memory

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"example.com/assay/internal/disk"
)

// Snapshot copies the live generation of a corpus to the directory dir, which must not exist: its
// index, the extracted texts and the trained ranker. An index on a server is not copied, and
// removing the copy does not remove it. Other processes may read, ingest or remove the corpus
// meanwhile. Files are linked if the file system allows that. After an error dir does not exist.
// Errors: *UnknownCorpusError, also for a corpus removed meanwhile, *EmptyCorpusError and
// *CorruptCorpusError.
func Snapshot(home, name, dir string) error {
	for tries := 1; ; tries++ {
		s, gen, inUse, err := hold(home, name)
		if err != nil {
			return fmt.Errorf("copying a corpus: %w", err)
		}
		err = s.copyTo(gen, dir)
		gone := s.gone(gen, inUse)
		if gone { // and perhaps created again: the copy may be a mixture of both
			err = errors.Join(errors.New("it was removed meanwhile"), err)
		}
		if err = errors.Join(err, inUse.Close()); err == nil {
			return nil
		}
		if left := os.RemoveAll(dir); left != nil || !gone || tries == openTries {
			return fmt.Errorf("copying corpus %q: %w", name, errors.Join(err, left))
		}
	}
}

func (s *store) copyTo(gen, dir string) error {
	m, err := readManifest(s.path(gen, manifestFile))
	if err != nil {
		return &CorruptCorpusError{Name: s.name, Err: err}
	}
	to := &store{name: s.name, dir: dir}
	if err := os.MkdirAll(to.path(textsDir), 0o700); err != nil {
		return err
	}
	err = filepath.WalkDir(s.path(gen), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(s.dir, path)
		if err != nil {
			return err
		}
		switch {
		case d.IsDir():
			return os.MkdirAll(to.path(rel), 0o700)
		case d.Name() == inUseFile: // a link would share its lock
			return os.WriteFile(to.path(rel), nil, 0o600)
		}
		return disk.Link(path, to.path(rel))
	})
	if err != nil {
		return err
	}
	linked := map[string]bool{}
	for _, f := range m.Files {
		if f.Text == "" || linked[f.Text] {
			continue
		}
		linked[f.Text] = true
		if err := disk.Link(s.path(textsDir, f.Text), to.path(textsDir, f.Text)); err != nil {
			return err
		}
	}
	if err := disk.Link(s.path(rankerFile), to.path(rankerFile)); err != nil && !errors.Is(err, fs.ErrNotExist) { // replaced by renaming, never written in place
		return err
	}
	return os.WriteFile(to.path(currentFile), []byte(gen+"\n"), 0o600)
}
