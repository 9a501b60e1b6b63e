package qa

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"example.com/assay/internal/sqlfile"
)

// FileSchema is the schema of a memory's file. Its version covers the tables and the data derived
// from questions: IDs, shapes and words. A change of their derivation needs a step that derives
// them again.
//
// Answers have a separate table, so that lists and counts need not read them. seq grows with time.
// words has one row per word of a question.
var FileSchema = sqlfile.Schema{Application: 0x41537161, Steps: []string{`
	CREATE TABLE scopes (id INTEGER PRIMARY KEY, conditions TEXT NOT NULL UNIQUE) STRICT;
	CREATE TABLE entries (
		seq        INTEGER PRIMARY KEY AUTOINCREMENT,
		id         TEXT NOT NULL UNIQUE,
		scope      INTEGER NOT NULL,
		shape      INTEGER NOT NULL,
		question   TEXT NOT NULL,
		confidence REAL NOT NULL,
		stored     INTEGER NOT NULL,
		served     INTEGER NOT NULL DEFAULT 0,
		last       INTEGER NOT NULL DEFAULT 0
	) STRICT;
	CREATE INDEX entries_shape ON entries (scope, shape);
	CREATE TABLE answers (seq INTEGER PRIMARY KEY, answer TEXT NOT NULL, payload BLOB) STRICT;
	CREATE TABLE words (
		scope INTEGER NOT NULL, word INTEGER NOT NULL, seq INTEGER NOT NULL,
		PRIMARY KEY (scope, word, seq)
	) STRICT, WITHOUT ROWID;`,
}}

// Open opens the memory in the file at path ([Path]), which is made if it does not
// exist, with its directory. A file that cannot be read is a *DamagedError.
func Open(ctx context.Context, path string, opts *Options) (*Memory, error) {
	rows, err := openFile(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("opening the memory of answers %q: %w", path, damaged(path, err))
	}
	m := New(rows, opts)
	m.path = path
	return m, nil
}

// openFile opens the rows in a file. All that a process does with it goes through one
// connection.
func openFile(ctx context.Context, path string) (*fileRows, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil, errors.New("it is a directory")
	}
	file, err := sqlfile.Open(ctx, path, FileSchema, &sqlfile.Options{Pragmas: []string{
		"auto_vacuum(INCREMENTAL)", // decided when the file is made
		"secure_delete(ON)",        // deleted data is overwritten
	}})
	if err != nil {
		return nil, err
	}
	f := &fileRows{path: path, file: file, db: file.Write}
	if f.info, err = os.Stat(path); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return f, nil
}

// CheckFile reads the whole file of a memory and reports damage.
func CheckFile(ctx context.Context, path string) (err error) {
	rows, err := openFile(ctx, path)
	if err == nil {
		var found string
		err = rows.db.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&found)
		if err == nil && found != "ok" {
			err = &DamagedError{Path: path, Err: errors.New(found)}
		}
		err = errors.Join(err, rows.Close())
	}
	if err != nil {
		return fmt.Errorf("checking the memory of answers %q: %w", path, damaged(path, err))
	}
	return nil
}

// damaged turns the errors of an unreadable file into a DamagedError.
func damaged(path string, err error) error {
	if sqlfile.Damaged(err) {
		return &DamagedError{Path: path, Err: err}
	}
	return err
}

// memoryFiles returns the files of a memory, itself after its log: a remaining log would be taken for
// that of the next file. The last two are files of an earlier version of this program that are no
// longer read.
func memoryFiles(path string) []string {
	earlier := strings.TrimSuffix(path, ".db") + ".jsonl"
	return []string{path + "-wal", path + "-shm", path, earlier, earlier + ".lock"}
}

// Remove deletes a memory that nobody uses, even a damaged one. A missing memory is not an error.
func Remove(path string) error {
	for _, name := range memoryFiles(path) {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("removing a memory of answers: %w", err)
		}
	}
	return nil
}
