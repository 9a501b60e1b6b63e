package eval

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

	"example.com/assay/memory"
)

// CorporaOptions adjust how corpora are made and searched. Nil and the zero value use no
// remote service.
type CorporaOptions struct {
	// Open says how corpora are searched. Its Space also embeds the passages.
	Open memory.OpenOptions
	// Progress receives the progress of an ingest. Default: not called.
	Progress func(phase string, done, total int)
}

// Corpora ingests the documents of cases into a directory. Folders with the same files are one
// corpus, whatever their names. It is for use by one goroutine; the corpora that it opens are safe
// for concurrent use.
type Corpora struct {
	home string
	opts CorporaOptions
	open map[string]*memory.Corpus // by the hash of their files
}

// NewCorpora stores corpora below home.
func NewCorpora(home string, opts *CorporaOptions) *Corpora {
	c := &Corpora{home: home, open: map[string]*memory.Corpus{}}
	if opts != nil {
		c.opts = *opts
	}
	return c
}

// Open ingests a folder or a file of documents, unless one with the same
// content is open already. The corpus is closed by Close.
func (c *Corpora) Open(ctx context.Context, path string) (*memory.Corpus, error) {
	hash, err := contentHash(path)
	if err != nil {
		return nil, fmt.Errorf("reading the corpus: %w", err)
	}
	if corpus := c.open[hash]; corpus != nil {
		return corpus, nil
	}
	if _, err := memory.Ingest(ctx, memory.IngestOptions{Home: c.home, Corpus: hash, Paths: []string{path}, Space: c.opts.Open.Space, Progress: c.opts.Progress}); err != nil {
		return nil, err
	}
	corpus, err := memory.OpenWith(c.home, hash, &c.opts.Open)
	if err != nil {
		return nil, err
	}
	c.open[hash] = corpus
	return corpus, nil
}

// Close closes all corpora.
func (c *Corpora) Close() error {
	var errs []error
	for _, corpus := range c.open {
		errs = append(errs, corpus.Close())
	}
	c.open = map[string]*memory.Corpus{}
	return errors.Join(errs...)
}

// contentHash returns the hash of a file, or of the names and contents of all files below a folder.
// A link to a folder counts by its target's path.
func contentHash(root string) (string, error) {
	hash := sha256.New()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		if !info.Mode().IsRegular() {
			target, err := filepath.EvalSymlinks(path)
			if err != nil {
				return err
			}
			fmt.Fprintf(hash, "%q is %q\n", filepath.ToSlash(rel), target)
			return nil
		}
		fmt.Fprintf(hash, "%q %d\n", filepath.ToSlash(rel), info.Size())
		return addFile(hash, path)
	})
	return hex.EncodeToString(hash.Sum(nil))[:16], err
}

func addFile(to io.Writer, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, f)
	return errors.Join(err, f.Close())
}
