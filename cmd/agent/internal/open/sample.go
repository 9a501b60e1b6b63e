package open

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	casestudies "example.com/assay/case_studies"
	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/memory"
)

const (
	// SampleCorpus is the name under which the embedded sample is ingested.
	SampleCorpus = "sample"
	// sampleWait bounds the wait for another process that ingests it.
	sampleWait = 60 * time.Second
	samplePoll = 100 * time.Millisecond
)

// SampleNote is the note on an answer from the sample.
const SampleNote = "answered from the embedded sample corpus, a teaching sample, not legal advice; `agent ingest DIR` makes your own"

// CountyCorpus is the name under which the embedded compliance sample is ingested.
const CountyCorpus = "sample-county"

// An embedded is a sample inside the program.
type embedded struct {
	corpus  string // its name as a corpus
	name    string // the name of its folder
	instead string // the note when it answers instead of the default corpus; empty for none
	files   func() (fs.FS, error)
}

var (
	lawSample    = embedded{SampleCorpus, casestudies.SampleName, "", casestudies.Sample}
	countySample = embedded{
		CountyCorpus, casestudies.CountyName, "the embedded compliance sample answers, an invented county; `agent ingest DIR` makes your own", casestudies.County,
	}
)

// sampleFile is a file of the sample.
type sampleFile struct {
	name string // slash-separated, e.g. "torts/battery.md"
	data []byte
}

// SampleFiles returns the embedded files in the order of their names, and a hash of names and
// contents.
func SampleFiles() ([]sampleFile, string, error) { return lawSample.list() }

func (e embedded) list() ([]sampleFile, string, error) {
	root, err := e.files()
	if err != nil {
		return nil, "", fmt.Errorf("reading the embedded sample: %w", err)
	}
	var files []sampleFile
	hash := sha256.New()
	err = fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		files = append(files, sampleFile{name, data})
		fmt.Fprintf(hash, "%q %d\n", name, len(data))
		hash.Write(data)
		return nil
	})
	if err != nil {
		return nil, "", fmt.Errorf("reading the embedded sample: %w", err)
	}
	return files, hex.EncodeToString(hash.Sum(nil))[:12], nil
}

// SampleDir is the folder of the sample's files with this hash. Folders of other hashes stay:
// earlier answers point into them.
func SampleDir(home, hash string) string { return lawSample.dir(home, hash) }

func (e embedded) dir(home, hash string) string {
	return filepath.Join(home, "samples", e.name+"-"+hash)
}

// open opens the sample as a corpus. It unpacks and ingests the files the first time, when a new
// version of the program has other files, and when the corpus is damaged. It calls note before
// that work. The sample is searched by its words alone, so that its first answer does not wait for
// an encoder. Of two processes that do this at the same time, one works and the other waits.
func (e embedded) open(ctx context.Context, home string, note func(string)) (*memory.Corpus, error) {
	files, hash, err := e.list()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(home, 0o700); err != nil { // it will hold questions and answers
		return nil, fmt.Errorf("making the home: %w", err)
	}
	dir := e.dir(home, hash)
	noted := false
	for deadline := time.Now().Add(sampleWait); ; {
		if err := unpack(dir, files); err != nil {
			return nil, err
		}
		corpus, err := memory.Open(home, e.corpus)
		if err == nil {
			if IsSample(corpus, dir, len(files)) {
				return corpus, nil
			}
			if err := corpus.Close(); err != nil {
				return nil, fmt.Errorf("closing an older sample: %w", err)
			}
		} else if !SampleMissing(err) {
			return nil, err
		}
		if !noted {
			note(fmt.Sprintf("preparing the embedded sample corpus (%d files, once)", len(files)))
			noted = true
		}
		_, err = memory.Ingest(ctx, memory.IngestOptions{Home: home, Corpus: e.corpus, Paths: []string{dir}, Rebuild: true})
		if err != nil && (!errors.As(err, new(*memory.BusyError)) || time.Now().After(deadline)) {
			return nil, fmt.Errorf("preparing the embedded sample: %w", err)
		}
		if err != nil {
			select {
			case <-time.After(samplePoll):
			case <-ctx.Done():
				return nil, context.Cause(ctx)
			}
		}
	}
}

// SampleMissing reports whether the sample must be ingested again after this error. That loses
// nothing: the corpus holds none of a person's own files.
func SampleMissing(err error) bool {
	return errors.As(err, new(*memory.UnknownCorpusError)) || errors.As(err, new(*memory.EmptyCorpusError)) ||
		errors.As(err, new(*memory.CorruptCorpusError)) || errors.As(err, new(*memory.OtherVersionError))
}

// IsSample reports whether a corpus was made from the files in dir.
func IsSample(corpus *memory.Corpus, dir string, files int) bool {
	sources := corpus.Sources()
	if len(sources) != files {
		return false
	}
	for _, source := range sources {
		path, _, err := corpus.TextPath(source)
		if err != nil || !strings.HasPrefix(path, dir+string(filepath.Separator)) {
			return false
		}
	}
	return true
}

// unpack writes the files that are missing or were changed, each atomically.
func unpack(dir string, files []sampleFile) error {
	for _, f := range files {
		path := filepath.Join(dir, filepath.FromSlash(f.name))
		if have, err := os.ReadFile(path); err == nil && bytes.Equal(have, f.data) {
			continue
		}
		if err := cli.WriteFile(path, f.data, 0o644); err != nil {
			return fmt.Errorf("unpacking the embedded sample: %w; %s names another directory", err, cli.EnvHome)
		}
	}
	return nil
}
