package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"example.com/assay/memory/document"
)

// Files are the files below one folder. No name and no link leads out of it.
type Files struct {
	dir  string
	root *os.Root
}

// OpenFiles opens a folder. The caller closes it.
func OpenFiles(dir string) (*Files, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &Files{dir, root}, nil
}

// Close closes the folder.
func (f *Files) Close() error { return f.root.Close() }

// maxFile bounds a file that is read for one call, in bytes.
const maxFile = 32 << 20

var errNoRoot = errors.New("this server reads no files: give the text itself, or start the server with --root DIR")

// read reads the text of a document. What is read is a copy, so that the file cannot be
// exchanged for a link in between.
func (f *Files) read(ctx context.Context, name string) (text string, err error) {
	if f == nil {
		return "", errNoRoot
	}
	info, err := f.root.Stat(filepath.FromSlash(name)) // before it is opened: a pipe would wait
	if err == nil && (!info.Mode().IsRegular() || info.Size() > maxFile) {
		return "", fmt.Errorf("%q is not a file of at most %d bytes", name, maxFile)
	}
	if err != nil {
		return "", f.fault(name, err)
	}
	in, err := f.root.Open(filepath.FromSlash(name))
	if err != nil {
		return "", f.fault(name, err)
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	dir, err := os.MkdirTemp("", "assay-mcp-")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	at := filepath.Join(dir, "document"+filepath.Ext(name))
	out, err := os.OpenFile(at, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", err
	}
	_, err = io.Copy(out, io.LimitReader(in, maxFile+1))
	if err = errors.Join(err, out.Close()); err != nil {
		return "", fmt.Errorf("reading %q: %w", name, err)
	}
	d, err := document.Load(ctx, at, filepath.Base(name), nil)
	if err != nil {
		return "", errors.New(strings.ReplaceAll(err.Error(), at, name))
	}
	return d.Text, nil
}

// paths are where files and folders are that an ingest reads.
func (f *Files) paths(names []string) ([]string, error) {
	if f == nil {
		return nil, errNoRoot
	}
	var out []string
	for _, name := range names {
		if _, err := f.root.Stat(filepath.FromSlash(name)); err != nil {
			return nil, f.fault(name, err)
		}
		out = append(out, filepath.Join(f.dir, filepath.FromSlash(name)))
	}
	if len(out) == 0 {
		return nil, errors.New("no path is named: name files or folders below the server's root")
	}
	return out, nil
}

// below is a path as a caller names it.
func (f *Files) below(path string) string {
	if name, err := filepath.Rel(f.dir, path); err == nil {
		return filepath.ToSlash(name)
	}
	return filepath.Base(path)
}

// fault says why a name leads to no file, without where the folder is.
func (f *Files) fault(name string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no %q below the server's root", name)
	}
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	return fmt.Errorf("%q cannot be read: %w; name a path below the server's root", name, err)
}
