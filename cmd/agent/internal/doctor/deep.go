package doctor

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/home"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/graph/trace"
	"example.com/assay/internal/plainfile"
	"example.com/assay/internal/sqlfile"
	"example.com/assay/llm/cassette"
	"example.com/assay/memory"
)

// deep reads the files of a home, and the named traces and cassettes. It changes nothing.
func deep(ctx context.Context, place string, named []string) []finding {
	if to, err := filepath.EvalSymlinks(place); err == nil { // else it does not exist
		place = to
	}
	d := &deepCheck{home: place}
	if err := d.run(ctx); err != nil {
		d.fail(place, err, "ls -lR "+place)
	}
	for _, path := range named {
		d.record(path, true)
	}
	detail := fmt.Sprintf("%s read", cli.Count(d.files, "file"))
	switch {
	case d.failed > 0 || d.warned > 0:
		detail += fmt.Sprintf(": %s of damage, %s to look at", cli.Count(d.failed, "finding"), cli.Count(d.warned, "other"))
	case d.files == 0:
		detail = "nothing is saved yet, so nothing was checked"
	default:
		detail += ", no damage found"
	}
	return append(d.out, finding{"deep", statusOK, detail, ""})
}

// A deepCheck is one run of deep.
type deepCheck struct {
	home                  string
	out                   []finding
	files, failed, warned int
}

func (d *deepCheck) fail(file string, err error, do string) {
	d.failed++
	d.out = append(d.out, finding{"deep", statusFail, fmt.Sprintf("%s: %v", file, err), do})
}

func (d *deepCheck) warn(file, what, do string) {
	d.warned++
	d.out = append(d.out, finding{"deep", statusWarn, file + ": " + what, do})
}

func (d *deepCheck) run(ctx context.Context) error {
	err := filepath.WalkDir(d.home, func(path string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // no home yet, or removed meanwhile
		}
		if err != nil {
			d.fail(path, err, "chmod -R u+rwX "+path)
			return nil
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		rel, err := filepath.Rel(d.home, path)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(rel)
		if name == "." && !e.IsDir() {
			return errors.New("it is not a directory")
		}
		d.mode(path, e)
		if e.IsDir() {
			if home.Unfinished(name) {
				d.unfinished(path)
				return fs.SkipDir
			}
			return nil
		}
		d.files++
		d.file(ctx, path, name, e)
		return nil
	})
	if err != nil {
		return err
	}
	names, err := memory.Names(d.home)
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := d.corpus(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

// mode checks who may use a file.
func (d *deepCheck) mode(path string, e fs.DirEntry) {
	info, err := e.Info()
	if err != nil || runtime.GOOS == "windows" {
		return // removed meanwhile, or a system without such modes
	}
	perm := info.Mode().Perm()
	want := fs.FileMode(0o600)
	if e.IsDir() {
		want = 0o700
	}
	switch {
	case perm&want != want && e.Type()&fs.ModeSymlink == 0 && perm&0o400 == 0:
		d.fail(path, fmt.Errorf("its owner may not read it (mode %04o)", perm), "chmod u+rwX "+path)
	case perm&want != want && e.Type()&fs.ModeSymlink == 0:
		d.warn(path, fmt.Sprintf("its owner may not change it (mode %04o)", perm), "chmod u+rwX "+path)
	case perm&0o022 != 0 && e.Type()&fs.ModeSymlink == 0:
		d.warn(path, fmt.Sprintf("others may change it (mode %04o)", perm), "chmod go-w "+path)
	case path == d.home && perm&0o077 != 0:
		d.warn(path, fmt.Sprintf("others may look into it (mode %04o)", perm), "chmod 700 "+path)
	}
}

func (d *deepCheck) unfinished(path string) {
	d.warn(path, "a process that was killed left it, or one is at work now", "when nothing uses the home: rm -r "+path)
}

// file checks one file outside the corpora.
func (d *deepCheck) file(ctx context.Context, path, name string, e fs.DirEntry) {
	kind, base := home.DatabaseAt(name), home.BesideDatabase(name)
	switch {
	case name == "corpora", strings.HasPrefix(name, "corpora/") && (strings.Count(name, "/") >= 2 || e.Type()&fs.ModeSymlink != 0):
		if _, err := os.Stat(path); err != nil && e.Type()&fs.ModeSymlink != 0 {
			d.fail(path, fmt.Errorf("it is a link that leads nowhere: %w", err), "mount the disk that it leads to, or remove it: rm "+path)
		} // else it is read with its corpus
	case !e.Type().IsRegular():
		d.warn(path, "it is not a regular file", "ls -l "+path)
	case home.Unfinished(name):
		d.unfinished(path)
	case kind != nil:
		err := sqlfile.Verify(ctx, path, kind.Schema, kind.JSON...)
		switch {
		case ctx.Err() != nil:
		case errors.Is(err, sqlfile.ErrNoTables):
			d.warn(path, err.Error(), "nothing, if it never held anything: the next use makes them; else restore a backup (agent restore FILE)")
		case err != nil:
			d.fail(path, err, fmt.Sprintf("restore a backup (agent restore FILE), or lose the %s: mv %s %s.damaged; rm -f %s-wal %s-shm", kind.Holds, path, path, path, path))
		}
	case base != "":
		if _, err := os.Stat(filepath.Join(d.home, filepath.FromSlash(base))); errors.Is(err, fs.ErrNotExist) {
			d.fail(path, fmt.Errorf("it belongs to %s, which is gone", base), "restore a backup (agent restore FILE), or remove it: rm "+path)
		}
	case name == "layout": // home.Check has read it
	case strings.HasPrefix(name, "evals/"):
		if _, err := open.ReadResults(path); err != nil {
			d.fail(path, err, "restore a backup, or remove it: rm "+path)
		}
	case name == "serve.token":
		if data, err := os.ReadFile(path); err != nil || len(strings.TrimSpace(string(data))) < 20 || bytes.ContainsRune(data, 0) {
			d.fail(path, errors.Join(errors.New("it does not hold a token"), err), "remove it, and agent serve makes a new one: rm "+path)
		}
	case name == "history", name == cli.ConfigName:
		data, err := os.ReadFile(path)
		if err == nil && bytes.ContainsRune(data, 0) {
			err = errors.New("it holds bytes that are not text")
		}
		if err != nil {
			d.fail(path, err, "restore a backup, or remove it: rm "+path)
		}
	default:
		d.record(path, false)
	}
}

// record checks a trace or a cassette. A file of another kind is a failure only if it is wanted.
func (d *deepCheck) record(path string, wanted bool) {
	data, err := plainfile.Read(path, 1<<30)
	if err != nil {
		d.fail(path, err, "ls -l "+path)
		return
	}
	if wanted {
		d.files++
	}
	first, _, _ := bytes.Cut(data, []byte("\n"))
	var head struct {
		V        int `json:"v"`
		Cassette int `json:"cassette"`
	}
	_ = json.Unmarshal(first, &head) // a file of another kind is not JSON
	switch {
	case head.Cassette > 0:
		if _, err := cassette.Replay(path); err != nil {
			d.fail(path, err, "record it again, or use another copy")
		}
	case head.V > 0:
		records, err := trace.Read(bytes.NewReader(data))
		if err == nil && (len(records) == 0 || records[len(records)-1].Kind != "run_end") {
			err = errors.New("its last line, the end of the run, is missing: the file was cut, or the run was killed")
		}
		if err != nil {
			d.fail(path, err, "run it again with --trace, or use another copy")
		}
	case wanted:
		d.fail(path, errors.New("it is neither a trace nor a cassette"), "name files of --trace and --record")
	}
}

// corpus checks a corpus and its lock file.
func (d *deepCheck) corpus(ctx context.Context, name string) error {
	lock := filepath.Join(d.home, "corpora", name, "lock")
	if data, err := plainfile.Read(lock, 0); err == nil && len(data) > 0 {
		if _, err := strconv.Atoi(strings.TrimSpace(string(data))); err != nil {
			d.warn(lock, "it does not hold the number of a process; a lock ends with its process, so this costs nothing", "agent ingest PATH… --corpus "+name)
		}
	}
	faults, err := memory.Verify(ctx, d.home, name)
	if err != nil {
		return err
	}
	for _, f := range faults {
		own := strings.HasPrefix(f.File, filepath.Join(d.home, "corpora")+string(filepath.Separator))
		switch {
		case !f.Harmless:
			d.fail(f.File, f.Err, "restore a backup, or build the corpus again: agent ingest --rebuild PATH… --corpus "+name)
		case own:
			d.warn(f.File, f.Err.Error(), "the next ingest removes it: agent ingest PATH… --corpus "+name)
		default:
			d.warn(f.File, f.Err.Error(), "agent ingest PATH… --corpus "+name)
		}
	}
	return nil
}
