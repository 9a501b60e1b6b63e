package files

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"unicode/utf8"
)

// A Disk is a Backend in a folder of a disk.
type Disk struct {
	sync.Mutex // for Edit
	// MaxBytes is how large a file may be that is read or written. Default MaxBytes.
	MaxBytes int

	folder string
}

// NewDisk returns a Backend in a folder, which must exist. What is changed there by others is seen.
func NewDisk(folder string) (*Disk, error) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, fmt.Errorf("opening a folder for files: %w", err)
	}
	return &Disk{folder: folder}, root.Close()
}

// inside calls fn with the root, and the path from it.
func (d *Disk) inside(doing, p string, fn func(root *os.Root, rel string) error) error {
	root, err := os.OpenRoot(d.folder)
	if err != nil {
		return fmt.Errorf("%s %q: %w", doing, p, cause(err))
	}
	err = fn(root, cmp.Or(filepath.FromSlash(strings.TrimPrefix(p, "/")), "."))
	if err = errors.Join(err, root.Close()); err != nil {
		return fmt.Errorf("%s %q: %w", doing, p, cause(err))
	}
	return nil
}

// cause leaves out the paths of the machine.
func cause(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fs.ErrNotExist
	}
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	if e, ok := errors.AsType[*os.LinkError](err); ok {
		return e.Err
	}
	return err
}

// Walk implements Backend.
func (d *Disk) Walk(ctx context.Context, folder string, fn func(Entry) error) error {
	var theirs error
	err := d.inside("listing", folder, func(root *os.Root, rel string) error {
		return fs.WalkDir(root.FS(), filepath.ToSlash(rel), func(p string, e fs.DirEntry, err error) error {
			switch {
			case err != nil && p != filepath.ToSlash(rel) && (errors.Is(err, fs.ErrPermission) || errors.Is(err, fs.ErrNotExist)):
				return nil // a folder that may not be read, or that was deleted since it was listed
			case err != nil:
				return err
			case ctx.Err() != nil:
				return ctx.Err()
			case p == filepath.ToSlash(rel) && e.IsDir():
				return nil
			case p == filepath.ToSlash(rel):
				return errors.New("it is a file")
			case !e.IsDir() && !e.Type().IsRegular():
				return nil
			}
			theirs = fn(Entry{"/" + p, e.IsDir()})
			return theirs
		})
	})
	if theirs != nil && !errors.Is(theirs, fs.SkipDir) && !errors.Is(theirs, fs.SkipAll) {
		return theirs
	}
	return err
}

// Read implements Backend.
func (d *Disk) Read(_ context.Context, p string) (text string, err error) {
	err = d.inside("reading", p, func(root *os.Root, rel string) error {
		info, err := root.Stat(rel)
		if err != nil {
			return err
		}
		most := cmp.Or(d.MaxBytes, MaxBytes)
		switch {
		case info.IsDir():
			return errors.New("it is a folder")
		case !info.Mode().IsRegular(): // a pipe would block
			return ErrUnreadable
		case info.Size() > int64(most):
			return fmt.Errorf("it has %d bytes, more than %d: %w", info.Size(), most, ErrUnreadable)
		}
		f, err := root.Open(rel)
		if err != nil {
			return err
		}
		data, err := io.ReadAll(io.LimitReader(f, int64(most)+1))
		if err = errors.Join(err, f.Close()); err != nil {
			return err
		}
		if len(data) > most || !utf8.Valid(data) || bytes.Contains(data, []byte{0}) {
			return ErrUnreadable
		}
		text = string(data)
		return nil
	})
	return text, err
}

// Write implements Backend.
func (d *Disk) Write(_ context.Context, p, text string) error {
	return d.inside("writing", p, func(root *os.Root, rel string) error {
		if most := cmp.Or(d.MaxBytes, MaxBytes); len(text) > most {
			return fmt.Errorf("it would have %d bytes, more than %d", len(text), most)
		}
		mode := fs.FileMode(0o644)
		switch info, err := root.Lstat(rel); {
		case err == nil && !info.Mode().IsRegular():
			return errors.New("it is a folder, or a link")
		case err == nil:
			mode = info.Mode().Perm()
		case !errors.Is(err, fs.ErrNotExist):
			return err
		}
		folder := filepath.Dir(rel)
		if err := root.MkdirAll(folder, 0o755); err != nil {
			return err
		}
		made := filepath.Join(folder, ".assay-"+rand.Text())
		f, err := root.OpenFile(made, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
		if err != nil {
			return err
		}
		_, err = f.WriteString(text)
		if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
			err = root.Rename(made, rel)
		}
		if err != nil {
			return errors.Join(err, root.Remove(made))
		}
		return nil
	})
}
