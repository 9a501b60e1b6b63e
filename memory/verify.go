package memory

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"example.com/assay/memory/document"
	"example.com/assay/memory/index"
	"example.com/assay/state"

	"github.com/gofrs/flock"
)

// A FileVersion is the version of a file's format, and the newest that this program knows.
type FileVersion struct {
	File       string
	Got, Known int
}

// Versions reads the versions of the files of a corpus's live generation, without opening it. An
// unreadable file has none: Open returns the error.
func Versions(home, name string) []FileVersion {
	s := &store{name: name, dir: corpusDir(home, name)}
	var out []FileVersion
	add := func(path, form string, known int) {
		var version int
		if head, err := headOf(path); err == nil {
			if _, err := fmt.Sscanf(head, form, &version); err == nil {
				out = append(out, FileVersion{path, version, known})
			}
		}
	}
	add(s.path(rankerFile), rankerMagic+" %d", rankerVersion)
	gen, err := s.current()
	if err != nil || gen == "" {
		return out
	}
	add(s.path(gen, manifestFile), "{\n \"version\": %d", FormatVersion) // as encode writes it
	dir, _ := s.searched(gen)
	if version, err := index.Format(dir); err == nil {
		out = append(out, FileVersion{filepath.Join(dir, "manifest"), version, index.NewestFormat})
	}
	return out
}

// headOf reads the first bytes of a file.
func headOf(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	head := make([]byte, 64)
	n, err := io.ReadFull(f, head)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return string(head[:n]), errors.Join(err, f.Close())
}

// A Fault is a problem that Verify found in a file of a corpus.
type Fault struct {
	File string
	Err  error
	// Harmless faults cost only space, or an ingest: remains of a killed ingest, and documents that
	// changed since they were ingested.
	Harmless bool
}

// Verify reads all data of a corpus and changes nothing: it compares every file of the index with
// its checksum, every extracted text with its hash, and every passage with the bytes of its text.
// For an index on a server it reads only the local files. The error is that of ctx.
func Verify(ctx context.Context, home, name string) (faults []Fault, err error) {
	s, gen, inUse, err := hold(home, name)
	if err != nil {
		if errors.As(err, new(*UnknownCorpusError)) { // removed meanwhile
			return nil, nil
		}
		file := corpusDir(home, name)
		if errors.As(err, new(*EmptyCorpusError)) {
			sealed, globErr := filepath.Glob(filepath.Join(file, "gen-*", manifestFile))
			_, notBegun := os.Stat(filepath.Join(file, begunFile))
			if globErr != nil || len(sealed) == 0 || notBegun == nil { // nothing was ever reported as done
				return []Fault{{File: file, Err: err, Harmless: true}}, nil
			}
			err = fmt.Errorf("it is gone, and %s is there", filepath.Base(filepath.Dir(sealed[0])))
		}
		return []Fault{{File: filepath.Join(file, currentFile), Err: err}}, nil
	}
	v := &verification{store: s, gen: gen}
	err = v.run(ctx)
	gone := s.gone(gen, inUse)
	err = errors.Join(err, inUse.Close())
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case gone: // removed meanwhile
		return nil, nil
	case err != nil:
		v.fault(s.path(gen), err)
	}
	return v.faults, nil
}

// A verification is one run of Verify.
type verification struct {
	store  *store
	gen    string
	faults []Fault
	texts  map[string]string // the files that offsets count in, by source; "" for one that changed
	open   *os.File          // the text that was read last
}

func (v *verification) fault(file string, err error) {
	v.faults = append(v.faults, Fault{File: file, Err: err})
}

func (v *verification) run(ctx context.Context) error {
	s := v.store
	if err := v.strays(); err != nil {
		return err
	}
	if data, err := os.ReadFile(s.path(rankerFile)); err == nil {
		if _, err := decodeRanker(data); err != nil {
			v.fault(s.path(rankerFile), err)
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		v.fault(s.path(rankerFile), err)
	}
	if _, err := s.residence(); err != nil {
		v.fault(s.path(serversFile), err)
	}
	m, err := readManifest(s.path(v.gen, manifestFile))
	if err == nil {
		err = checkFields(s.path(v.gen, manifestFile))
	}
	if err != nil {
		v.fault(s.path(v.gen, manifestFile), err)
		return nil
	}
	// The fingerprint is a hash of the manifest's files.
	was := m.Fingerprint
	if m.seal(); m.Fingerprint != was {
		v.fault(s.path(v.gen, manifestFile), errors.New("it does not have the fingerprint that it names: it was changed"))
		return nil
	}
	v.checkTexts(ctx, m)
	if dir, onServer := s.searched(v.gen); onServer {
		if _, err := index.Format(dir); err != nil {
			v.fault(dir, err)
		}
		return nil
	}
	dir := s.path(v.gen, indexDir)
	passages := 0
	err = index.Verify(ctx, dir, func(p state.Passage) error {
		passages++
		path, ok := v.texts[p.Source]
		if !ok {
			return fmt.Errorf("passage %q is from %q, which the corpus does not hold", p.ID, p.Source)
		}
		if path == "" {
			return nil
		}
		return v.compare(path, p)
	})
	if v.open != nil {
		err = errors.Join(err, v.open.Close())
	}
	if err == nil && passages != m.Info.Passages {
		err = fmt.Errorf("it holds %d passages, want %d", passages, m.Info.Passages)
	}
	if stats, statsErr := index.ReadStats(dir); statsErr == nil && m.Info != m.describes(stats) {
		v.fault(s.path(v.gen, manifestFile), errors.New("its description of the corpus differs from the index: it was changed"))
	}
	if err != nil && ctx.Err() == nil {
		v.fault(dir, err)
	}
	return ctx.Err()
}

// compare compares a passage with its bytes in a file.
func (v *verification) compare(path string, p state.Passage) error {
	if v.open == nil || v.open.Name() != path {
		if v.open != nil {
			if err := v.open.Close(); err != nil {
				return err
			}
		}
		var err error
		if v.open, err = os.Open(path); err != nil {
			return err
		}
	}
	text := make([]byte, len(p.Text))
	_, err := v.open.ReadAt(text, int64(p.Start))
	if err != nil || p.End-p.Start != len(text) || string(text) != p.Text {
		return errors.Join(fmt.Errorf("passage %q is not the bytes %d–%d of %s", p.ID, p.Start, p.End, path), err)
	}
	return nil
}

// checkTexts checks the files that the offsets of passages count in.
func (v *verification) checkTexts(ctx context.Context, m *manifest) {
	v.texts = map[string]string{}
	for _, f := range m.Files {
		v.texts[f.Source] = ""
		if f.Text != "" {
			path := v.store.path(textsDir, f.Text)
			data, err := os.ReadFile(path)
			sum := sha256.Sum256(data)
			if err == nil && hex.EncodeToString(sum[:])+".txt" != f.Text {
				err = errors.New("it is not the text that was kept: its hash is another")
			}
			if err != nil {
				v.fault(path, err)
				continue
			}
			v.texts[f.Source] = path
			continue
		}
		hash, err := document.HashFile(ctx, f.Path, &document.LoadOptions{MaxFileBytes: 1 << 40})
		if err == nil && hash != f.Hash {
			err = errors.New("it changed since it was ingested")
		}
		if err != nil {
			v.faults = append(v.faults, Fault{File: f.Path, Err: err, Harmless: true})
			continue
		}
		v.texts[f.Source] = f.Path
	}
}

// strays finds the remains of killed ingests.
func (v *verification) strays() error {
	s := v.store
	gens, err := s.generations()
	if err != nil {
		return err
	}
	for _, gen := range gens {
		if gen != v.gen && !s.held(gen) {
			v.faults = append(v.faults, Fault{File: s.path(gen), Err: errors.New("no reader uses it and it is not the live generation"), Harmless: true})
		}
	}
	known := []string{currentFile, begunFile, lockFile, textsDir, rankerFile, serversFile}
	for _, dir := range []string{s.dir, s.path(textsDir)} {
		entries, err := os.ReadDir(dir)
		if err != nil && (dir == s.dir || !errors.Is(err, fs.ErrNotExist)) { // a corpus of plain text has no extracted texts
			v.fault(dir, err)
		}
		for _, e := range entries {
			file, name := filepath.Join(dir, e.Name()), e.Name()
			switch {
			case strings.HasSuffix(name, ".tmp"):
				if !s.writing() {
					v.faults = append(v.faults, Fault{File: file, Err: errors.New("a file that was not finished"), Harmless: true})
				}
			case dir == s.dir && !slices.Contains(known, name) && generationNumber(name) == 0:
				v.faults = append(v.faults, Fault{File: file, Err: errors.New("it is not a file of a corpus"), Harmless: true})
			}
		}
	}
	return nil
}

// held reports whether a generation is in use or being written.
func (s *store) held(gen string) bool {
	if s.writing() {
		return true
	}
	f := flock.New(s.path(gen, inUseFile), flock.SetFlag(os.O_RDONLY))
	err := locked(f.TryLock())
	return errors.Join(err, f.Close()) != nil && !errors.Is(err, fs.ErrNotExist)
}

// writing reports whether an ingest is at work.
func (s *store) writing() bool {
	f := flock.New(s.path(lockFile), flock.SetFlag(os.O_RDONLY)) // a missing one is not created
	err := locked(f.TryRLock())
	return errors.Join(err, f.Close()) != nil && errors.Is(err, errLocked)
}
