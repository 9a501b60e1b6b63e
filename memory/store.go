package memory

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/gofrs/flock"

	"example.com/assay/internal/disk"
	"example.com/assay/memory/text/pattern"
)

const (
	currentFile  = "CURRENT"
	begunFile    = "begun" // there until the first generation is live
	lockFile     = "lock"
	textsDir     = "texts"
	indexDir     = "index"
	manifestFile = "manifest.json"
	inUseFile    = "inuse" // readers have a shared lock on it
)

var corpusName = pattern.New(`^[a-z0-9][a-z0-9._-]*$`)

// NameRule describes valid corpus names.
const NameRule = "a corpus name is 1 to 100 of a-z, 0-9, '.', '_' and '-', the first a letter or digit"

// CheckName accepts corpus names that are safe as directories on every system.
func CheckName(name string) error {
	if !corpusName.MatchString(name) || len(name) > 100 {
		return fmt.Errorf("naming corpus %q: %s", name, NameRule)
	}
	return nil
}

func corpusDir(home, name string) string { return filepath.Join(home, "corpora", name) }

// A store is a corpus directory. Its writing methods are called by the holder
// of the lock only.
type store struct {
	name string
	dir  string
	step func(op string) // called before every change to the directory; tests die in it
}

func (s *store) path(elem ...string) string {
	return filepath.Join(append([]string{s.dir}, elem...)...)
}

// current returns the name of the live generation, or "" if there is none.
func (s *store) current() (string, error) {
	data, err := os.ReadFile(s.path(currentFile))
	if errors.Is(err, os.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("reading the current generation of %q: %w", s.name, err)
	}
	gen := strings.TrimSpace(string(data))
	if generationNumber(gen) == 0 {
		return "", &CorruptCorpusError{Name: s.name, Err: fmt.Errorf("%s holds %q, not a generation", currentFile, gen)}
	}
	return gen, nil
}

// setCurrent makes gen the live generation, for good once it returns.
func (s *store) setCurrent(gen string) error {
	if err := s.writeFile(currentFile, []byte(gen+"\n")); err != nil {
		return fmt.Errorf("naming the current generation: %w", err)
	}
	return nil
}

// writeFile replaces a file of the corpus atomically and durably.
func (s *store) writeFile(name string, data []byte) error {
	path := s.path(name)
	tmp := path + ".tmp"
	s.step("write " + name)
	if err := writeSynced(tmp, data); err != nil {
		return err
	}
	s.step("rename " + name)
	if err := disk.Rename(tmp, path); err != nil {
		return err
	}
	s.step("sync " + name)
	return disk.Sync(filepath.Dir(path))
}

// writeSynced writes a file and waits until it is on disk.
func writeSynced(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// generationNumber returns the number of "gen-000007", or 0.
func generationNumber(name string) int {
	digits, ok := strings.CutPrefix(name, "gen-")
	if !ok || len(digits) < 6 || strings.Trim(digits, "0123456789") != "" {
		return 0
	}
	n, err := strconv.Atoi(digits)
	if err != nil {
		return 0
	}
	return n
}

// generations lists the generations in the directory, whole or not, sorted.
func (s *store) generations() ([]string, error) {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return nil, fmt.Errorf("listing corpus %q: %w", s.name, err)
	}
	var out []string
	for _, e := range entries {
		if generationNumber(e.Name()) > 0 {
			out = append(out, e.Name())
		}
	}
	return out, nil
}

// errLocked reports that another process, or another part of this one, has a lock.
var errLocked = errors.New("locked")

// locked returns the error of an attempt to lock.
func locked(got bool, err error) error {
	if err == nil && !got {
		return errLocked
	}
	return err
}

// lock takes the corpus for one writer. The lock ends with the process. The file
// says which process has it, except on Windows, which lets nobody write or read a
// file that is locked.
func (s *store) lock() (*flock.Flock, error) {
	path := s.path(lockFile)
	f := flock.New(path)
	err := locked(f.TryLock())
	if errors.Is(err, errLocked) {
		pid, _ := os.ReadFile(path) // a writer that has not written its number yet is reported without
		id, _ := strconv.Atoi(strings.TrimSpace(string(pid)))
		return nil, &BusyError{Corpus: s.name, PID: id}
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("locking corpus %q: %w", s.name, err), f.Close())
	}
	_ = os.WriteFile(path, []byte(strconv.Itoa(os.Getpid())+"\n"), 0o600) // the lock works without it
	return f, nil
}

// clean removes the remains of earlier ingests: generations that are neither live nor in use,
// incomplete files, and texts that no generation names.
func (s *store) clean(live string) error {
	if live != "" {
		s.step("remove " + begunFile)
		if err := os.Remove(s.path(begunFile)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	gens, err := s.generations()
	if err != nil {
		return err
	}
	used := map[string]bool{}
	for _, gen := range gens {
		if gen != live {
			gone, err := s.removeGeneration(gen)
			if err != nil {
				return err
			}
			if gone {
				continue
			}
		}
		m, err := readManifest(s.path(gen, manifestFile))
		if err != nil {
			return nil // which texts it needs is not known, so all stay
		}
		for _, f := range m.Files {
			used[f.Text] = true
		}
	}
	if err := s.removeFiles(s.dir, func(name string) bool { return strings.HasSuffix(name, ".tmp") }); err != nil {
		return err
	}
	return s.removeFiles(s.path(textsDir), func(name string) bool { return !used[name] })
}

// removeGeneration deletes a generation unless a reader has it open.
func (s *store) removeGeneration(gen string) (bool, error) {
	f := flock.New(s.path(gen, inUseFile), flock.SetFlag(os.O_RDONLY))
	defer func() { _ = f.Close() }() // releases the lock
	err := locked(f.TryLock())
	if errors.Is(err, errLocked) {
		return false, nil
	}
	if err == nil || errors.Is(err, os.ErrNotExist) { // without the file it was never finished: nobody can have opened it
		s.step("remove " + gen)
		// Without this file nobody opens it any more. Windows removes it only when nobody has
		// it open, and this lock has.
		if err = os.Remove(s.path(gen, inUseFile)); disk.InUse(err) && f.Close() == nil {
			err = os.Remove(s.path(gen, inUseFile))
		}
		if disk.InUse(err) {
			return false, nil
		}
		if err == nil || errors.Is(err, os.ErrNotExist) {
			err = os.RemoveAll(s.path(gen))
		}
	}
	if err != nil {
		return false, fmt.Errorf("removing generation %s: %w", gen, err)
	}
	return true, nil
}

func (s *store) removeFiles(dir string, unwanted func(name string) bool) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("cleaning corpus %q: %w", s.name, err)
	}
	for _, e := range entries {
		if !e.IsDir() && unwanted(e.Name()) {
			s.step("remove " + e.Name())
			if err := os.Remove(filepath.Join(dir, e.Name())); err != nil {
				return fmt.Errorf("cleaning corpus %q: %w", s.name, err)
			}
		}
	}
	return nil
}

// removeIfNew removes a corpus without a generation, so that a failed first ingest leaves no empty
// corpus, unless it has data on a server that cannot be removed.
func (s *store) removeIfNew(ctx context.Context, servers Servers) error {
	gens, err := s.generations()
	if err != nil || len(gens) > 0 {
		return err
	}
	if _, err := os.Stat(s.path(currentFile)); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	clear, cancel := context.WithTimeout(context.WithoutCancel(ctx), dropWithin)
	defer cancel()
	if err := s.dropCollections(clear, servers, false); err != nil {
		return err
	}
	return os.RemoveAll(s.dir)
}

// next returns an unused generation name.
func (s *store) next(live string) (string, error) {
	gens, err := s.generations()
	if err != nil {
		return "", err
	}
	last := generationNumber(live)
	for _, gen := range gens {
		last = max(last, generationNumber(gen))
	}
	return fmt.Sprintf("gen-%06d", last+1), nil
}

// Names returns the corpus directories of a home, sorted.
func Names(home string) ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(home, "corpora"))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("listing corpora: %w", err)
	}
	var out []string
	for _, e := range entries {
		dir := e.IsDir()
		if e.Type()&os.ModeSymlink != 0 { // a corpus may be on another disk
			info, err := os.Stat(corpusDir(home, e.Name()))
			dir = err == nil && info.IsDir()
		}
		if dir && CheckName(e.Name()) == nil {
			out = append(out, e.Name())
		}
	}
	slices.Sort(out)
	return out, nil
}
