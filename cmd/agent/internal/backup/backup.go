package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/home"
	"example.com/assay/cmd/agent/internal/render"
	"example.com/assay/internal/disk"
	"example.com/assay/internal/sqlfile"
	"example.com/assay/memory"
)

// A backup is one run of agent backup.
type backup struct {
	*cli.App
	home, to string
	force    bool
	bar      *render.Bar
	manifest manifest
}

func (b *backup) run(ctx context.Context) (m *manifest, size int64, err error) {
	if err := b.ready(); err != nil {
		return nil, 0, err
	}
	prefix := "." + filepath.Base(b.to) + ".partial-"
	if left := leftovers(filepath.Dir(b.to), prefix); left != "" {
		b.Warn("a backup to this file is at work or was killed; in the second case remove what it left: rm -r %s", left)
	}
	work, err := os.MkdirTemp(filepath.Dir(b.to), prefix+"*")
	if err != nil {
		return nil, 0, fmt.Errorf("making a folder for the backup: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	staged := filepath.Join(work, "home")
	if err := b.stage(ctx, staged); err != nil {
		return nil, 0, fmt.Errorf("backing up %s: %w", b.home, err)
	}
	size, err = b.pack(ctx, staged, filepath.Join(work, "archive"))
	if err != nil {
		return nil, 0, fmt.Errorf("writing the backup %s: %w", b.to, err)
	}
	return &b.manifest, size, nil
}

// ready refuses before anything is written.
func (b *backup) ready() error {
	info, err := os.Stat(b.home)
	if errors.Is(err, fs.ErrNotExist) {
		return cli.Usagef("there is no home to back up: %s does not exist; %s names another", b.home, cli.EnvHome)
	}
	if err == nil && !info.IsDir() {
		return cli.Usagef("%s is not a directory", b.home)
	}
	if err != nil {
		return err
	}
	if b.to, err = filepath.Abs(b.to); err != nil {
		return err
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(b.to))
	if err != nil {
		return cli.Usagef("the folder of %s: %w; make it first", b.to, err)
	}
	if b.home, err = filepath.EvalSymlinks(b.home); err != nil {
		return err
	}
	if rel, err := filepath.Rel(b.home, dir); err == nil && filepath.IsLocal(rel) {
		return cli.Usagef("%s is inside the home: name a file elsewhere, so that the backup survives the home", b.to)
	}
	there, err := os.Lstat(b.to)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !there.Mode().IsRegular():
		return cli.Usagef("%s exists and is not a regular file: name another", b.to)
	case !b.force:
		return cli.Usagef("%s exists: name another file, or replace it with --force", b.to)
	}
	return nil
}

// stage puts a consistent copy of each file of the home into a folder.
func (b *backup) stage(ctx context.Context, staged string) error {
	if err := os.Mkdir(staged, 0o700); err != nil {
		return err
	}
	// The records of runs are copied before the events and threads that they name: a file that
	// is copied later is at least as new.
	var files []string
	err := filepath.WalkDir(b.home, func(file string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) && file != b.home {
			return nil // removed meanwhile
		}
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(b.home, file)
		name := filepath.ToSlash(rel)
		switch {
		case err != nil:
			return err
		case name == "corpora": // may be a link
			if d.IsDir() {
				return fs.SkipDir
			}
		case home.Unfinished(name):
			if d.IsDir() {
				return fs.SkipDir
			}
		case d.IsDir():
			if name != "." {
				return os.Mkdir(filepath.Join(staged, rel), 0o700)
			}
		case !d.Type().IsRegular():
			b.leave(name, errors.New("it is not a regular file"), true)
		case home.BesideDatabase(name) == "":
			files = append(files, name)
		}
		return nil
	})
	if err != nil {
		return err
	}
	slices.SortStableFunc(files, func(x, y string) int { return rank(x) - rank(y) })
	for i, name := range files {
		b.bar.Update("copying", i, len(files))
		if err := b.copy(ctx, name, filepath.Join(staged, filepath.FromSlash(name))); err != nil {
			return err
		}
	}
	return b.corpora(ctx, staged)
}

func rank(name string) int {
	switch filepath.Base(name) {
	case "threads.db":
		return 2
	case "events.db":
		return 1
	}
	return 0
}

// copy copies one file. A file that cannot be copied is left out, unless the backup cannot go on.
func (b *backup) copy(ctx context.Context, name, to string) (err error) {
	from := filepath.Join(b.home, filepath.FromSlash(name))
	if home.DatabaseAt(name) == nil {
		err = copyFile(from, to)
	} else {
		err = sqlfile.Copy(ctx, from, to, func(done, total int) { b.bar.Update("copying "+name, done, total) })
		if err == nil {
			err = os.Chmod(to, 0o600)
		}
	}
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case noRoom(err):
		return fmt.Errorf("copying %s: %w", name, err)
	}
	if !missing(from) { // else it was removed meanwhile
		b.leave(name, err, true)
	}
	if err := os.Remove(to); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// noRoom reports whether the place that the backup is written to failed, so that nothing else can
// be saved there. A file that cannot be read does not end the backup.
func noRoom(err error) bool {
	return cli.StorageTrouble(err) != "" && !errors.Is(err, fs.ErrPermission) && !errors.Is(err, syscall.EIO) && !sqlfile.IOFailed(err)
}

func missing(path string) bool {
	_, err := os.Lstat(path)
	return errors.Is(err, fs.ErrNotExist)
}

// leave records that name is not in the backup, and why. After a fault the command fails.
func (b *backup) leave(name string, why error, fault bool) {
	reason := strings.ReplaceAll(why.Error(), "\n", "; ")
	if advice := cli.StorageTrouble(why); advice != "" {
		reason += "; " + advice
	}
	b.manifest.LeftOut = append(b.manifest.LeftOut, leftOut{name, reason, fault})
}

// corpora copies the live generation of each corpus.
func (b *backup) corpora(ctx context.Context, staged string) error {
	list, err := memory.List(b.home)
	if err == nil {
		err = b.strays()
	}
	if err != nil || len(list) == 0 {
		return err
	}
	if err := os.Mkdir(filepath.Join(staged, "corpora"), 0o700); err != nil {
		return err
	}
	for i, info := range list {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		b.bar.Update("copying corpora", i, len(list))
		name := "corpora/" + info.Name
		err := memory.Snapshot(b.home, info.Name, filepath.Join(staged, "corpora", info.Name))
		switch {
		case err == nil && info.Index != "":
			b.leave(name, fmt.Errorf("its index is on the server %s: back that up there, or ingest again after a restore", info.Index), false)
		case err == nil, errors.As(err, new(*memory.UnknownCorpusError)): // removed meanwhile
		case errors.As(err, new(*memory.EmptyCorpusError)):
			b.leave(name, err, false)
		case noRoom(err):
			return err
		default:
			b.leave(name, err, true)
		}
	}
	return nil
}

// strays reports what is in the folder of corpora and is not a corpus, such as a link to a disk
// that is not mounted.
func (b *backup) strays() error {
	dir := filepath.Join(b.home, "corpora")
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		if !missing(dir) {
			b.leave("corpora", errors.New("it is a link that leads nowhere"), true)
		}
		return nil
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if info, err := os.Stat(path); err == nil && info.IsDir() || missing(path) { // a corpus, or one that was removed meanwhile
			continue
		}
		b.leave("corpora/"+e.Name(), errors.New("it is not a corpus, or is a link that leads nowhere"), true)
	}
	return err
}

// pack writes the archive to partial, and gives it its name when it is whole.
func (b *backup) pack(ctx context.Context, staged, partial string) (size int64, err error) {
	versions, err := home.Versions(staged)
	if err != nil {
		return 0, err
	}
	b.manifest.Version, b.manifest.Program, b.manifest.Home = archiveVersion, cli.ThisBuild().Version, b.home
	b.manifest.Made = b.Now().UTC()
	b.manifest.Formats = []format{}
	for _, v := range versions {
		name, err := filepath.Rel(staged, v.File)
		if err != nil {
			return 0, err
		}
		b.manifest.Formats = append(b.manifest.Formats, format{filepath.ToSlash(name), v.Got})
	}
	f, err := os.OpenFile(partial, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return 0, err
	}
	total := 0
	err = filepath.WalkDir(staged, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			total++
		}
		return err
	})
	if err == nil {
		err = b.manifest.write(ctx, f, staged, func(done int) { b.bar.Update("writing", done, total) })
	}
	if err == nil {
		err = f.Sync()
	}
	if info, statErr := f.Stat(); statErr == nil {
		size = info.Size()
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return 0, err
	}
	if b.force {
		err = disk.Rename(partial, b.to)
	} else if err = os.Link(partial, b.to); errors.Is(err, errors.ErrUnsupported) || errors.Is(err, fs.ErrPermission) {
		// Without hard links, a file that appeared after ready looked is replaced.
		err = disk.Rename(partial, b.to)
	}
	if err != nil {
		return 0, err
	}
	return size, disk.Sync(filepath.Dir(b.to))
}

// copyFile copies a file that other processes replace or append to.
func copyFile(from, to string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	_, err = io.Copy(out, in)
	return err
}

// leftovers lists what killed processes left in a folder: the entries whose names begin with
// prefix.
func leftovers(dir, prefix string) string {
	entries, _ := os.ReadDir(dir) // the next write to the folder reports the error
	var found []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), prefix) {
			found = append(found, filepath.Join(dir, e.Name()))
		}
	}
	return strings.Join(found, " ")
}
