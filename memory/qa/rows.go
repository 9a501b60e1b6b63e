package qa

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

const (
	// application is what SQLite's application_id says of a memory: "ASqa".
	application = 0x41537161
	// version is the file's user_version. It covers the tables and what is
	// derived from questions: ids, shapes and words. Whoever changes how those
	// are made raises it and makes prepare derive them anew.
	version = 1
	// busyFor is how long a writer waits for those of other processes.
	busyFor = 10 * time.Second
)

// Answers have a table of their own, so that lists and counts need not step
// over them. seq grows with time. words has one row per word of a question.
const tables = `
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
	) STRICT, WITHOUT ROWID;`

// openRows opens the file and brings it to this version. All that a process
// does with it goes through one connection, whose statements wait for other
// processes as long as wait says.
func openRows(ctx context.Context, path string, wait time.Duration) (*sql.DB, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	pragmas := url.Values{"_pragma": {
		fmt.Sprintf("busy_timeout(%d)", wait.Milliseconds()),
		"auto_vacuum(INCREMENTAL)", // decided when the file is made
		"synchronous(FULL)",
		"secure_delete(ON)", // what is forgotten is overwritten
	}}
	address := url.URL{Scheme: "file", Path: filepath.ToSlash(absolute)} // a path may have a question mark
	db, err := sql.Open("sqlite", address.String()+"?"+pragmas.Encode()+"&_txlock=immediate")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	if err := prepare(ctx, db); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

func prepare(ctx context.Context, db *sql.DB) error {
	// It is looked at before anything is written: it may not be ours.
	found, err := versionOf(ctx, db)
	if err != nil {
		return err
	}
	if err := useWAL(ctx, db); err != nil || found == version {
		return err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()                                                  // after Commit there is nothing to undo
	if found, err = versionOf(ctx, tx); err != nil || found == version { // another process was faster
		return err
	}
	if _, err := tx.ExecContext(ctx, tables); err != nil {
		return fmt.Errorf("making the tables: %w", err)
	}
	if _, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d", application, version)); err != nil {
		return fmt.Errorf("marking the version: %w", err)
	}
	return tx.Commit()
}

// A querier is a database or a transaction of one.
type querier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// versionOf returns the file's version, 0 for an empty one.
func versionOf(ctx context.Context, q querier) (int, error) {
	var id, found, tables int
	err := q.QueryRowContext(ctx, `SELECT
		(SELECT application_id FROM pragma_application_id),
		(SELECT user_version FROM pragma_user_version),
		(SELECT count(*) FROM sqlite_schema)`).Scan(&id, &found, &tables)
	switch {
	case err != nil:
		return 0, err
	case id == 0 && found == 0 && tables == 0:
		return 0, nil
	case id != application:
		return 0, errors.New("it is a database of another program; move it away")
	case found > version:
		return 0, fmt.Errorf("it was written by a later version of this program (its format is %d, this one reads %d); use that, or move it away", found, version)
	}
	return found, nil
}

// useWAL tries again while other processes make the switch: SQLite itself does
// not wait for them then.
func useWAL(ctx context.Context, db *sql.DB) error {
	ctx, cancel := context.WithTimeout(ctx, busyFor)
	defer cancel()
	for {
		var mode string
		err := db.QueryRowContext(ctx, "PRAGMA journal_mode = WAL").Scan(&mode)
		if err == nil && mode != "wal" {
			return fmt.Errorf("switching to WAL: the mode stays %q", mode)
		}
		if err == nil || codeOf(err) != sqlite3.SQLITE_BUSY {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("switching to WAL: %w", err)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// codeOf returns the primary result code of an error of SQLite, else 0.
func codeOf(err error) int {
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		return e.Code() & 0xff
	}
	return 0
}

// damaged turns the errors of a file that cannot be read into a DamagedError.
func damaged(path string, err error) error {
	switch codeOf(err) {
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return &DamagedError{Path: path, Err: err}
	}
	return err
}

// beside lists the files that belong to a memory, itself behind its log: a log
// that outlived its file would be taken for one of the next. The last two are
// what an earlier version of this program kept; it is no longer read.
func beside(path string) []string {
	earlier := strings.TrimSuffix(path, ".db") + ".jsonl"
	return []string{path + "-wal", path + "-shm", path, earlier, earlier + ".lock"}
}

// Remove deletes a memory that nobody uses, also one that is damaged. That
// there is none is no error.
func Remove(path string) error {
	for _, name := range beside(path) {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("removing a memory of answers: %w", err)
		}
	}
	return nil
}
