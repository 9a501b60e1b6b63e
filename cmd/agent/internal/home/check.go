// Package home knows which files a home holds: their kinds, the versions of their formats,
// and how each is copied or checked while the program runs.
//
//	if err := home.Check(dir); err != nil {
//		return err // a file of a newer version
//	}
//
// It opens no corpus, thread or answer for use, and it changes nothing.
package home

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"example.com/assay/eval"
	"example.com/assay/graph/checkpoint/sqlite"
	"example.com/assay/graph/eventlog"
	notes "example.com/assay/graph/store/sqlite"
	"example.com/assay/internal/plainfile"
	"example.com/assay/internal/sqlfile"
	"example.com/assay/memory"
	"example.com/assay/memory/embed"
	"example.com/assay/memory/qa"
)

// Layout is the version of everything in a home that has no version of its own: which files there
// are, and what plain text files mean, such as the history of sessions. The file layout of a home
// holds it; a home without that file has layout 1.
const (
	Layout     = 1
	layoutFile = "layout"
)

// A NewerError reports a file that a later version of the program wrote. Nothing was changed.
type NewerError struct {
	File       string
	Got, Known int
}

func (e *NewerError) Error() string {
	return fmt.Sprintf("%s has format %d, and this program knows up to %d: a newer version wrote it. Nothing was changed; use that version, set ASSAY_HOME to another directory, or move the file away: mv %s %[1]s.newer",
		e.File, e.Got, e.Known, e.File)
}

// Check returns a *NewerError for a home with a file of a later version. It reads the first bytes
// of each file, and changes nothing. A home that does not exist passes.
func Check(home string) error {
	versions, err := Versions(home)
	if err != nil {
		return err
	}
	for _, v := range versions {
		if v.Got > v.Known {
			return &NewerError{v.File, v.Got, v.Known}
		}
	}
	return nil
}

// Versions lists the versions of the files of a home. A file that cannot be read is left out: the
// verb that needs it says why.
func Versions(home string) ([]memory.FileVersion, error) {
	layout, err := readLayout(home)
	if err != nil {
		return nil, err
	}
	out := []memory.FileVersion{{File: filepath.Join(home, layoutFile), Got: layout, Known: Layout}}
	for _, d := range databases {
		paths, err := filepath.Glob(filepath.Join(quoteGlob(home), filepath.FromSlash(d.pattern)))
		if err != nil {
			return nil, err
		}
		for _, path := range paths {
			application, version, err := sqlfile.Stamp(path)
			if err == nil && application == d.kind.Schema.Application {
				out = append(out, memory.FileVersion{File: path, Got: version, Known: len(d.kind.Schema.Steps)})
			}
		}
	}
	entries, err := os.ReadDir(filepath.Join(home, "corpora"))
	if err == nil {
		for _, e := range entries {
			if memory.CheckName(e.Name()) == nil {
				out = append(out, memory.Versions(home, e.Name())...)
			}
		}
	}
	results, err := filepath.Glob(filepath.Join(quoteGlob(home), "evals", "*.json"))
	if err != nil {
		return nil, err
	}
	for _, path := range results {
		if schema, ok := schemaOf(path); ok {
			out = append(out, memory.FileVersion{File: path, Got: schema, Known: eval.ResultsSchema})
		}
	}
	return out, nil
}

func readLayout(home string) (int, error) {
	path := filepath.Join(home, layoutFile)
	data, err := plainfile.Read(path, 0)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) { // a home that is a file: the verb that opens it says so
		return 1, nil
	}
	if err != nil {
		return 0, fmt.Errorf("reading the layout of the home: %w", err)
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(data)))
	if err != nil || n < 1 {
		return 0, fmt.Errorf("%s does not hold a number: restore the home from a backup, or write 1 into the file", path)
	}
	return n, nil
}

// schemaOf reads the key "schema" from the beginning of a JSON object.
func schemaOf(path string) (schema int, ok bool) {
	f, err := plainfile.Open(path)
	if err != nil {
		return 0, false
	}
	defer func() { ok = f.Close() == nil && ok }()
	dec := json.NewDecoder(io.LimitReader(f, 1<<20))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return 0, false
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return 0, false
		}
		if key == "schema" {
			return schema, dec.Decode(&schema) == nil
		}
		if err := dec.Decode(new(json.RawMessage)); err != nil {
			return 0, false
		}
	}
	return 0, false
}

// quoteGlob quotes a path for a pattern of filepath.Glob.
func quoteGlob(path string) string {
	if os.PathSeparator == '\\' { // on Windows Glob has no quoting
		return path
	}
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// A Database is a kind of SQLite file.
type Database struct {
	Holds  string // what is lost when the file is
	Schema sqlfile.Schema
	JSON   []string // columns that hold JSON, as "table.column"
}

var (
	threads = Database{"saved runs", sqlite.FileSchema, []string{"checkpoints.data", "checkpoints.metadata", "records.data"}}
	items   = Database{"notes", notes.FileSchema, []string{"items.value"}}
	records = Database{"records of served runs", notes.FileSchema, []string{"items.value"}}
	events  = Database{"events of runs", eventlog.FileSchema, []string{"events.data"}}
	answers = Database{"remembered answers", qa.FileSchema, []string{"answers.payload", "scopes.conditions"}}
	vectors = Database{"cached vectors", embed.FileSchema, nil}
)

// databases are the kinds of databases, by the place of their files below the home.
var databases = []struct {
	pattern string
	kind    *Database
}{
	{"threads.db", &threads}, {"notes.db", &items}, {"serve.db", &records}, {"events.db", &events},
	{"mcp/threads.db", &threads}, {"mcp/runs.db", &records}, {"mcp/events.db", &events},
	{"qa/*.db", &answers}, {"tenants/*/qa/*.db", &answers}, {"vectors/vectors.db", &vectors},
}

// A Format is the version of a kind of database, and the places of such files below the home.
type Format struct {
	Holds   string
	Version int
	Places  []string
}

// Formats lists the kinds of databases of a home.
func Formats() []Format {
	var out []Format
	at := map[*Database]int{}
	for _, d := range databases {
		i, ok := at[d.kind]
		if !ok {
			i = len(out)
			at[d.kind] = i
			out = append(out, Format{Holds: d.kind.Holds, Version: len(d.kind.Schema.Steps)})
		}
		out[i].Places = append(out[i].Places, d.pattern)
	}
	return out
}

// DatabaseAt returns the kind of the database at a slash-separated place below the home, nil
// for another file.
func DatabaseAt(name string) *Database {
	for _, d := range databases {
		if ok, _ := path.Match(d.pattern, name); ok {
			return d.kind
		}
	}
	return nil
}

// beside are the suffixes of the files that SQLite and locks keep next to a database. Such a file
// means nothing when no process uses the database.
var beside = []string{"-wal", "-shm", "-journal", "-locks"}

// BesideDatabase returns the database that a file belongs to, "" for another file.
func BesideDatabase(name string) string {
	for _, suffix := range beside {
		if base, ok := strings.CutSuffix(name, suffix); ok && DatabaseAt(base) != nil {
			return base
		}
	}
	return ""
}

// Unfinished reports whether a slash-separated name marks a file or folder that is being made, or
// that a killed process left half made.
func Unfinished(name string) bool {
	base := path.Base(name)
	for _, prefix := range []string{".tmp-", ".removed-", ".agent-doctor-"} {
		if strings.HasPrefix(base, prefix) {
			return true
		}
	}
	return strings.HasSuffix(base, ".tmp")
}
