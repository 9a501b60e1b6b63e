package backup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/home"
	"example.com/assay/cmd/agent/internal/render"
	"example.com/assay/internal/disk"
)

// A restore is one run of agent restore.
type restore struct {
	*cli.App
	home, from string
	force      bool
	bar        *render.Bar
}

func (r *restore) run(ctx context.Context) (_ *restored, err error) {
	full, err := r.ready()
	if err != nil {
		return nil, err
	}
	a, err := openArchive(r.from)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, a.close()) }()
	parent := filepath.Dir(r.home)
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return nil, err
	}
	prefix := "." + filepath.Base(r.home) + ".restoring-"
	if left := leftovers(parent, prefix); left != "" {
		r.Warn("a restore to this home is at work or was killed; in the second case it left this, which may be the home before: %s", left)
	}
	made, err := os.MkdirTemp(parent, prefix+"*")
	if err != nil {
		return nil, fmt.Errorf("restoring beside the home: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(made))
		}
	}()
	if err := a.extract(ctx, made, func(done int) { r.bar.Update("restoring", done, len(a.Files)) }); err != nil {
		if ctx.Err() != nil || cli.StorageTrouble(err) != "" {
			return nil, fmt.Errorf("restoring %s: %w", r.from, err)
		}
		return nil, &BadArchiveError{r.from, err}
	}
	if err := home.Check(made); err != nil {
		if newer, ok := errors.AsType[*home.NewerError](err); ok {
			name, _ := filepath.Rel(made, newer.File) // it is below made
			err = fmt.Errorf("its %s has format %d, and this program knows up to %d: restore it with the version that made it", filepath.ToSlash(name), newer.Got, newer.Known)
		}
		return nil, &BadArchiveError{r.from, err}
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if a.LeftOut == nil {
		a.LeftOut = []leftOut{}
	}
	done := &restored{Schema: 1, Home: r.home, Files: len(a.Files), Bytes: a.bytes(), manifestInfo: manifestInfo{a.Made, a.LeftOut}}
	before := ""
	if full {
		before = r.home + ".before-restore-" + r.Now().UTC().Format("20060102-150405")
	}
	if done.Before, err = swap(made, r.home, before); err != nil {
		if errors.Is(err, errBusyPlace) {
			return nil, fmt.Errorf("%s cannot be replaced, since it is a place where a file system is mounted: restore to a folder inside it (%s=%s) or mount its parent", r.home, cli.EnvHome, filepath.Join(r.home, "assay"))
		}
		return nil, fmt.Errorf("putting the restored home in its place: %w", err)
	}
	return done, disk.Sync(parent)
}

// ready refuses before anything is written, and reports whether the home holds something.
func (r *restore) ready() (full bool, err error) {
	if info, err := os.Lstat(r.home); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		if r.home, err = filepath.EvalSymlinks(r.home); err != nil {
			return false, err
		}
	}
	entries, err := os.ReadDir(r.home)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("looking at the home: %w", err)
	}
	if len(entries) > 0 && !r.force {
		return true, cli.Usagef("the home %s holds something: end what uses it and restore with --force, which keeps it under another name, or set %s to a new directory", r.home, cli.EnvHome)
	}
	return len(entries) > 0, nil
}

// swapInTwo is swap for systems that cannot exchange two folders. A kill between its two renames
// leaves no home, but the old folder and the new one are then both whole, next to its place.
func swapInTwo(made, place, before string) (kept string, err error) {
	if before == "" {
		err = os.Remove(place)
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
	} else {
		err = disk.Rename(place, before)
	}
	if err != nil {
		return "", err
	}
	err = disk.Rename(made, place)
	if err != nil && before != "" {
		err = errors.Join(err, disk.Rename(before, place))
	}
	return before, err
}
